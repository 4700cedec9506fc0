# golden.sh -- ./dev golden: one hash per scene, whoever compiled the program and wherever it runs.
#
# `impel hash` prints a line per scene of scenes/ and of some of scenes/table1/, `impel poses` the hash of some drops of each part of scenes/parts/;
# tests/golden/hashes.txt holds the lines that are right. Each row of
# the table is one build and one way to run it, and must print the same lines. Then the check is checked: builds that
# are known to be wrong (contracted multiply-adds; the edits of tests/golden/known_bad.txt) must print others.
#
#   ./dev golden              all rows
#   ./dev golden --short      those of ./dev test
#   ./dev golden ROW...       single rows
#   ./dev golden --update     the release build writes hashes.txt; say in tests/golden/HISTORY.md what changed and why
#
# Cross builds have no qhull: they leave out the scenes of tests/golden/needs_qhull.txt. Scenes that no method can run
# yet stand, with the reason, in tests/golden/left_out.txt, and must leave it once they run.
#
# SPDX-License-Identifier: MIT
golden=build/golden

# name              kind      compiler                flags                                       short
golden_rows() {
  local compiler level
  echo "release           release   -                       -                                           short"
  for compiler in gcc clang; do
    for level in O0 O1 O2 O3 O3-native; do
      local flags=-${level/-native/ -march=native} cc=$compiler short=-
      [ $compiler = gcc ] || cc=clang-14
      [[ $compiler-$level == gcc-O0 || $level == O3-native ]] && short=short
      echo "$compiler-$level native $cc ${flags// /,} $short"
    done
  done
  for level in O0 O2 O3; do
    echo "aarch64-$level aarch64 aarch64-linux-gnu-gcc -$level $([ $level = O2 ] && echo short || echo -)"
    echo "wasm-$level wasm clang-14 -$level $([ $level = O2 ] && echo short || echo -)"
  done
  if grep -qw fma /proc/cpuinfo; then
    echo "bad-contraction bad-native gcc -O2,-march=haswell,-ffp-contract=fast short"
  else   # every 64-bit ARM can fuse
    echo "bad-contraction bad-aarch64 aarch64-linux-gnu-gcc -O2,-ffp-contract=fast short"
  fi
  [ ! -f tests/golden/known_bad.txt ] || awk -F' *[|] *' '!/^#/ && NF == 3 { print "bad-" $1, "bad-edit gcc -O2 short" }' tests/golden/known_bad.txt
}

# golden_build NAME KIND COMPILER FLAGS: the program $golden/NAME/impel, unless it is there and nothing changed.
golden_build() {
  local name=$1 kind=${2#bad-} cc=$3 tree=. out=$golden/$1/impel stamp qhull=()
  local flags=(-std=c17 -D_POSIX_C_SOURCE=200809L -DIMPEL_VERSION="\"$version\"" -ffp-contract=off)
  [[ $cc != *gcc ]] || flags+=(-fno-tree-slp-vectorize)   # see cmake/flags.cmake
  IFS=, read -ra more <<< "$4"
  [ ! -f /usr/include/libqhull_r/libqhull_r.h ] || qhull=(-DIMPEL_QHULL -lqhull_r)
  mkdir -p "$golden/$name"
  stamp="$golden_sources $* $(sha256sum tests/golden/known_bad.txt 2> /dev/null)"
  [ -x "$out" ] && [ "$(cat "$golden/$name/stamp" 2> /dev/null)" = "$stamp" ] && return 0
  rm -f "$golden/$name/stamp"
  if [ "$kind" = edit ]; then
    local file expression
    tree=$golden/$name/tree
    rm -rf "$tree"; mkdir -p "$tree"; cp -r src cli validation include "$tree"
    IFS='|' read -r file expression < <(awk -F' *[|] *' -v name="${name#bad-}" '$1 == name { print $2 "|" $3 }' tests/golden/known_bad.txt)
    sed -i -E "$expression" "$tree/$file"
    ! cmp -s "$file" "$tree/$file" || { echo "known_bad.txt: '$expression' changes nothing in $file"; return 1; }
  fi
  flags+=("-I$tree/include" "-I$tree/src" "-I$tree" "${more[@]}" "$tree"/src/*.c "$tree"/src/*/*.c "$tree"/cli/*.c "$tree"/validation/*.c -o "$out")
  case $kind in
    native|edit) "$cc" "${flags[@]}" -fno-math-errno -pthread "${qhull[@]}" -lm ;;
    aarch64)     "$cc" "${flags[@]}" -pthread -static -lm ;;
    wasm)        "$cc" --target=wasm32-wasi --sysroot=/usr "${flags[@]}" -fno-math-errno -Wl,-z,stack-size=1048576 \
                   -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_GETPID -D_WASI_EMULATED_PROCESS_CLOCKS \
                   -lwasi-emulated-signal -lwasi-emulated-getpid -lwasi-emulated-process-clocks -lm ;;
  esac || return 1
  echo "$stamp" > "$golden/$name/stamp"
}

# golden_run NAME KIND THREADS: prints the lines.
golden_run() {
  local program=$golden/$1/impel which=all names=() run=()
  case ${2#bad-} in
    release)     run=(timeout 600 build/release/impel) ;;
    native|edit) run=(timeout 600 "$program") ;;
    aarch64)     run=(timeout 900 qemu-aarch64-static "$program") which=cross ;;
    wasm)        run=(timeout 900 node --no-warnings tests/golden/wasi.mjs "$program") which=cross ;;
  esac
  mapfile -t names < <(golden_scenes $which)
  golden_lines "$3" "${run[@]}" -- "${names[@]}"
}

# golden_lines THREADS PROGRAM... -- SCENE...: the hash of each scene's end; of the parts among them, that of 400 drops.
golden_lines() {
  local threads=$1 run=() scenes=() parts=() name hash
  shift
  while [ "$1" != -- ]; do run+=("$1"); shift; done
  shift
  for name; do if [[ $name == scenes/parts/* ]]; then parts+=("$name"); else scenes+=("$name"); fi; done
  "${run[@]}" hash --threads "$threads" "${scenes[@]}" || return
  for name in "${parts[@]}"; do
    hash=$("${run[@]}" poses "$name" --drop-height 1 -n 400 --threads "$threads" --json | sed -n 's/^  "hash": "\([0-9a-f]*\)".*/\1/p')
    echo "$hash  $name"
  done
}

golden_list() { sed 's/#.*//; s/ *$//; /^$/d' "tests/golden/$1.txt" 2> /dev/null || true; }

golden_scenes() {   # all, or only those that need no qhull
  if [ "$1" = all ]; then printf '%s\n' "${golden_all[@]}"
  else printf '%s\n' "${golden_all[@]}" | grep -vxF -f <(golden_list needs_qhull; echo /); fi
}

golden_expected() {   # all, or only the lines of scenes that need no qhull
  awk 'NR == FNR { wanted[$1] = 1; next } /^#/ { next } $NF in wanted' <(golden_scenes "$1") tests/golden/hashes.txt
}

# golden_row NAME KIND COMPILER FLAGS: builds, runs, compares; the result is one line in $golden/NAME/result.
golden_row() {
  local name=$1 kind=$2 threads which=all t differ=0 first='' lines text
  local folder=$golden/$name
  mkdir -p "$folder"
  case $kind in *aarch64|*wasm) which=cross ;; esac
  case $kind in release|bad-edit) threads='1 2 8' ;; native|aarch64) threads='1 8' ;; *) threads=1 ;; esac
  golden_expected $which > "$folder/expected"
  lines=$(wc -l < "$folder/expected")
  if [ "$kind" != release ] && ! golden_build "$name" "$kind" "$3" "$4" > "$folder/build.log" 2>&1; then
    echo "FAIL does not build: $(grep -m1 -E 'error|known_bad' "$folder/build.log" || echo "see $folder/build.log")" > "$folder/result"; return
  fi
  for t in $threads; do
    if ! golden_run "$name" "$kind" "$t" > "$folder/out.$t" 2> "$folder/err.$t"; then
      echo "FAIL exit code with --threads $t: $(tail -n 1 "$folder/err.$t")" > "$folder/result"
      [[ $kind == bad-* ]] || return 0
    fi
    text=$(diff "$folder/expected" "$folder/out.$t" | awk '/^[<>]/ { print $NF }' | sort -u || true)
    if [ -n "$text" ]; then differ=$((differ > $(wc -l <<< "$text") ? differ : $(wc -l <<< "$text"))) first=${first:-$(head -1 <<< "$text") with --threads $t}; fi
  done
  local fused=0
  case $kind in *native) fused=$(objdump -d --no-show-raw-insn "$folder/impel" | grep -cE '\<v?fn?m(add|sub)' || true) ;; esac
  if [[ $kind == bad-* ]]; then
    if [ "$lines" = 0 ]; then text="FAIL no hashes to compare with"
    elif [ $differ = 0 ]; then text="FAIL a wrong build prints the right hashes: the scenes do not see it"
    else text="ok   caught: $differ of $lines scenes differ"; fi
  elif [ "$lines" = 0 ]; then text="FAIL no hashes to compare with"
  elif [ $differ != 0 ]; then text="FAIL $differ of $lines scenes differ, first $first"
  elif [ "$fused" != 0 ]; then text="FAIL $fused fused multiply-adds in the program"
  else text="ok   $lines scenes, threads ${threads// /, }"; fi
  echo "$text" > "$folder/result"
}

cmd_golden() {
  local mode=full only=() argument rows=() row name kind cc flags short bad=0
  for argument; do
    case $argument in
      --short) mode=short ;; --update) mode=update ;;
      -*) die "golden: --short, --update or names of rows" ;;
      *) mode=only; only+=("$argument") ;;
    esac
  done
  mapfile -t golden_all < <(ls scenes/*.json scenes/parts/*.json scenes/table1/{bowling,dominos,rattleback}.json 2> /dev/null | grep -vxF -f <(golden_list left_out; echo /))
  if [ ${#golden_all[@]} = 0 ] || ! ls cli/*.c > /dev/null 2>&1; then say "skipped: no scenes or no cli yet"; return 0; fi
  quietly golden compile release impel_cli
  while read -r name; do
    [ -f "$name" ] || die "tests/golden/left_out.txt: there is no $name"
    ! build/release/impel hash "$name" > /dev/null 2>&1 || die "$name runs now: take it out of tests/golden/left_out.txt"
  done < <(golden_list left_out)
  if [ $mode = update ]; then
    golden_lines 1 build/release/impel -- "${golden_all[@]}" > build/golden.new ||
      die "impel hash failed: mend the scene, or put it and the reason into tests/golden/left_out.txt"
    [ ! -f tests/golden/hashes.txt ] || ! diff tests/golden/hashes.txt build/golden.new || { say "no change"; return 0; }
    cp build/golden.new tests/golden/hashes.txt
    say "tests/golden/hashes.txt is rewritten; tests/golden/HISTORY.md must name the scenes and the reason"
    return 0
  fi
  [ -f tests/golden/hashes.txt ] || die "tests/golden/hashes.txt is not there; repeat: ./dev golden --update"
  for name in "${golden_all[@]}"; do
    awk -v name="$name" '$NF == name { found = 1 } END { exit !found }' tests/golden/hashes.txt ||
      { say "$name has no line in tests/golden/hashes.txt; ./dev golden --update makes it"; bad=1; }
  done
  golden_sources=$(cat tools/golden.sh src/*.c src/*/*.[ch] cli/*.[ch] validation/*.[ch] include/impel/*.h CMakeLists.txt 2> /dev/null | sha256sum)

  while read -r name kind cc flags short; do
    [ $mode != short ] || [ "$short" = short ] || continue
    [ $mode != only ] || [[ " ${only[*]} " == *" $name "* ]] || continue
    rows+=("$name")
    mkdir -p "$golden/$name"; rm -f "$golden/$name/result"
    while [ "$(jobs -pr | wc -l)" -ge "$jobs" ]; do wait -n || true; done
    golden_row "$name" "$kind" "$cc" "$flags" &
  done < <(golden_rows)
  wait
  [ ${#rows[@]} -gt 0 ] || die "golden: no such row; there are: $(golden_rows | awk '{ printf "%s ", $1 }')"
  for name in "${rows[@]}"; do
    row=$(cat "$golden/$name/result" 2> /dev/null || echo "FAIL no result")
    printf '  %-18s %s\n' "$name" "$row"
    [[ $row == ok* ]] || { bad=1; say "    repeat: ./dev golden $name     look: $golden/$name/"; }
  done
  return $bad
}
