#!/usr/bin/env bash
# run.sh -- what a run prints and writes, and that it prints the same again.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"

gives "a run" 0 run scene.json
holds "tells the method" out '^method +flight'
holds "tells the time" out '^time +2  s +200 steps of 0.01 s'
holds "tells the bodies" out '^bodies +4 +2 dynamic, 1 fixed, 1 kinematic'
holds "tells the hash" out '^hash [0-9a-f]{16}$'
is "warns of flight on stderr" "$(grep -c 'warning: bodies pass through each other: method flight has no contacts' err)" 1
run run scene.json --quiet
is "--quiet keeps stdout empty" "$(wc -c <out)" 0
holds "--quiet keeps the warning" err 'bodies pass through each other'

# where neither the scene nor the command line names a method, bodies touch
cat >floor.json <<'SCENE'
{ "impel": 1, "materials": { "wood": { "friction": 0.4, "restitution": 0.3 } },
  "bodies": [
    { "name": "floor", "fixed": true, "material": "wood", "shape": { "plane": { "normal": [0, 0, 1] } } },
    { "name": "cube", "material": "wood", "shape": { "box": { "size": [0.1, 0.1, 0.1] } },
      "position": [0, 0, 0.5] } ] }
SCENE
gives "a scene that names no method" 0 run floor.json -t 2
holds "is run by the one with contacts" out '^method +impulse'
lacks "without a word on flight" err 'flight'
gives "its trace" 0 run floor.json -t 2 -q -o floor.csv
lacks "has nothing below the floor" floor.csv '^[^,]*,cube,[^,]*,[^,]*,-'
holds "and the cube on it at the end" floor.csv '^2,cube,[^,]*,[^,]*,0\.0[45]'
gives "what it would be run by" 0 info floor.json
holds "is in its facts" out '^method +not said: impulse'
gives "a joint, which no method moves yet" 3 run "$SOURCE/scenes/swinging_door.json"
holds "is refused by name" err "joint 'hinge': method impulse cannot move a hinge; it knows free bodies only"
holds "and the choice explained" err 'no method is named, so impulse was taken; this build knows flight, impulse'

gives "--json" 0 run scene.json --json
json "is one JSON value" out
for key in schema version scene method seed time steps dt hash bodies energy momentum certificate counts warnings timing; do
    holds "--json has $key at the top" out "^  \"$key\": "
done
holds "the schema" out '"schema": "impel-run-2"'
holds "the hash has 16 digits" out '"hash": "[0-9a-f]{16}"'
is "four bodies, not the world" "$(grep -c '"angular_velocity"' out)" 4
holds "the time is exact" out '^  "time": 2,$'
without_timing() { sed '/"timing"/,$d' "$1"; }
without_timing out >first
run run scene.json --json
without_timing out >second
if cmp -s first second; then ok "equal runs, equal bytes"; else not_ok "equal runs, equal bytes" "$(diff first second | head -3)"; fi
for threads in 1 2 8; do
    run run scene.json --json --threads $threads
    without_timing out >second
    if cmp -s first second; then ok "$threads threads, equal bytes"; else not_ok "$threads threads, equal bytes"; fi
done
lacks "no threads outside timing" first '"threads"'

# exact time: 0.7 is no multiple of 0.1 in binary, 7 * 0.1 is another number
run run scene.json -t 0.7 --dt 0.1 --json
holds "the last step ends at T" out '^  "time": 0.7,$'
holds "in seven steps" out '^  "steps": 7,$'
run run scene.json -t 0.25 --dt 0.1 --json
holds "the last step is shortened" out '^  "time": 0.25,$'
run run scene.json -t 0 --json
holds "no time, no steps" out '^  "steps": 0,$'

ball="$SOURCE/scenes/bouncing_ball.json"
run run "$ball" -t 1 -q --json && grep '"hash"' out >own
holds "the smallest gap is that of a contact" out '^    "gap": [1-9.]+[0-9]*e-0[567],$'
gives "the same for people" 0 run "$ball" -t 1
holds "with the gap, and how often all pairs were checked" out '^gap +[0-9.e-]+ +m +smallest gap of any pair; all pairs checked 1 time$'
run run "$ball" -t 2.5 --json -q
holds "every hundredth step and at the end" out '^    "looks_at_all_pairs": 3,$'
cat >cradle.json <<'END'
{"impel": 1, "gravity": [0, 0, 0], "materials": {"m": {"friction": 0, "restitution": 1}}, "bodies": [
 {"name": "b0", "material": "m", "mass": 1, "shape": {"sphere": {"radius": 0.5}}, "position": [-0.25, 0, 0], "velocity": [3, 0, 0]},
 {"name": "b1", "material": "m", "mass": 1, "shape": {"sphere": {"radius": 0.5}}, "position": [1, 0, 0]},
 {"name": "b2", "material": "m", "mass": 1, "shape": {"sphere": {"radius": 0.5}}, "position": [2, 0, 0]},
 {"name": "b3", "material": "m", "mass": 1, "shape": {"sphere": {"radius": 0.5}}, "position": [3, 0, 0]}]}
END
gives "balls that touch at rest, one that strikes them" 0 run cradle.json --method impulse -t 0.25 --dt 0.001 --json
holds "are looked at, and overlap nowhere" out '^    "looks_at_all_pairs": 3,$'
gives "where nobody is looked at" 0 run scene.json --method flight --json
holds "there is none" out '^    "gap": null,$'
gives "another contact band" 0 run "$ball" -t 1 --band 2e-4 --json
if grep '"hash"' out | cmp -s - own; then not_ok "it counts"; else ok "it counts"; fi
gives "a band of nothing" 2 run "$ball" --band 0
gives "a band of a tenth of the ball" 0 run "$ball" -t 0.1 --band 0.01 -q
holds "is warned of" err 'contact_band 0.01 m is more than a twentieth of the smallest body'
gives "and refused where warnings are errors" 3 run "$ball" -t 0.1 --band 0.01 --strict
gives "one as wide as the ball is refused" 3 run "$ball" -t 0.1 --band 0.1
holds "with the rule" err 'contact_band 0.1 m; it must be less than half of the smallest body that moves, 0.05 m'
gives "one that is finer than rounding" 0 run "$ball" -t 0.1 --band 1e-20 -q
holds "is warned of, too" err 'contact_band 1e-20 m is finer than places are known'

gives "more samples than can be counted" 5 run scene.json -o never.csv --every 1e-300 -q
gives "a seed of 0" 2 run scene.json --seed 0
gives "samples" 0 run scene.json -o trace.csv --every 0.5 -q
is "the header" "$(head -1 trace.csv | tr -d '\r')" "t,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"
is "at 0, 0.5, 1, 1.5, 2" "$(tail -n +2 trace.csv | cut -d, -f1 | uniq | tr '\n' ' ')" "0 0.5 1 1.5 2 "
run run scene.json --json
h1=$(grep '"hash"' out)
run run scene.json --json -o odd.csv --every 0.0033
is "sampling between steps changes nothing" "$(grep '"hash"' out)" "$h1"
gives "an existing file is refused" 6 run scene.json -o trace.csv -q
is "and the way out is named" "$(tail -1 err)" "impel run: trace.csv: exists already; --force replaces it"
gives "--force replaces it" 0 run scene.json -o trace.csv --force -q
mkdir folder.csv
gives "a directory is refused" 6 run scene.json -o folder.csv -q
gives "even by force" 6 run scene.json -o folder.csv -q --force
gives "a folder that is not there" 6 run scene.json -o nowhere/x.csv -q
gives "an ending nobody knows" 2 run scene.json -o x.xyz -q
gives "jsonl" 0 run scene.json -o x.jsonl --every 1 -q
head -1 x.jsonl >line
json "each line is JSON" line
gives "a ball that falls asleep" 0 run "$ball" -t 8 --contacts ball.csv --stats
is "its weight is listed every step" "$(grep -c ',rests,' ball.csv | awk '{ print ($1 > 200) }')" 1
is "and is what it rests with" "$(awk -F, '/,rests,/ { last = $12 } END { printf "%.6f", last }' ball.csv)" 0.051365
is "the mean is the weight" "$(awk '$1 == "ball" && $2 == "floor" { print ($5 > 5.1 && $5 < 5.3) }' out)" 1

# a window that begins and ends within steps; the ball sleeps from 4.1 s on
gives "a window of --stats" 0 run "$ball" -t 8 --stats --stats-from 6.0123 --stats-to 7.987
holds "is told" out '^forces are means over 1.9747 s, from 6.0123 to 7.987$'
is "the mean in it is the weight, and nothing happens" "$(awk '$1 == "ball" { print $3, $4, $5 }' out)" "0 0 5.1365"
gives "the same as JSON" 0 run "$ball" -t 8 --stats --stats-from 6.0123 --stats-to 7.987 --json
json "which is JSON" out
is "with the window" "$(grep -A2 '"window"' out | tr -d ' \n')" '"window":{"from":6.0123,"to":7.987'
is "the mean force and torque" "$(awk '/"force"|"torque"/ { gsub(/[][,]/, " "); printf "%.4f ", $4 }' out)" "5.1365 0.0000 "
gives "a window with both ends left out" 0 run "$ball" -t 8 --stats --json
is "is the whole run" "$(grep -A2 '"window"' out | tr -d ' \n')" '"window":{"from":0,"to":8'
cp out whole
run run "$ball" -t 8 --stats --json --stats-to 0.7 && cp out halves
run run "$ball" -t 8 --stats --json --stats-from 0.7 && cat out >>halves
is "two windows add up to it" "$(awk '/"pairs"/ { on = 1 } /"warnings"/ { on = 0 } on && $1 == "\"normal\":" { s += $2 } on && /"collisions"/ { n += $2 } END { printf "%d %.9f", n, s }' halves)" \
   "$(awk '/"pairs"/ { on = 1 } /"warnings"/ { on = 0 } on && $1 == "\"normal\":" { s += $2 } on && /"collisions"/ { n += $2 } END { printf "%d %.9f", n, s }' whole)"
is "and the energy by cause is of the whole run" "$(grep -A6 '"dissipation"' halves | head -7)" "$(grep -A6 '"dissipation"' whole)"
gives "three blocks pushed at last" 0 run "$SOURCE/scenes/pusher.json" --stats --stats-from 3
is "the push is 3 mu m g" "$(awk '$1 == "block.0" && $2 == "wall" { print ($5 > 23.544 * 0.999 && $5 < 23.544 * 1.001) }' out)" 1
gives "a window that ends before it begins" 2 run "$ball" -t 8 --stats --stats-from 3 --stats-to 2
is "the text of it" "$(head -1 err)" "impel run: what --stats tells is from 3 to 2 s; it must begin before it ends"
gives "one of no length" 2 run "$ball" -t 8 --stats --stats-from 2 --stats-to 2
gives "one that begins when all is over" 2 run "$ball" -t 8 --stats --stats-from 8
gives "one that ends later than the run" 2 run "$ball" -t 8 --stats --stats-to 9
is "the text of it" "$(head -1 err)" "impel run: --stats-to 9; the run ends at 8 s"
gives "one that is no number" 2 run "$ball" --stats --stats-from now
gives "one before the start" 2 run "$ball" --stats --stats-from=-1
gives "one without --stats" 2 run "$ball" --stats-to 1
is "the text of it" "$(head -1 err)" "impel run: --stats-from and --stats-to say when the forces of --stats are told; they need --stats"
gives "contacts" 0 run scene.json --contacts c.csv -q
is "its header" "$(head -1 c.csv)" "t,a,b,x,y,z,nx,ny,nz,px,py,pz,ux,uy,uz,vx,vy,vz,gap,feature,mode,micro,energy,driven"
gives "contacts are not overwritten" 6 run scene.json --contacts c.csv -q
gives "contacts and samples in one file" 2 run scene.json --contacts y.csv -o y.csv -q
full=$( (trap '' XFSZ; ulimit -f 0; "$IMPEL" run scene.json --contacts full.csv -q; echo "exit $?") 2>&1 | cat )
is "contacts on a full disk: exit 6" "$(tail -1 <<<"$full")" "exit 6"
is "and no file" "$(ls | grep -c full.csv)" 0
ln -s scene.json link.csv
gives "contacts do not go through a link" 6 run scene.json --contacts link.csv --force -q
gives "nor over a device" 6 run scene.json --contacts /dev/null --force -q
if [ -c /dev/null ] && [ -L link.csv ]; then ok "and both are still there"; else not_ok "and both are still there"; fi
cp scene.json before.json
gives "the scene is not overwritten" 6 run scene.json --contacts scene.json --force -q
if cmp -s scene.json before.json; then ok "and is whole"; else not_ok "and is whole"; fi
is "no temporary file is left" "$(ls | grep -c tmp)" 0

german=$(locale -a 2>/dev/null | grep -im1 "^de_DE" || true)
[ ! -d "${LOCPATH:-/none}/de_DE.UTF-8" ] || german=de_DE.UTF-8   # made for the tests
if [ -n "$german" ]; then
    LC_ALL=$german "$IMPEL" run scene.json --json >out 2>err
    without_timing out >second
    if cmp -s first second; then ok "a German locale, equal bytes"; else not_ok "a German locale, equal bytes"; fi
else
    ok "a German locale, equal bytes # skipped: no de_DE here"
fi
done_testing
