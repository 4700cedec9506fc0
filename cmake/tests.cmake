# Tests by place.
#
#   tests/<room>/<name>.c       a cmocka program test_<room>_<name>; sees src/ and every symbol of the library,
#                               and calls what it defines as __wrap_x in place of x
#   tests/<room>/*_support.c    no program: linked into all programs of its room
#   tests/faults/<name>.c       as above, with tests/faults/inject.c in place of malloc, write and their kin
#   tests/<room>/<name>.sh      a test; executable, run in the source folder with IMPEL, SOURCE and BUILD set
#   tests/release/<name>.sh     the same, in release builds only
#
# A script that exits 77 says that it was skipped, and why.
find_path(CMOCKA_HEADERS cmocka.h)
find_library(CMOCKA_LIBRARY cmocka)
if(NOT CMOCKA_HEADERS OR NOT CMOCKA_LIBRARY)
  message(FATAL_ERROR "the tests need cmocka (Debian: libcmocka-dev); ./dev test installs it, -DIMPEL_TESTS=OFF does without")
endif()
find_path(JANSSON_HEADERS jansson.h)
find_library(JANSSON_LIBRARY jansson)
find_path(CCD_HEADERS ccd/ccd.h)
find_library(CCD_LIBRARY ccd)

# A locale with a decimal comma, made here and found by LOCPATH: the system's own list stays as it is.
find_program(LOCALEDEF localedef)
set(german ${PROJECT_BINARY_DIR}/locale/de_DE.UTF-8)
if(LOCALEDEF AND NOT EXISTS ${german})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/locale)
  execute_process(COMMAND ${LOCALEDEF} -i de_DE -f UTF-8 ${german} OUTPUT_QUIET ERROR_QUIET)
endif()

# after impel_flags: references in long double, and names of files that cannot be too long, are all right in tests
add_library(impel_test_flags INTERFACE)
target_compile_options(impel_test_flags INTERFACE -Wno-double-promotion $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>)

set(impel_test_environment LOCPATH=${PROJECT_BINARY_DIR}/locale IMPEL=$<TARGET_FILE_DIR:impel>/impel SOURCE=${PROJECT_SOURCE_DIR} BUILD=${PROJECT_BINARY_DIR})
function(impel_wrapped file out)   # what it defines as __wrap_x is called in place of x
  file(STRINGS ${file} wrapped REGEX "^[^/]*__wrap_[a-z0-9_]+\\(")
  list(TRANSFORM wrapped REPLACE "^.*__wrap_([a-z0-9_]+)\\(.*$" "-Wl,--wrap=\\1")
  list(REMOVE_DUPLICATES wrapped)
  if(wrapped)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endif()
  set(${out} ${wrapped} PARENT_SCOPE)
endfunction()

set(inject ${PROJECT_SOURCE_DIR}/tests/faults/inject.c)
if(EXISTS ${inject})
  impel_wrapped(${inject} impel_injected)
endif()

file(GLOB test_programs CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/tests tests/*/*.c)
list(FILTER test_programs EXCLUDE REGEX "^fuzz/|_support\\.c$|^faults/inject\\.c$")
foreach(program ${test_programs})
  get_filename_component(room ${program} DIRECTORY)
  get_filename_component(name ${program} NAME_WE)
  set(target test_${room}_${name})
  file(GLOB support CONFIGURE_DEPENDS tests/${room}/*_support.c)
  add_executable(${target} tests/${program} ${support})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_include_directories(${target} PRIVATE src tests tests/${room})
  target_include_directories(${target} SYSTEM PRIVATE ${CMOCKA_HEADERS})
  target_compile_definitions(${target} PRIVATE IMPEL_SOURCE="${PROJECT_SOURCE_DIR}" ${impel_qhull})
  target_link_libraries(${target} PRIVATE impel_static impel_flags impel_test_flags ${CMOCKA_LIBRARY} Threads::Threads m)
  impel_wrapped(${PROJECT_SOURCE_DIR}/tests/${program} wrapped)
  target_link_options(${target} PRIVATE ${wrapped})
  if(room STREQUAL faults)
    target_sources(${target} PRIVATE ${inject})
    target_link_options(${target} PRIVATE ${impel_injected})
  endif()
  if(program MATCHES "^io/json" AND JANSSON_HEADERS AND JANSSON_LIBRARY)
    target_compile_definitions(${target} PRIVATE IMPEL_JANSSON)
    target_link_libraries(${target} PRIVATE ${JANSSON_LIBRARY})
  endif()
  if(program MATCHES "^collide/(gjk|distance_soak)" AND CCD_HEADERS AND CCD_LIBRARY)
    target_compile_definitions(${target} PRIVATE IMPEL_CCD)
    target_link_libraries(${target} PRIVATE ${CCD_LIBRARY})
  endif()
  add_test(NAME ${target} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${target} PROPERTIES LABELS ${room} TIMEOUT 300 SKIP_RETURN_CODE 77 ENVIRONMENT "${impel_test_environment}")
endforeach()

file(GLOB test_scripts CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/tests tests/*/*.sh)
foreach(script ${test_scripts})
  get_filename_component(room ${script} DIRECTORY)
  get_filename_component(name ${script} NAME_WE)
  if(room STREQUAL release AND (NOT CMAKE_BUILD_TYPE STREQUAL Release OR IMPEL_SANITIZE))
    continue()
  endif()
  add_test(NAME ${room}_${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/${script} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${room}_${name} PROPERTIES LABELS ${room} TIMEOUT 300 SKIP_RETURN_CODE 77
                       ENVIRONMENT "${impel_test_environment}")
endforeach()
