#!/usr/bin/env bash
# tools.sh -- info, list, hash and validate.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"

gives "info" 0 info scene.json
holds "its about" out '^about +a brick and a ball over a platter$'
holds "a body" out '^ball +dynamic +sphere +1 '
holds "the floor has no box" out '^floor +fixed +plane +unbounded$'
holds "a listed pair" out '^(steel +lane|lane +steel) +0.04 +0.04 +0.1 +poisson +listed$'
holds "a combined pair" out '^steel +steel +0.3 +0.3 +0.8 +poisson +combined$'
gives "info --json" 0 info scene.json --json
json "is JSON" out
lacks "no line ends in blanks" out ' $'

printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >tet.obj
gives "info on a mesh" 0 info tet.obj --scale 0.01
holds "watertight" out '^watertight +yes'
holds "its size in mm" out '^size +10 10 10 +mm'
holds "its volume" out '^volume +0.166667 +cm\^3'
gives "info on a mesh --json" 0 info tet.obj --json
json "is JSON too" out
head -7 tet.obj >open.obj
gives "an open mesh" 0 info open.obj
holds "is not watertight" out '^watertight +no'

gives "list" 0 list
for shelf in shapes joints motions methods formats; do
    gives "list $shelf" 0 list $shelf
    gives "list $shelf --json" 0 list $shelf --json
    json "list $shelf is JSON" out
done
run list methods
holds "flight is a method" out '^flight '
run list shapes
holds "a sphere is a shape" out '^sphere +radius'
run list motions
holds "translate is a motion" out '^translate +velocity'

gives "hash" 0 hash scene.json
holds "its form" out '^[0-9a-f]{16}  scene.json$'
h=$(cut -d' ' -f1 out)
run run scene.json --json
holds "is that of the run" out "\"hash\": \"$h\""
run hash scene.json scene.json --threads 2
is "twice the same" "$(cut -d' ' -f1 out | sort -u | tr '\n' ' ')" "$h "
run hash scene.json --every 50
is "every 50 steps" "$(awk '{print $2 " " $3}' out | tr '\n' ';')" "50 0.5;100 1;150 1.5;200 2;"
is "the last is the end" "$(tail -1 out | cut -d' ' -f1)" "$h"
gives "one bad scene" 3 hash nowhere.json scene.json
holds "does not hide the others" out "^$h  scene.json"

run run scene.json -q -o a.csv --every 0.5
run run scene.json -q -o b.csv --every 0.5
gives "equal traces" 0 hash a.csv b.csv
is "are called equal" "$(cat out)" equal
sed 's/^1,ball,2,/1,ball,2.5,/' a.csv >c.csv
gives "different traces" 4 hash a.csv c.csv
holds "the place is named" out "first difference: line [0-9]+, t = 1, body 'ball', x$"
holds "and both values" out '  c.csv: 2.5$'
head -4 a.csv >d.csv
gives "a shorter trace" 4 hash a.csv d.csv
is "is told" "$(cat out)" "d.csv ends after line 4, a.csv goes on"

gives "validate --list" 0 validate --list
holds "names the brick" out '^brick '
holds "and its scene" out '^brick .* tumbling_brick$'
gives "validate --list --json" 0 validate --list --json
json "is JSON" out
holds "names the scene's file" out '"scenes/tumbling_brick.json"'
gives "one case" 0 validate brick
holds "its row" out '^brick .*w1\(10\) .*pass$'
holds "the count" out '^[0-9]+ passed, 0 failed$'
gives "one case by method iterated" 0 validate -m iterated newmark
holds "its order" out '^newmark .*order in h, at least .*pass$'
gives "a matrix" 0 validate --method all split painleve
holds "a case of both methods" out '^split +pass 0 +pass 0 +pass 0$'
holds "a case of one method" out '^painleve +pass [0-9.e-]+ +- +-$'
gives "a matrix in Markdown" 0 validate --method all --markdown split
holds "its row" out '^[|] split [|] pass 0 [|] pass 0 [|] pass 0 [|]$'
gives "a matrix as JSON" 0 validate --method all --json split
json "is JSON" out
gives "validate --list of a method" 0 validate --list -m iterated
holds "has cases of its own" out '^tippe '
gives "an unknown method" 2 validate -m implicit
holds "names those there are" err 'give impulse, iterated or all'
gives "a case that does not apply" 2 validate -m iterated painleve
holds "says so" err "case 'painleve' does not apply to method iterated"
# all cases but those of a hundred thousand drops, which the stage `validate` has
mapfile -t short < <("$IMPEL" validate --list | awk 'NR > 1 && $1 != "poses" && $1 != "creep" { print $1 }')
gives "validate --json" 0 validate --json "${short[@]}"
json "is JSON" out
holds "none failed" out '"failed": 0'
done_testing
