# check.bash -- what the tests of the command line share: run a command, look at its exit code and its words.
#
# Sourced, not run. IMPEL is the program, SOURCE the root of the repository. Each test works in a folder of its own.
# SPDX-License-Identifier: MIT

: "${IMPEL:?IMPEL must name the program}"
IMPEL=$(realpath "$IMPEL")
unset NO_COLOR
passed=0
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

ok() { passed=$((passed + 1)); echo "ok - $1"; }
not_ok() { failed=$((failed + 1)); echo "not ok - $1"; shift; printf '#   %s\n' "$@"; }

# run WORDS...: fills code, out (a file), err (a file)
run() { "$IMPEL" "$@" >out 2>err; code=$?; }

# gives NAME CODE WORDS...: the command ends with that code
gives() {
    local name=$1 want=$2
    shift 2
    run "$@"
    if [ "$code" = "$want" ]; then ok "$name"; else not_ok "$name" "exit $code, not $want: impel $*" "$(head -3 err)"; fi
}

# is NAME GOT WANT
is() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "got:  $2" "want: $3"; fi; }

# holds NAME FILE PATTERN (of grep -E)
holds() { if grep -qE -- "$3" "$2"; then ok "$1"; else not_ok "$1" "no line like: $3" "$(head -3 "$2")"; fi; }

# lacks NAME FILE PATTERN
lacks() { if grep -qE -- "$3" "$2"; then not_ok "$1" "$(grep -E -m1 -- "$3" "$2")"; else ok "$1"; fi; }

# json NAME FILE: one JSON value and nothing else. Every value is folded into V until one is left.
json() {
    local left
    left=$(tr -d '\n' <"$2" | awk '{
        gsub(/"([^"\\]|\\.)*"/, "S"); gsub(/[ \t]+/, "")
        gsub(/-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/, "V"); gsub(/true|false|null/, "V")
        do { before = $0
             gsub(/S:[SV]/, "P"); gsub(/\{(P(,P)*)?\}/, "V"); gsub(/\[([SV](,[SV])*)?\]/, "V")
        } while ($0 != before)
        print }')
    is "$1" "$left" V
}

done_testing() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}

# A brick that tumbles, a ball that falls, a floor, a platter: everything that flight knows.
cat >scene.json <<'SCENE'
{ "impel": 1, "about": "a brick and a ball over a platter", "source": "tests/cli",
  "gravity": [0, 0, -9.81],
  "materials": { "steel": { "friction": 0.3, "restitution": 0.8, "density": 7850 }, "lane": { "friction": 0.1, "restitution": 0 } },
  "pairs": [ { "between": ["steel", "lane"], "friction": 0.04, "restitution": 0.1, "law": "poisson" } ],
  "bodies": [
    { "name": "floor", "fixed": true, "material": "lane", "shape": { "plane": { "normal": [0, 0, 1], "offset": 0 } } },
    { "name": "brick", "material": "steel", "shape": { "box": { "size": [0.1, 0.2, 0.3] } }, "position": [0, 0, 3],
      "velocity": [1, 0, 2], "angular_velocity": [3, 1, 6] },
    { "name": "ball", "material": "steel", "shape": { "sphere": { "radius": 0.1 } }, "mass": 1, "position": [2, 0, 1] },
    { "name": "platter", "material": "lane", "shape": { "cylinder": { "radius": 0.5, "height": 0.02 } },
      "motion": { "spin": { "axis": [0, 0, 1], "rate": 3 } } } ],
  "run": { "duration": 2, "dt": 0.01, "method": "flight" } }
SCENE
