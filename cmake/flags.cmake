# How everything of ours is compiled. Users get impel_public_flags only.
#
# Same bits everywhere needs -ffp-contract=off (clang contracts even with -std=c17) and no fast-math. gcc 12 joins pairs of
# a*b-c and d*e+f into one fused vfmaddsub all the same, where the machine has it: not without its SLP vectorizer.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)

set(impel_public_flags $<$<COMPILE_LANG_AND_ID:C,GNU,Clang,AppleClang>:-ffp-contract=off>
                       $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>:-ffp-contract=off>)

add_library(impel_flags INTERFACE)
target_compile_definitions(impel_flags INTERFACE _POSIX_C_SOURCE=200809L)
target_compile_options(impel_flags INTERFACE -ffp-contract=off
  -Wall -Wextra -Wpedantic -Wconversion -Wdouble-promotion -Wshadow -Wvla)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  target_compile_options(impel_flags INTERFACE -fno-tree-slp-vectorize)
endif()
if(NOT (CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64"))
  target_compile_options(impel_flags INTERFACE -fno-math-errno)   # sqrt in line; gcc 12 for ARM breaks down over fmax with it
endif()
if(IMPEL_WERROR)
  target_compile_options(impel_flags INTERFACE -Werror)
endif()

if(IMPEL_SANITIZE)
  target_compile_options(impel_flags INTERFACE -fsanitize=${IMPEL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${IMPEL_SANITIZE})
elseif(IMPEL_COVERAGE)
  target_compile_options(impel_flags INTERFACE --coverage -fprofile-update=atomic)
  add_link_options(--coverage)
else()
  # a thread with a stack of 512 KiB must do; the largest frame is that of the expanding polytope (collide/overlap.c, 36 KB);
  # sanitizers and tests may have larger ones
  set(impel_frame_flags -Wframe-larger-than=40960)
endif()
