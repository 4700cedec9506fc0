# coverage.sh -- ./dev coverage: lines and branches of each file and room that the tests run.
#
# SPDX-License-Identifier: MIT
cmd_coverage() {
  local build=build/coverage
  quietly coverage compile coverage
  find $build -name '*.gcda' -delete
  ctest --test-dir $build -j "$jobs" > build/log/coverage.log 2>&1 || { tail -n 30 build/log/coverage.log; say "some tests failed: the numbers below are low"; }
  find $build/CMakeFiles/impel_objects.dir $build/CMakeFiles/impel_cli.dir -name '*.gcda' 2> /dev/null | sort |
    (cd $build && xargs -r -I{} gcov-"$(gcc -dumpversion)" -b -n ../../{} 2> /dev/null || true) > build/log/gcov.log
  awk -v source="$PWD/" '
    function percent(part, whole) { return whole ? sprintf("%5.1f %%", 100 * part / whole) : "      -" }
    /^File / { file = substr($0, 7, length($0) - 7); sub(source, "", file); sub(/^(\.\.\/)+/, "", file); next }
    file !~ /^(src|cli)\// || file in done { if (/^$/) file = ""; next }
    /^Lines executed/       { split($0, p, /[:%]/); lines[file] = $NF; ran[file] = p[2] * $NF / 100 }
    /^Taken at least once/  { split($0, p, /[:%]/); branches[file] = $NF; took[file] = p[2] * $NF / 100 }
    /^$/ { if (file in lines) done[file] = 1; file = "" }
    END {
      for (f in lines) {
        split(f, path, "/"); room = f ~ /^src\/.*\// ? path[2] : path[1] == "src" ? "impel.c" : path[1]
        L[room] += lines[f]; R[room] += ran[f]; B[room] += branches[f]; T[room] += took[f]
        l += lines[f]; r += ran[f]; b += branches[f]; t += took[f]
        printf "1 %-10s   %-24s %6d %s %6d %s\n", room, f, lines[f], percent(ran[f], lines[f]), branches[f], percent(took[f], branches[f])
      }
      for (room in L) printf "0 %-10s   %-24s %6d %s %6d %s\n", room, "(" room ")", L[room], percent(R[room], L[room]), B[room], percent(T[room], B[room])
      printf "2 %-10s   %-24s %6d %s %6d %s\n", "~", "all", l, percent(r, l), b, percent(t, b)
    }' build/log/gcov.log | sort -k2,2 -k1,1 -k3,3 | cut -c16- |
    { printf '%-24s %6s %7s %6s %7s\n' file lines ran branches taken; cat; }
}
