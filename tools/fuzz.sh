# fuzz.sh -- ./dev fuzz [SECONDS] [TARGET...]: libFuzzer on the programs tests/fuzz/fuzz_TARGET.c, 60 s each.
#
# First every seed is replayed once: tests/fuzz/corpus/TARGET/, where inputs that once broke something stay for ever,
# and the scenes. Then the fuzzer goes on from there, in build/fuzz/corpus/TARGET/, which grows from run to run.
#
# SPDX-License-Identifier: MIT
cmd_fuzz() {
  local seconds=60 target targets=() name bad=0 source
  if [[ ${1:-} =~ ^[0-9]+$ ]]; then seconds=$1; shift; fi
  targets=("$@")
  if [ $# = 0 ]; then
    for source in tests/fuzz/fuzz_*.c; do
      [ -f "$source" ] || { say "skipped: tests/fuzz/ is empty"; return 0; }
      name=$(basename "$source" .c); targets+=("${name#fuzz_}")
    done
  fi
  quietly fuzz compile fuzz
  for target in "${targets[@]}"; do
    [ -x "build/fuzz/fuzz_$target" ] || die "fuzz: no target '$target'"
    while [ "$(jobs -pr | wc -l)" -ge "$jobs" ]; do wait -n || true; done
    fuzz_one "$target" "$seconds" &
  done
  wait
  for target in "${targets[@]}"; do
    name=$(cat "build/fuzz/$target.result" 2> /dev/null || echo "FAIL no result")
    printf '  %-12s %s\n' "$target" "$name"
    [[ $name == ok* ]] || { bad=1; tail -n 30 "build/fuzz/$target.log"; }
  done
  return $bad
}

fuzz_one() {
  local target=$1 seconds=$2 program=build/fuzz/fuzz_$1 corpus=build/fuzz/corpus/$1 log=build/fuzz/$1.log seeds=() dictionary=() crash
  local limits=(-timeout=5 -rss_limit_mb=1024 -artifact_prefix="build/fuzz/$target-")
  mkdir -p "$corpus"
  rm -f "build/fuzz/$target-crash-"* "build/fuzz/$target-leak-"* "build/fuzz/$target-timeout-"* "build/fuzz/$target-oom-"* "build/fuzz/$target.result"
  mapfile -t seeds < <(find "tests/fuzz/corpus/$target" -type f 2> /dev/null; case $target in scene|json) ls scenes/*.json 2> /dev/null ;; esac)
  [ ! -f "tests/fuzz/$target.dict" ] || dictionary=(-dict="tests/fuzz/$target.dict")
  if [ ${#seeds[@]} -gt 0 ]; then
    cp -n "${seeds[@]}" "$corpus/" 2> /dev/null || true
    "$program" "${limits[@]}" "${seeds[@]}" > "$log" 2>&1 || { fuzz_fail "$target" "a seed"; return 0; }
  fi
  "$program" "${limits[@]}" "${dictionary[@]}" -max_total_time="$seconds" -print_final_stats=1 "$corpus" > "$log" 2>&1 ||
    { fuzz_fail "$target" "a new input"; return 0; }
  echo "ok   ${#seeds[@]} seeds, $(awk '/number_of_executed_units/ { print $2 }' "$log") runs in $seconds s" > "build/fuzz/$target.result"
}

fuzz_fail() {
  local input
  input=$(sed -n 's/.*Test unit written to //p' "build/fuzz/$1.log" | tail -n 1)
  [ -n "$input" ] || input=$(sed -n 's/^Running: //p' "build/fuzz/$1.log" | tail -n 1)
  echo "FAIL on $2; repeat: build/fuzz/fuzz_$1 $input" > "build/fuzz/$1.result"
}
