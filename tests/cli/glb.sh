#!/usr/bin/env bash
# glb.sh -- runs as .glb files: valid by Khronos' own validator, and bodies where the run has them.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"

check="$SOURCE/viewer/test/glb_check.mjs"
scenes="$SOURCE/scenes"

# plays NAME FILE.glb WORDS...: glb_check.mjs finds nothing wrong
plays() {
    local name=$1
    shift
    command -v node >/dev/null || { ok "$name # skipped: no node here"; return; }
    node "$check" "$@" >out 2>err
    case $? in
    0) ok "$name" ;;
    77) ok "$name # $(head -1 out)" ;;
    *) not_ok "$name" "$(head -3 out)" "$(head -3 err)" ;;
    esac
}

# same NAME SCENE WORDS...: its .glb has every pose of its trace
same() {
    local name=$1 scene=$2
    shift 2
    gives "$name" 0 run "$scene" -q -o run.glb --force "$@"
    gives "$name as a trace" 0 run "$scene" -q -o run.csv --force "$@"
    plays "$name: every pose of the trace" run.glb --trace run.csv
}

same "one of every shape" "$scenes/shape_zoo.json" --every 0.02
same "a ball that bounces" "$scenes/bouncing_ball.json" --every 0.02
# it falls one metre: sqrt(2 / 9.81) s, between two samples
plays "its first bounce is sharp" run.glb --at ball 0.45152364098573 0 0 0.050005
is "a ball at rest needs few keys" "$(wc -c <run.glb | awk '{ print ($1 < 80000) }')" 1
same "a brick that tumbles" "$scenes/tumbling_brick.json" --every 0.02
same "a mesh" "$scenes/dish.json" -t 0.5 --every 0.02

run run "$scenes/bouncing_ball.json" -q -t 1 -o one.glb
run run "$scenes/bouncing_ball.json" -q -t 1 -o two.glb
if cmp -s one.glb two.glb; then ok "equal runs, equal bytes"; else not_ok "equal runs, equal bytes"; fi
is "begins as binary glTF 2" "$(head -c 8 one.glb | od -An -tx1 | tr -d ' \n')" 676c544602000000
is "and tells its length" "$(od -An -tu4 -j8 -N4 one.glb | tr -d ' ')" "$(wc -c <one.glb | tr -d ' ')"
if head -c 200 one.glb | grep -aq "\"generator\": \"impel [0-9.]*\""; then ok "and who wrote it"; else not_ok "and who wrote it"; fi

cat >names.json <<'SCENE'
{ "impel": 1, "about": "\" \\ </script> \u0001", "gravity": [0, 0, 0],
  "materials": { "a\"b\\c\n": { "friction": 0, "restitution": 0 }, "é": { "friction": 0, "restitution": 0 } },
  "bodies": [
    { "name": "say \"hi\", \\ </script>\t\u0001", "material": "a\"b\\c\n", "shape": { "sphere": { "radius": 1 } },
      "velocity": [1, 0, 3], "angular_velocity": [0, 0, 400] },
    { "name": "é\ud83d\ude00 \u202e,", "material": "é", "position": [5, 0, 0],
      "shape": [ { "box": { "size": [1, 1, 1], "radius": 0.1 }, "position": [3, 0, 0] }, { "plane": { "normal": [0, 0, 1] } } ],
      "motion": { "spin": { "axis": [0, 1, 1], "rate": 90 } } },
    { "name": "__proto__", "mass": 1, "inertia": [1, 1, 1], "position": [0, 0, 9] } ],
  "run": { "duration": 0.5, "dt": 0.005, "method": "flight" } }
SCENE
same "names that bite" names.json --every 0.02
plays "are there as they are" run.glb --name $'say "hi", \\ </script>\t\x01' --name __proto__

cat >still.json <<'SCENE'
{ "impel": 1, "bodies": [ { "name": "floor", "fixed": true, "shape": { "plane": { "normal": [0, 0, 1] } } },
                          { "name": "bare", "fixed": true } ], "run": { "duration": 0.1 } }
SCENE
echo '{ "impel": 1, "run": { "duration": 0.1 } }' >empty.json
gives "nothing that moves" 0 run still.json -q -o still.glb
gives "nothing at all" 0 run empty.json -q -o empty.glb
gives "no time at all" 0 run "$scenes/bouncing_ball.json" -q -t 0 -o start.glb
plays "have no animation" still.glb empty.glb start.glb --still

gives "an existing file is refused" 6 run scene.json -q -o one.glb
gives "a folder that is not there" 6 run scene.json -q -o nowhere/x.glb
full=$( (trap '' XFSZ; ulimit -f 0; "$IMPEL" run scene.json -q -o full.glb; echo "exit $?") 2>&1 | cat )
is "a full disk: exit 6" "$(tail -1 <<<"$full")" "exit 6"
is "and no file" "$(ls | grep -c full.glb)" 0
is "no temporary file is left" "$(ls | grep -c tmp)" 0
done_testing
