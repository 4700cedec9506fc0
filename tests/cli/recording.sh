#!/usr/bin/env bash
# recording.sh -- recordings from the command line: written, converted, compared, refused.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"

ball="$SOURCE/scenes/bouncing_ball.json"
gives "a recording" 0 run "$ball" -t 1 -o a.rec
holds "is named" out '^samples: a.rec \([0-9]+\)'
run run "$ball" -t 1 -o b.rec --threads 3 -q
if cmp -s a.rec b.rec; then ok "equal runs, equal bytes"; else not_ok "equal runs, equal bytes"; fi
run run "$ball" -t 0 -o zero1.rec -q
run run "$ball" -t 1 --seed 7 -o seed.rec -q
gives "another seed" 4 hash a.rec seed.rec
holds "is told" out "^the frames are equal; the seeds differ: '1', '7'"
printf -v escaped 'a\033[31mred\xff.json'
cp "$ball" "$escaped"
gives "a name with escapes and bytes that are no text" 0 run "$escaped" -t 0.1 -q -o escaped.rec
gives "is converted" 0 convert escaped.rec escaped.csv
is "without them" "$(tr -d '\n' <out | LC_ALL=C tr -d '[:print:]' | wc -c)" 0
gives "two of a run" 0 hash a.rec b.rec
is "are equal" "$(cat out)" equal
run run "$ball" -t 1 --json
want=$(sed -n 's/.*"hash": "\(.*\)".*/\1/p' out)
gives "one alone" 0 hash a.rec
is "has the hash of the run's end" "$(cut -d' ' -f1 out)" "$want"
is "a recording tells no folder" "$(grep -c "$SOURCE" a.rec)" 0

sed 's/"position": \[0, 0, 1.05/"position": [0, 0, 1.0500000001/' "$ball" >other.json
cmp -s "$ball" other.json && not_ok "the other scene is another"
run run other.json -t 1 -o c.rec -q
gives "two runs that part" 4 hash a.rec c.rec
holds "where they part is told" out '^first difference: step [0-9]+, t = [0-9.e-]+ s: '
run run "$ball" -t 0.5 --every 0.01 -o d.rec -q
gives "one that ends earlier" 4 hash a.rec d.rec
holds "is told, too" out 'd.rec ends before step [0-9]+, a.rec goes on'
run run scene.json -o e.rec -q
gives "two of other scenes" 4 hash a.rec e.rec
holds "are told apart" out 'different scenes'
gives "three at once" 2 hash a.rec b.rec c.rec

gives "samples from a recording" 0 convert a.rec a.csv
run run "$ball" -t 1 -o direct.csv -q --every 0.01
if cmp -s a.csv direct.csv; then ok "are those of the run, all 17 digits"; else not_ok "are those of the run" "$(diff a.csv direct.csv | head -4)"; fi
gives "and as JSON lines" 0 convert a.rec a.jsonl -q
gives "a recording of a recording" 0 convert a.rec again.rec -q
if cmp -s a.rec again.rec; then ok "is the same"; else not_ok "is the same"; fi
gives "over a file that is there" 6 convert a.rec a.csv
gives "with --force" 0 convert a.rec a.csv --force -q
gives "onto itself" 6 convert a.rec a.rec --force
gives "to nothing known" 2 convert a.rec a.mp4
gives "from nothing known" 3 convert a.csv b.html
gives "from nowhere" 3 convert nowhere.rec x.csv
is "leaves no file" "$(ls x.csv* 2>/dev/null)" ""
gives "a run into nothing known" 2 run "$ball" -o a.mp4

size=$(wc -c <a.rec)
head -c $((size - 9)) a.rec >cut.rec
gives "cut short" 8 convert cut.rec cut.csv
is "one sentence" "$(wc -l <err)" 1
holds "which says so" err '^cut.rec: .*(cut short|changed)'
is "nothing half written" "$(ls cut.csv* 2>/dev/null)" ""
{ head -c 20000 a.rec; printf 'X'; tail -c +20002 a.rec; } >flipped.rec
gives "changed" 8 convert flipped.rec flipped.csv
holds "says where" err '^flipped.rec: the chunk at byte [0-9]+ has been changed'
gives "comparing it" 8 hash a.rec flipped.rec
{ head -c 8 a.rec; printf '\005'; tail -c +10 a.rec; } >future.rec
gives "of another version" 8 convert future.rec x.csv
holds "says both" err '^future.rec: a recording of version 5; this build reads version 4'
cp "$ball" scene.rec
gives "a scene under a wrong name" 3 hash scene.rec
holds "is no recording" err 'scene.rec: a scene is no recording; .* take it, where its name ends in .json$'
printf 'nothing known' >noise.rec
gives "noise under the name of a recording" 8 hash noise.rec
holds "is none" err 'noise.rec: no recording; it must begin with the letters IMPELREC'
gives "errors as JSON" 8 convert future.rec x.csv --errors=json
holds "have their kind" err '"kind": "damaged"'
: >empty.rec
gives "empty" 8 convert empty.rec x.csv

# --- what a killed run has left --------------------------------------------------------------------------------------
size=$(wc -c <a.rec)
for cut in 9 200 5000 20000; do
    head -c $((size - cut)) a.rec >rest.tmp
    gives "$cut bytes cut off" 0 convert --salvage rest.tmp -o saved.rec --force
    holds "so many frames are saved" out '^saved: [0-9]+ frames, to [0-9.]+ s of 1 s; salvaged: [0-9]+ bytes after the last whole frame were left out$'
    frames=$(sed -n 's/^saved: \([0-9]*\) frames.*/\1/p' out)
    gives "it is a recording" 0 convert saved.rec saved.csv --force
    holds "which was interrupted" out "^saved.csv: $frames frames .*, interrupted\$"
    if cmp -s saved.csv <(head -"$(wc -l <saved.csv)" a.csv); then ok "of the run's first samples"; else not_ok "of the run's first samples"; fi
    if [ "$frames" -gt 1 ]; then gives "that can be replayed" 0 replay saved.rec; fi
done
gives "of a whole one" 0 convert --salvage a.rec saved.rec --force
holds "nothing is missing" out '; nothing is missing$'
if cmp -s a.rec saved.rec; then ok "nothing is changed"; else not_ok "nothing is changed"; fi
head -c 500 a.rec >rest.tmp
gives "of no frame" 8 convert --salvage rest.tmp -o none.rec
holds "is refused" err '^rest.tmp: not whole up to the end of its scene, so that no frame of it can be saved; it has 500 bytes$'
is "and leaves nothing" "$(ls none.rec* 2>/dev/null)" ""
gives "of nothing" 8 convert --salvage empty.rec -o none.rec
gives "a rest without --salvage" 2 convert rest.tmp none.rec
holds "names it" err "the name of a recording must end in .rec, or --salvage must say"
"$IMPEL" run "$ball" -t 1e6 -o killed.rec -q 2>/dev/null &
for _ in $(seq 100); do
    rest=$(ls killed.rec.tmp.* 2>/dev/null)
    [ -z "$rest" ] || [ "$(wc -c <"$rest")" -lt 20000 ] || break
    sleep 0.05
done
kill -9 $!
wait $! 2>/dev/null
gives "of a run that was killed" 0 convert --salvage "$rest" -o killed.rec
holds "its frames are there" out '^saved: [0-9]+ frames, to [0-9.e+]+ s of 1e\+06 s; salvaged: '
gives "and replayed" 0 replay killed.rec
holds "bit for bit" out 'frames equal, bit for bit'
rm -f "$rest" killed.rec

gives "a replay of nothing" 3 replay zero1.rec
gives "a replay" 0 replay a.rec
holds "ends in the same bits" out '^steps 0 to 100 replayed: [0-9]+ frames equal, bit for bit$'
gives "from a step" 0 replay a.rec --from 50 --threads 2
holds "starts there" out '^steps 50 to 100 replayed'
gives "of something damaged" 8 replay flipped.rec
gives "of nothing" 2 replay

cat >press.json <<'SCENE'
{ "impel": 1, "about": "a press that leaves no room", "gravity": [0, 0, -9.81],
  "materials": { "steel": { "friction": 0.3, "restitution": 0.2 } },
  "bodies": [
    { "name": "bed", "fixed": true, "material": "steel", "shape": { "plane": { "normal": [0, 0, 1] } } },
    { "name": "part", "material": "steel", "shape": { "sphere": { "radius": 0.05 } }, "position": [0, 0, 0.06] },
    { "name": "ram", "material": "steel", "shape": { "box": { "size": [0.2, 0.2, 0.1] } }, "position": [0, 0, 0.3],
      "motion": { "vibrate": { "amplitude": [0, 0, 0.25], "frequency": 0.5, "phase": 3.1 } } } ],
  "run": { "duration": 1, "dt": 0.01, "method": "impulse" } }
SCENE
gives "a press that leaves no room" 4 run press.json -q
holds "is stopped with the bodies named" err "stopped at step 21, t = 0.21 s: body 'part' is wedged between kinematic body 'ram' and 'bed'"
holds "tells where its last steps are" err "press.fail.rec; 'impel replay press.fail.rec' repeats it"
gives "which come to it again" 4 replay press.fail.rec
holds "in the same words" out '^the same verdict: step 21: body .part. is wedged between kinematic body .ram.'
holds "from five steps before" out '^steps 17 to 21 replayed: 4 frames equal'
gives "a good run" 0 run "$ball" -t 0.1 -q
is "leaves no such file" "$(ls bouncing_ball.fail.rec 2>/dev/null)" ""
gives "a recording of a stopped run" 4 run press.json -q -o press.rec
gives "is whole" 0 convert press.rec press.csv
holds "and says how it ended" out 'stopped$'

gives "a run of no time" 0 run "$ball" -t 0 -o zero.rec -q
gives "has one frame" 0 convert zero.rec zero.csv
holds "says so" out '^zero.csv: 1 frames'
gives "without a floor to rest on, standard input" 0 run - -o stdin.rec -q <scene.json
done_testing
