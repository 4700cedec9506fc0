#!/usr/bin/env bash
# violation.sh -- a step that gets a verdict: stop, warn, retry by halves; and scenes that start with bodies inside each other.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"

hash_of() { sed -n 's/^hash //p' "$1"; }
count_of() { sed -n "s/.*\"$2\": \([0-9]*\).*/\1/p" "$1" | head -1; }
ball="$SOURCE/scenes/bouncing_ball.json"
brick="$SOURCE/scenes/tumbling_brick.json"
block="$SOURCE/scenes/sliding_block.json"
platter="$SOURCE/scenes/table1/ball_on_platter.json"

# Nothing is exact to 1e-18: with that the judge refuses a third step, which is as good as any.
gives "a certificate that fails stops the run" 4 run "$ball" --tolerance 1e-18 --json
holds "it says what is off, by how much, and its limit" err 'step 2, t = 0\.02 s: .*energy is off by -?[0-9.e-]+ J \(limit [0-9.e-]+ J\)'
holds "and that it touched nothing" err '\(limit [0-9.e-]+ J\); nothing touched it$'
holds "what made the step, and how well" err '^note: method impulse: looks [0-9]+, events 0, impulses 0 in that step; residuals: approach 0 m/s, pull 0 N s, cone 0 N s, slip 0 J$'
is "the steps before it count" "$(count_of out steps)" 2
holds "the run is marked" out '"status": "violated"'
gives "what was left replays, by the same tolerance" 4 replay bouncing_ball.fail.rec
holds "to the same verdict" out '^the same verdict: step 2: '

vector='\(-?[0-9.e-]+, -?[0-9.e-]+, -?[0-9.e-]+\)'
gives "one that touches something" 4 run "$block" --tolerance 1e-18
holds "names both, the contact, where it is, and its impulse" err "body 'block': .*\\); contact [0-9]+ of [0-9]+, with body 'slope' at $vector m: impulse $vector N s\$"
gives "and so does the replay, word by word" 4 replay sliding_block.fail.rec
holds "to its last word" out "^the same verdict: step 0: .* N s\$"

run run "$ball"
plain=$(hash_of out)
holds "the worst of every part stands beside its limit" out '^worst of all steps +limit +0 in a perfect world$'
holds "in joules" out '^  energy +-?[0-9.e-]+ +[0-9.]+e-0[78]  J +created by a step$'
holds "half the band" out '^  overlap +0 +5e-06  m +deepest penetration$'
holds "none where nothing is judged" out '^  level_violation +0 +-  m +nearer than the contact level$'
holds "nothing at all for what comes too early" out '^  order +0 +0  s +an event before the one before it$'
run run "$ball" --json
is "all of them as JSON" "$(sed -n '/"limits"/,/}/p' out | grep -c ': [0-9n]')" 13
lacks "a run as usual has no halves" out halved
gives "warn goes on, and fails in the end" 4 run "$ball" --tolerance 1e-18 --on-violation warn -o warn.rec
is "with the bits of a run that nobody judges" "$(hash_of out)" "$plain"
holds "it counts by what was off, beside the limit that was not kept" out '^  energy +-?[0-9.e-]+ +[0-9.]+e-1[0-9]  J +created by a step; beyond its limit in [0-9]+ steps'
is "ten of them are told" "$(grep -c '^warning: step [0-9]*, t = .*; the run goes on$' err)" 10
is "and that there are more" "$(grep -c '^warning: so it goes on' err)" 1
holds "what it comes to" err 'the certificate failed in [0-9]+ of 500 steps; --accept would let that pass'
gives "its recording replays, by the same rules" 0 replay warn.rec
holds "whole" out '^steps 0 to 500 replayed: [0-9]+ frames equal'
gives "--accept accepts" 0 run "$ball" --tolerance 1e-18 --on-violation warn --accept --json
violations=$(grep -A1 '"violations"' out | sed -n 's/.*"steps": \([0-9]*\).*/\1/p')
if [ "${violations:-0}" -gt 100 ]; then ok "and counts"; else not_ok "and counts" "$violations violations"; fi
json "as JSON" out
gives "warn where nothing is wrong" 0 run "$ball" --on-violation warn -q -o same.rec
run run "$ball" -q -o usual.rec
gives "is another rule, and the same run" 4 hash same.rec usual.rec
holds "which is told" out "^the frames are equal; what a verdict does differs: 'warn', 'stop'"

gives "retry takes halves" 0 run "$brick" --tolerance 1e-15 --on-violation retry --json -o retry.rec
halved=$(count_of out steps_in_parts) parts=$(count_of out parts)
if [ "${halved:-0}" -gt 0 ] && [ "$parts" -ge $((2 * halved)) ]; then ok "some steps, in two parts or more"; else not_ok "some steps" "$halved in $parts"; fi
is "each is told" "$(grep -c '^note: step [0-9]*, t = .*; taken in [0-9]* parts$' err)" "$halved"
gives "where it would stop without" 4 run "$brick" --tolerance 1e-15 -q
gives "halves are replayed" 0 replay retry.rec
gives "twenty times, no more" 4 run "$ball" --tolerance 1e-18 --on-violation retry --json
holds "then the state before the whole step is kept" out '"time": 0\.02,'
holds "and told" err 'stopped at step 2, t = 0\.02 s: '

# 40 s of a ball that hops half a micron high are 88,000 impulses; a step has room for 49,410.
gives "a step with too many impulses is halved by any rule" 0 run "$platter" --dt 40 --band 1e-6 --contacts parts.csv
halves=$(hash_of out)
holds "and counted" out '^  halved +1 +of these steps, in 2 parts together'
holds "and told" err '^note: step 0, t = 0 s: .*more than [0-9]+ impulses in one step.*; taken in 2 parts$'
run run "$platter" --dt 20 --band 1e-6 --contacts whole.csv
is "it is two steps, to the last bit" "$(hash_of out)" "$halves"
if cmp -s parts.csv whole.csv; then ok "with all their contacts"; else not_ok "with all their contacts" "$(wc -l parts.csv whole.csv)"; fi
gives "impel hash halves it, too" 0 hash "$platter" --dt 40 --band 1e-6
is "to the same bits" "$(cut -d' ' -f1 out)" "$halves"

gives "a rule that there is not" 2 run "$ball" --on-violation ignore
holds "names those that there are" err "'ignore'; it is stop, warn or retry"
gives "--accept of nothing" 2 run "$ball" --accept
gives "a tolerance of more than all" 2 run "$ball" --tolerance 2
gives "a tolerance of nothing" 2 run "$ball" --tolerance 0

cat >inside.json <<'SCENE'
{ "impel": 1, "materials": { "steel": { "friction": 0.3, "restitution": 0.5, "density": 7850 } },
  "bodies": [
    { "name": "floor", "fixed": true, "material": "steel", "shape": { "plane": { "normal": [0, 0, 1] } } },
    { "name": "ball", "material": "steel", "shape": { "sphere": { "radius": 0.1 } }, "position": [0, 0, 0.1] },
    { "name": "other", "material": "steel", "shape": { "sphere": { "radius": 0.1 } }, "position": [0.15, 0, 0.1] },
    { "name": "box", "material": "steel", "shape": { "box": { "size": [1, 1, 1] } }, "position": [3, 0, 0.4] } ],
  "run": { "method": "impulse", "duration": 0.1, "dt": 0.01, "contact_band": 1e-5 } }
SCENE
gives "bodies that start inside each other" 3 run inside.json -o inside.csv
holds "the second is named with its line" err '^inside.json:5:5: body .other.: overlaps body .ball. by 0\.0[45][0-9]* m at the start'
holds "so is one in the floor, deeper: it comes first" err '^inside.json:6:5: body .box.: overlaps body .floor. by 0\.(1|09)[0-9]* m'
is "all at once" "$(grep -c overlaps err)" 2
is "nothing is written" "$(ls inside.csv inside.fail.rec 2>/dev/null | wc -l)" 0
gives "impel hash refuses it as well" 3 hash inside.json
gives "what has no contacts may" 0 run inside.json -m flight -q
sed 's/0\.15, 0, 0\.1/0.199996, 0, 0.1/; s/3, 0, 0\.4/3, 0, 0.499996/' inside.json >touching.json
gives "less than half the band is touching" 0 run touching.json -q
sed 's/0\.15, 0, 0\.1/0.199994, 0, 0.1/; s/3, 0, 0\.4/3, 0, 0.5/' inside.json >hair.json
gives "a hair more is not" 3 run hair.json -q
is "of that pair alone" "$(grep -c overlaps err)" 1

# --- options without a certificate ------------------------------------------------------------------------------------
blocks=$SOURCE/scenes/blocks_on_slope.json
gives "shock propagation" 0 run "$blocks" --shock-propagation 5 --prediction runge_kutta -t 0.2 -o shock.rec
holds "has a warning" err '^warning: .*shock_propagation does not conserve momentum; no step of method iterated has a certificate$'
holds "and no limit of momentum" out '^  momentum +[0-9.e-]+ +-  N s +not accounted for$'
shock=$(hash_of out)
gives "and is replayed by its recording" 0 replay shock.rec
gives "which has its options" 0 hash "$blocks" --shock-propagation 5 --prediction runge_kutta -t 0.2
is "to the same bits" "$(cut -d' ' -f1 out)" "$shock"
gives "shock propagation, strictly" 3 run "$blocks" --shock-propagation 5 --strict -t 0.2
gives "shock propagation with a tolerance of the certificate" 3 run "$blocks" --shock-propagation 5 --tolerance 1e-9 -t 0.2
gives "a prediction that is none" 2 run "$blocks" --prediction euler
is "its words" "$(head -1 err)" "impel run: --prediction 'euler'; it is exact or runge_kutta"

done_testing
