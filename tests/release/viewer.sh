#!/usr/bin/env bash
# viewer.sh -- ./dev viewer after ./dev build: the command that is there is configured and built again, with its options.
#
# In a copy of what CMake reads. The bundler and the compiler are stood in for: what they are asked for is looked at.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "$*"; exit 1; }
say() { printf '%s\n' "$*"; }
quietly() { shift; "$@" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }
compile() { echo "$*" >> "$work/compiled"; }

for folder in src cli include cmake examples bench; do cp -r "$SOURCE/$folder" "$work/"; done
cp "$SOURCE/CMakeLists.txt" "$SOURCE/CMakePresets.json" "$work/"
mkdir -p "$work/tools"
cp "$SOURCE/tools/viewer.sh" "$work/tools/"
cd "$work"
source tools/viewer.sh
viewer_template() {
  mkdir -p build/viewer
  for name in page poses; do
    echo "const char ${name}_stub;" > "build/viewer/${name}_template.c"
    echo page > "build/viewer/$name.html"
  done
}

# without the command only the templates are made
cmake --preset release -DIMPEL_EXAMPLES=OFF > log
! grep -q IMPEL_PAGE build/release/build.ninja || die "pages are on without templates"
out=$(cmd_viewer)
[ ! -e compiled ] || die "compiled without a build: $(cat compiled)"
[[ $out == *"'./dev build' makes the command"* ]] || die "it is not said what is missing: $out"

# with it, it is told of the templates, and keeps its options
rm -r build/viewer
cmake build/release > log
! grep -q IMPEL_PAGE build/release/build.ninja || die "pages are on though the templates are gone"
touch build/release/impel
chmod +x build/release/impel
out=$(cmd_viewer)
grep -q IMPEL_PAGE build/release/build.ninja || die "the build was not told of the templates"
grep -q '^IMPEL_EXAMPLES:BOOL=OFF' build/release/CMakeCache.txt || die "the options of the build are lost"
[ "$(cat compiled)" = "release impel_cli" ] || die "not built again: $(cat compiled)"
[[ $out == *"build/release/impel makes pages"* ]] || die "it is not said that it makes pages: $out"
echo "./dev viewer turns pages on in a build that is there"
