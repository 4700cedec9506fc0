#!/usr/bin/env bash
# documents.sh -- every scene, C program and marked session printed in README.md or below docs/ is
# run, and does what the text beside it promises.
#
# A fenced block of json, jsonc or c has a comment before it, which readers do not see:
#
#     <!-- test
#     run: impel run scene.json -t 2 -o scene.csv
#     prints: ^contacts +6
#     -->
#
# Each block has a folder of its own, in which it lies as scene.json, or as program.c and, compiled,
# as ./program. The repository's scenes/ and the command impel are there, too. Then, line by line:
#
#     run: COMMAND        must succeed
#     fails N: COMMAND    must end with exit code N
#     prints: REGEX       grep -E finds it in what the last command printed on stdout and stderr
#     fragment: REASON    the block is no whole scene or program, and is not run
#     session             the block is a session: each line "$ COMMAND" prints the lines below it;
#                         "..." stands for any number of characters or, alone, of lines
#     needs: pages        the block is not run by a build that makes no pages
#     varies: REGEX       lines of a session that differ from run to run are not compared
#
# SPDX-License-Identifier: MIT
set -euo pipefail
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/gcc}
BUILD=$(realpath "$BUILD")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$BUILD:$PATH
bad=0 scenes=0 programs=0 sessions=0 fragments=0 without=0
say() { echo "$1"; bad=1; [ $# = 1 ] || sed 's/^/    /' <<< "$2"; }

# --- Taking the documents apart -------------------------------------------------------------------

# blocks FILE FOLDER: FOLDER/LINE/{kind,text,test} for each fenced block that opens at that line.
blocks() {
  awk -v folder="$2" '
    /^ *```/ && !inside {
      inside = 1
      place = folder "/" FNR
      system("mkdir -p " place)
      kind = $0
      sub(/^ *```/, "", kind)
      print kind > (place "/kind")
      printf "" > (place "/text")
      printf "%s", test > (place "/test")
      test = ""
      next
    }
    /^ *```/ { inside = 0; next }
    inside { print > (place "/text"); next }
    /^<!-- test$/ { comment = 1; test = ""; next }
    comment && /^-->$/ { comment = 0; next }
    comment { test = test $0 "\n"; next }
    NF { test = "" }' "$1"
}

# --- Running one block ----------------------------------------------------------------------------

# command WANTED WORDS: runs the words in the block's folder; output is what they printed.
command_gives() {
  local wanted=$1 code=0
  output=$(cd "$place" && bash -c "$2" 2>&1 < /dev/null) || code=$?
  ran=$2
  [ $code = "$wanted" ] ||
    say "$where: exit code $code, not $wanted: $ran" "$(tail -n 5 <<< "$output")"
}

output_has() {
  grep -qE -- "$1" <<< "$output" ||
    say "$where: '$ran' prints no line like $1" "$(head -n 10 <<< "$output")"
}

# compare_session COMMAND PATTERN: what the command prints has the form of the pattern.
compare_session() {
  command_gives 0 "$1"
  [ -z "$varies" ] || output=$(grep -vE -- "$varies" <<< "$output")
  # shellcheck disable=SC2053
  [[ $output$'\n' == $2 ]] || say "$where: the session differs: $1" "$(head -n 30 <<< "$output")"
}

# run_session: the commands of the block, each with the lines that it prints.
run_session() {
  local line command='' pattern=''
  sessions=$((sessions + 1))
  while IFS= read -r line; do
    if [[ $line == '$ '* ]]; then
      [ -z "$command" ] || compare_session "$command" "$pattern"
      command=${line#\$ } pattern=''
    elif [ "$line" = ... ]; then
      pattern+='*'
    elif [ -z "$varies" ] || ! grep -qE -- "$varies" <<< "$line"; then
      pattern+=$(sed 's/[][\\*?]/\\&/g; s/\.\.\./*/g' <<< "$line")$'\n'
    fi
  done < "$place/text"
  if [ -z "$command" ]; then
    say "$where: a session needs a line that begins with \$"
    return
  fi
  compare_session "$command" "$pattern"
}

# compile_program: the block as ./program, with the shared library of this build.
compile_program() {
  programs=$((programs + 1))
  cp "$place/text" "$place/program.c"
  "${CC:-cc}" -std=c17 -Wall -Wextra -Wpedantic -Werror "$place/program.c" -o "$place/program" \
    -I "$SOURCE/include" -L "$BUILD" -limpel -Wl,-rpath,"$BUILD" > "$place/log" 2>&1 ||
    say "$where: does not compile" "$(head -n 10 "$place/log")"
}

# prepare: what the block is, as a file.
prepare() {
  ln -s "$SOURCE/scenes" "$place/scenes"
  case $kind in
    json | jsonc) scenes=$((scenes + 1)); cp "$place/text" "$place/scene.json" ;;
    c) compile_program ;;
  esac
}

# instruction LINE: one line of the comment.
words='run, fails N, prints, session, varies, needs or fragment'
instruction() {
  local name
  case $1 in
    'run: '*) command_gives 0 "${1#run: }" ;;
    'fails '[0-9]*': '*) name=${1#fails }; command_gives "${name%%:*}" "${1#*: }" ;;
    'prints: '*) output_has "${1#prints: }" ;;
    'needs: pages') ;;
    'varies: '*) varies=${1#varies: } ;;
    session) run_session ;;
    *) say "$where: the comment before the block says '$1'; it may say $words" ;;
  esac
}

check_block() {
  local line output='' ran='' varies=''
  if grep -q '^fragment: ' "$place/test"; then
    fragments=$((fragments + 1))
    return
  fi
  if [[ $kind != json && $kind != jsonc && $kind != c && ! -s $place/test ]]; then
    ! grep -qE '"impel": *1|#include' "$place/text" ||
      say "$where: this block is a scene or a program; its fence must say json, jsonc or c"
    return 0
  fi
  if [ $pages = 0 ] && grep -q '^needs: pages$' "$place/test"; then
    without=$((without + 1))
    return 0
  fi
  prepare
  if ! grep -qE '^(run: |fails |session$)' "$place/test"; then
    say "$where: a comment '<!-- test' before this block must say how it is run"
    return
  fi
  while IFS= read -r line <&3; do instruction "$line"; done 3< "$place/test"
}

# whether this build makes pages
pages=1
impel run "$SOURCE/scenes/bouncing_ball.json" -t 0.1 -q -o "$work/probe.html" 2> "$work/log" ||
  pages=0
if [ $pages = 0 ] && ! grep -q 'this build makes no pages' "$work/log"; then
  cat "$work/log"
  exit 1
fi

cd "$SOURCE"
shopt -s nullglob
for doc in README.md docs/*.md docs/*/*.md; do
  folder=$work/docs/${doc//\//_}
  mkdir -p "$folder"
  blocks "$doc" "$folder"
  for place in "$folder"/*/; do
    [ -d "$place" ] || continue
    place=${place%/} kind=$(< "${place%/}/kind") where=$doc:$(basename "$place")
    check_block
  done
done
[ $bad = 0 ] || exit 1
[ $((scenes + programs)) -gt 0 ] || { echo "no scene and no program was found"; exit 1; }
echo "$scenes scenes, $programs programs, $sessions sessions do what the text says;" \
  "$fragments are fragments, $without were left out for want of pages"
