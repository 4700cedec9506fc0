#!/usr/bin/env bash
# install.sh -- the library as its users meet it: installed elsewhere, found by pkg-config, by find_package and by
# add_subdirectory, shared and static, from C17 and from C++20.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/gcc}
version=$(sed -n 's/^project(impel VERSION \([0-9.]*\).*/\1/p' "$SOURCE/CMakeLists.txt")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step() { what=$1; shift; "$@" > "$work/log" 2>&1 || { echo "$what failed:"; cat "$work/log"; exit 1; }; }
says() { what=$1; shift; out=$("$@") || { echo "$what: exit code $?"; exit 1; }; [ "$out" = "$version" ] || { echo "$what: said '$out', not '$version'"; exit 1; }; }

# installed under another prefix than the configured one: nothing in it may remember where it was made
step "cmake --install" cmake --install "$BUILD" --prefix "$work/made"
lib=$(dirname "$(find "$work/made" -name libimpel.so)")
found() { PKG_CONFIG_PATH=$lib/pkgconfig pkg-config "$@" impel; }

mkdir "$work/use"
cat > "$work/use/main.c" <<'C'
#include <impel/impel.h>
#include <stdio.h>
int main(void) {
    impScene *scene = impScene_New((impVec3){ 0, 0, -9.81 });
    impError err = { 0 };
    impModel *model = impModel_Build(scene, &err);
    impModel_Free(model);
    impScene_Free(scene);
    puts(impVersion());
    return model == NULL;
}
C
cp "$work/use/main.c" "$work/use/main.cpp"
sed -i 's/(impVec3){/impVec3{/; s/{ 0 };/{};/; s/NULL/nullptr/' "$work/use/main.cpp"
cat > "$work/use/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.21)
project(use LANGUAGES C CXX)
set(CMAKE_CXX_STANDARD 20)
if(FROM_SOURCE)
  add_subdirectory(${FROM_SOURCE} impel EXCLUDE_FROM_ALL)
else()
  find_package(impel 0.1 REQUIRED)
endif()
foreach(language c cpp)
  add_executable(${language}_shared main.${language})
  target_link_libraries(${language}_shared PRIVATE impel::impel)
  add_executable(${language}_static main.${language})
  target_link_libraries(${language}_static PRIVATE impel::static)
endforeach()
C
cd "$work/use"

# as it was installed, and below with the tree moved
read -ra flags <<< "$(found --cflags --libs)"
step "C17 by pkg-config, as installed" gcc -std=c17 main.c -o installed "${flags[@]}" -Wl,-rpath,"$lib"
says "what pkg-config found as installed" ./installed
for folder in "$SOURCE" "$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$BUILD/CMakeCache.txt")" "$work"; do
  ! grep -F -- "$folder" "$lib/pkgconfig/impel.pc" || { echo "impel.pc names $folder"; exit 1; }
done
mv "$work/made" "$work/moved"
lib=$work/moved/${lib#"$work/made/"}

[ "$(found --modversion)" = "$version" ] || { echo "pkg-config: version $(found --modversion)"; exit 1; }
read -ra flags <<< "$(found --cflags --libs)"
read -ra all <<< "$(found --cflags --libs --static)"
warn="-Wall -Wextra -Wpedantic -Werror"
step "C17 by pkg-config"         gcc -std=c17 $warn main.c -o c_shared "${flags[@]}" -Wl,-rpath,"$lib"
step "C++20 by pkg-config"       g++ -std=c++20 $warn main.cpp -o cpp_shared "${flags[@]}" -Wl,-rpath,"$lib"
step "C17 by pkg-config, static" gcc -std=c17 $warn main.c -o c_static "${all[@]/#-limpel/-l:libimpel.a}"
for program in c_shared cpp_shared c_static; do says "$program by pkg-config" ./$program; done

step "find_package"             cmake -G Ninja -S . -B found -DCMAKE_PREFIX_PATH="$work/moved" -DCMAKE_BUILD_TYPE=Release
step "building by find_package" cmake --build found
for program in {c,cpp}_{shared,static}; do says "$program by find_package" found/$program; done

step "add_subdirectory"         cmake -G Ninja -S . -B inside -DFROM_SOURCE="$SOURCE" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0
step "building by add_subdirectory" cmake --build inside
for program in {c,cpp}_{shared,static}; do says "$program by add_subdirectory" inside/$program; done

if [ -e "$BUILD/impel" ]; then "$work/moved/bin/impel" --version > /dev/null; fi
echo "found by pkg-config, find_package and add_subdirectory, from C and C++"
