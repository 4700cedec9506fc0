#!/usr/bin/env bash
# docs.sh -- what the documents say is there: paths, commands, and what the examples print.
#
# A path in `backticks` in ARCHITECTURE.md, README.md, CONTRIBUTING.md or below docs/ that starts with a folder of this
# repository, or has no folder and a file's ending, must exist; `*` must match something. A file that is yet to be
# written is spelled with NAME or NN in it: `src/shape/NAME.c`. A link to a file of the repository must lead to one,
# every page below docs/ is linked from docs/README.md, a theory page ends with what its method cannot do, and every
# case of `impel validate` has an entry in docs/validation/cases.md.
# A comment or string of a source file that names a NAME.md names a file of this repository, by its path from the root or
# from the folder of the source file.
# `./dev x` must be a command of ./dev. A line "hash" with 16 hexadecimal digits must quote tests/golden/hashes.txt.
# Each examples/NN_name.c has an NN_name.txt and prints exactly that.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/release}
cd "$SOURCE"
bad=0 paths=0 examples=0
say() { echo "$1"; bad=1; }

folders='src|include|cli|viewer|tests|scenes|examples|bench|docs|cmake|tools|\.ci'
endings='md|txt|json|c|h|sh|mjs|cmake|html|csv'
commands=$(./dev help | awk '/^  [a-z]/ { print $1 }')
links=0
for doc in ARCHITECTURE.md README.md CONTRIBUTING.md docs/*.md docs/*/*.md; do
  [ -f "$doc" ] || continue
  while IFS=: read -r line link; do
    links=$((links + 1))
    [ -e "$(dirname "$doc")/${link%%#*}" ] || say "$doc:$line: the link to $link leads nowhere"
  done < <(awk '{ rest = $0; while (match(rest, /\]\([^)# ]+[^) ]*\)/)) {
             link = substr(rest, RSTART + 2, RLENGTH - 3); rest = substr(rest, RSTART + RLENGTH)
             if (link !~ /^https?:/) print FNR ":" link } }' "$doc")
  while IFS=: read -r line text; do
    case $text in *NAME*|*NN*|*'<'*|*'...'*|*' '*) [[ $text == './dev '* ]] || continue ;; esac
    if [[ $text == './dev '* ]]; then
      word=${text#./dev }; word=${word%% *}
      [[ $word =~ ^[a-z]+$ ]] || continue
      grep -qx -- "$word" <<< "$commands" || say "$doc:$line: \`$text\`: ./dev has no command '$word'"
      continue
    fi
    text=${text#./}
    path=$(sed -E 's/:[0-9]+(:[0-9]+)?$//' <<< "$text")
    [[ $path =~ ^($folders)(/[A-Za-z0-9_.*{},-]+)+/?$ || $path =~ ^($folders)/$ || $path =~ ^[A-Za-z_][A-Za-z0-9_-]*\.($endings)$ ]] || continue
    # a bare name may be a file of the room that the sentence speaks of
    if [[ $path != */* ]]; then
      case $path in README.md|ARCHITECTURE.md|CONTRIBUTING.md|CHANGELOG.md|CMakeLists.txt|CMakePresets.json|packages.txt) ;; *) continue ;; esac
    fi
    paths=$((paths + 1))
    eval "matches=($path)"
    for match in "${matches[@]}"; do
      [ -e "$match" ] || say "$doc:$line: \`$text\`: there is no $match"
    done
  done < <(awk '/^```/ { fence = !fence; next } !fence { rest = $0; while (match(rest, /`[^`]+`/)) {
             print FNR ":" substr(rest, RSTART + 1, RLENGTH - 2); rest = substr(rest, RSTART + RLENGTH) } }' "$doc")
done

# Prints one line for each NAME.md in a source file below folder $1 that is not there.
missing_documents() {
  (
    cd "$1"
    find . -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.sh' -o -name '*.js' -o -name '*.mjs' -o -name '*.py' \
      -o -name '*.cmake' -o -name CMakeLists.txt -o -name dev \) \
      -not -path './build*' -not -path './.git/*' -not -path '*/node_modules/*' -print0 | LC_ALL=C sort -z |
      xargs -0 grep -nHoE '[A-Za-z0-9_./-]+\.md\b' | sed 's,^\./,,' |
      while IFS=: read -r file line name; do
        # a pattern of this check, a name that stands for any, and a file that another program writes
        case $file:$name in tests/laws/docs.sh:* | *:NAME.md | *'*.md' | */.md | *:.md) continue ;; esac
        [ -e "$name" ] || [ -e "$(dirname "$file")/$name" ] || echo "$file:$line: there is no $name"
      done
  )
}
found=$(missing_documents .)
[ -z "$found" ] || say "$found"
# the check on the check
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
mkdir -p "$probe/src" "$probe/docs"
touch "$probe/docs/page.md"
printf '// docs/page.md, section 3\n// study.md sec. 3\n' > "$probe/src/a.c"
[ "$(missing_documents "$probe")" = 'src/a.c:2: there is no study.md' ] ||
  say "docs.sh: does not notice a comment that names a missing document"

for doc in docs/*/*.md; do
  grep -qF "](${doc#docs/})" docs/README.md || say "$doc: docs/README.md has no link to it"
done
for doc in docs/theory/*.md; do
  [ "$doc" = docs/theory/references.md ] || tail -n 40 "$doc" | grep -qiE '^##.* cannot do' ||
    say "$doc: its last section must say what the method cannot do"
done

while read -r name; do
  grep -qE "^### .*\`$name\`" docs/validation/cases.md || say "docs/validation/cases.md: case '$name' has no entry"
done < <(sed -nE 's/^    \{ "([a-z0-9-]+)", ".*/\1/p' validation/cases.c)

while IFS=: read -r doc line text; do
  hash=${text#hash }
  grep -qs "^${hash%% *} " tests/golden/hashes.txt || say "$doc:$line: no scene of tests/golden/hashes.txt has hash ${hash%% *}"
done < <(grep -nHE '^hash [0-9a-f]{16}\b' README.md ARCHITECTURE.md docs/*.md docs/*/*.md 2> /dev/null || true)

for source in examples/*.c; do
  [ -f "$source" ] || continue
  name=$(basename "$source" .c)
  examples=$((examples + 1))
  [[ $name =~ ^[0-9][0-9]_[a-z0-9_]+$ ]] || { say "$source: examples are called NN_name.c"; continue; }
  [ -f "examples/$name.txt" ] || { say "$source: what it prints belongs in examples/$name.txt"; continue; }
  [ -x "$BUILD/examples/$name" ] || { say "$source: $BUILD/examples/$name has not been built"; continue; }
  "$BUILD/examples/$name" 2>&1 | diff -u "examples/$name.txt" - || say "$source: prints something else than examples/$name.txt"
done
[ $bad = 0 ] || exit 1
echo "$paths paths and $links links exist, $examples examples print what they say"
