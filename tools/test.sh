# test.sh -- ./dev test: every check, in stages, with one count at the end.
#
# A stage that is a CTest run counts each cmocka test inside its programs and each script; any other counts as one.
# Every failure shows the end of its log and the one command that repeats it.
#
# SPDX-License-Identifier: MIT
test_stages() {
  cat <<'TABLE'
viewer    the template of pages, bundled
quick     only when named: that build and the tests that take a second or two
format    all C and headers are laid out as .clang-format says
gcc       release build by gcc, warnings are errors
clang     compiled by clang, warnings are errors
dev       build with asserts, address and undefined-behaviour sanitizers
unit      the tests in that build
release   the tests at -O3, symbols, installation
validate  every case with a known answer
page      the viewer and pages of real runs, in a browser
golden    the same bits everywhere, short
fuzz      readers under libFuzzer, 8 s each
TABLE
}

stage_viewer()   { viewer_packages && viewer_make; }
stage_page()     { built gcc && viewer_pages build/gcc/impel && IMPEL_PAGES=$PWD/build/viewer/real node --test viewer/test/*.test.mjs; }
stage_format()   { cmd_format --check; }
stage_gcc()      { compile gcc; }
# quick: all but those that take long, so that it ends within a minute where the build is up to date.
slow_tests='^(release_|cli_(tools|poses|scenes|violation|recording|full|bench|signals)|laws_(docs|api|purity)|test_drop_(families|drops)|test_droptest'
slow_tests+='|test_method_impulse_(friction|symmetry|scales|rolling|soak)|test_collide_(distance_soak|overlap|vclip|rounded|impact_time_chance))'
stage_quick()    { built gcc && ctest --test-dir build/gcc -j "$jobs" --output-on-failure --no-tests=error -E "$slow_tests"; }
stage_clang()    { compile clang; }
stage_dev()      { compile dev; }
stage_unit()     { built dev && run_ctest dev; }
stage_release()  { built gcc && run_ctest gcc; }
stage_golden()   { cmd_golden --short; }
stage_fuzz()     { cmd_fuzz 8; }
stage_validate() {
  built gcc && build/gcc/impel validate
}
built() { compile "$1" > "build/log/built-$1.log" 2>&1 || { say "the build fails: ./dev test $1 shows how"; return 1; }; }

run_ctest() { ctest --test-dir "build/$1" -j "$jobs" --output-on-failure --no-tests=error; }

# count_ctest PRESET: "passed failed" from the log of its last run.
count_ctest() {
  awk '
    / Testing: / { inside = 1; good = bad = 0 }
    inside && /^\[  PASSED  \] [0-9]+ test/ { good += $4 }
    inside && /^\[  FAILED  \] [0-9]+ test/ { bad += $4 }
    inside && /^Test (Passed|Failed|timeout|time-out)/ || /^Test not found/ || /^\*\*\*/ {
      if (!inside) next
      if (/^Test Passed/ && !bad) passed += good ? good : 1
      else { passed += good; failed += bad ? bad : 1 }
      inside = 0
    }
    END { print passed + 0, failed + 0 }' "build/$1/Testing/Temporary/LastTest.log"
}

# test_failure LOG: what went wrong, without what went well before it.
test_failure() {
  if grep -q ' tests failed out of ' "$1"; then
    awk '/^ *[0-9]+\/[0-9]+ Test +#/ { show = /\*\*\*/ } /^ +Start +[0-9]+:/ || /^ *[0-9]+% tests passed/ { show = 0 }
         show && !/^\[ +(RUN|OK) +\]|^\[ RUN|^$/' "$1"
  else
    grep -vE '^\[[0-9]+/[0-9]+\] |^-- ' "$1"
  fi
}

cmd_test() {
  local stage what wanted=("$@") total=0 passed=0 failed=0 log start preset good wrong seconds name began=$SECONDS
  for stage in "${wanted[@]}"; do
    test_stages | awk -v s="$stage" '$1 == s { found = 1 } END { exit !found }' || { test_stages; die "test: no stage '$stage'"; }
  done
  mkdir -p build/log
  while read -r stage what <&3; do
    [ ${#wanted[@]} = 0 ] && [ "$stage" != quick ] || [[ " ${wanted[*]} " == *" $stage "* ]] || continue
    log=build/log/test-$stage.log start=$SECONDS good=0 wrong=0 total=$((total + 1))
    printf '%-9s %-66s ' "$stage" "$what"
    case $stage in unit) preset=dev ;; release | quick) preset=gcc ;; *) preset= ;; esac
    [ -z "$preset" ] || rm -f "build/$preset/Testing/Temporary/"Last*
    if (set -e; "stage_$stage") > "$log" 2>&1 < /dev/null; then good=1; else wrong=1; fi
    if [ -n "$preset" ] && [ -f "build/$preset/Testing/Temporary/LastTest.log" ]; then
      local all=$wrong
      read -r good wrong <<< "$(count_ctest $preset)"
      [ "$all" = 0 ] || [ "$wrong" != 0 ] || wrong=1
    fi
    if [ -z "$preset" ] && grep -q '^# pass [0-9]' "$log"; then   # node counts its tests
      good=$(awk '/^# pass / { n = $3 } END { print n + 0 }' "$log") wrong=$(awk -v w=$wrong '/^# fail / { n = $3 } END { print n ? n : w }' "$log")
    fi
    seconds=$((SECONDS - start)) passed=$((passed + good)) failed=$((failed + wrong))
    if [ $wrong = 0 ]; then
      if grep -q '^skipped: ' "$log"; then printf 'skipped %5d s   %s\n' $seconds "$(grep -m1 '^skipped: ' "$log")"; passed=$((passed - good))
      elif [ -n "$preset" ] || [ $good -gt 1 ]; then printf 'ok      %5d s   %d tests\n' $seconds $good
      else printf 'ok      %5d s\n' $seconds; fi
      continue
    fi
    printf 'FAILED  %5d s\n' $seconds
    test_failure "$log" | tail -n 80 | sed 's/^/    /'
    say "    all of it: $log"
    if [ -n "$preset" ] && [ -f "build/$preset/Testing/Temporary/LastTestsFailed.log" ]; then
      while IFS=: read -r _ name; do
        say "    repeat: ctest --test-dir build/$preset --output-on-failure -R '^$name\$'"
      done < "build/$preset/Testing/Temporary/LastTestsFailed.log"
    else
      say "    repeat: ./dev test $stage"
    fi
  done 3< <(test_stages)
  say
  say "$((SECONDS - began)) s in all"
  say "$passed passed, $failed failed"
  [ $failed = 0 ]
}
