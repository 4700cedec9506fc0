# heuristics.sh -- ./dev heuristics: which tests fail when a heuristic is switched off.
#
# Each row of the table is a function that decides something by a rule of thumb, and what it returns
# when it is switched off. A copy of the last commit is built without one of them at a time, below
# build/heuristics, and the tests of the rooms of lasting contact run. A heuristic that no test
# misses gets a test or goes.
#
# SPDX-License-Identifier: MIT
heuristics() {
  cat <<'TABLE'
keep_in_cone             src/method/impulse_warm_start.c   -
lacks_clearance          src/method/impulse_microstep.c    false
rounds_lead_to_rest      src/method/impulse_impact.c       false
passed_through_rest      src/method/impulse_friction.c     false
rests_with_less_friction src/method/impulse_sleep.c        false
cap_compliance           src/solve/microstep.c             -
mark_redundant           src/contact/reduction.c           -
put_rim                  src/contact/point.c               -
longest_twist            src/contact/point.c               HUGE_VAL
TABLE
}

# switch_off FUNCTION FILE RESULT: the function returns at once. The parameters stay in use below.
switch_off() {
  local result=${3#-}
  awk -v name="$1" -v result="${result:+ $result}" '
    !open && $0 ~ "^static .*[ *]" name "\\(" { open = 1 }
    { print }
    open == 1 && /\{$/ { print "    volatile int heuristic_is_off = 1;\n    if (heuristic_is_off) return" result ";"; open = 2 }' "$2" > "$2.new"
  cmp -s "$2" "$2.new" && die "heuristics: there is no function $1 in $2"
  mv "$2.new" "$2"
}

cmd_heuristics() {
  local tree=build/heuristics name file result log tests='^test_(contact|method|solve)_' missed=0
  rm -rf "$tree" && mkdir -p "$tree" build/log
  git archive HEAD | tar -x -C "$tree"
  while read -r name file result <&3; do
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    log=$PWD/build/log/heuristics-$name.log
    git show "HEAD:$file" > "$tree/$file"
    switch_off "$name" "$tree/$file" "$result"
    (cd "$tree" && { [ -f build/gcc/build.ninja ] || cmake --preset gcc; } && cmake --build build/gcc -j "$jobs") > "$log" 2>&1 ||
      die "heuristics: no build without $name: $log"
    ctest --test-dir "$tree/build/gcc" -j "$jobs" -R "$tests" >> "$log" 2>&1 < /dev/null || true
    git show "HEAD:$file" > "$tree/$file"
    result=$(sed -n 's/^[\t ]*[0-9]* - \(test_[a-z0-9_]*\) (.*/\1/p' "$log" | tr '\n' ' ')
    printf '%-26s %s\n' "$name" "${result:-no test fails}"
    [ -n "$result" ] || missed=1
  done 3< <(heuristics)
  return $missed
}
