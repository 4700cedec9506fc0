# tolerances.sh -- ./dev tolerances: the test that each tolerance names fails without it.
#
# Each row of tools/tolerances.txt is a file, a constant of it, a value that is wrong by much, and
# the test that must fail then. A copy of the last commit is built with one value at a time, below
# build/tolerances, and only that test is built and run. Names of constants or files choose rows.
# Values without a row are bounds on work, choices of speed, or marked in the tables of
# docs/theory/ as held by no test.
#
# SPDX-License-Identifier: MIT

# set_constant NAME VALUE FILE: of a #define or an enumerator.
set_constant() {
  awk -v name="$1" -v value="$2" '
    !done && $1 == "#define" && $2 == name {
      comment = match($0, / *\/\/.*/) ? substr($0, RSTART) : ""
      $0 = "#define " name " (" value ")" comment
      done = 1
    }
    !done && match($0, "(^|[^A-Z_0-9])" name " *= *[^,}/]*") {
      before = substr($0, 1, RSTART - 1)
      found = substr($0, RSTART, RLENGTH)
      first = substr(found, 1, 1) == substr(name, 1, 1) ? "" : substr(found, 1, 1)
      $0 = before first name " = " value " " substr($0, RSTART + RLENGTH)
      done = 1
    }
    { print }' "$3" > "$3.new"
  cmp -s "$3" "$3.new" && die "tolerances: there is no other value of $1 in $3"
  mv "$3.new" "$3"
}

cmd_tolerances() {
  local tree=build/tolerances file name value test log result missed=0
  mkdir -p "$tree" build/log
  git archive HEAD | tar -x -C "$tree"
  [ -f "$tree/build/gcc/build.ninja" ] || (cd "$tree" && cmake --preset gcc) > build/log/tolerances.log 2>&1 ||
    die "tolerances: no build: build/log/tolerances.log"
  while read -r file name value test <&3; do
    [ $# = 0 ] || [[ " $* " == *" $name "* || " $* " == *" $file "* ]] || continue
    log=$PWD/build/log/tolerances-$name.log
    set_constant "$name" "$value" "$tree/$file"
    (cd "$tree" && cmake --build build/gcc -j "$jobs" --target "$test") > "$log" 2>&1 ||
      die "tolerances: no build with $name $value: $log"
    result="no failure of $test"
    (cd "$tree" && timeout 300 "build/gcc/tests/$test") >> "$log" 2>&1 < /dev/null || result=$test
    [ "$result" = "$test" ] || missed=1
    git show "HEAD:$file" > "$tree/$file"
    printf '%-36s %-24s %-12s %s\n' "${file#src/}" "$name" "$value" "$result"
  done 3< <(sed 's/#.*//; /^ *$/d' tools/tolerances.txt)
  return $missed
}
