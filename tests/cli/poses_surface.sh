#!/usr/bin/env bash
# poses_surface.sh -- impel poses --surface: belts, shaking plates, turntables, parts that leave them, and wrong surfaces.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"
value() { sed -n "s/^  \"$2\": \(.*[^,]\),\{0,1\}\$/\1/p" "$1"; }      # value FILE KEY: of the top level
counts() { sed -n 's/^      "count": \([0-9]*\),.*/\1/p' "$1"; }
plain() { awk '/"timing"/ { exit } { print }' "$1"; }
part=$SOURCE/scenes/parts/l_part.json

# surface NAME SHAPE POSITION MOTION
surface() {
    echo '{ "impel": 1, "materials": { "steel": { "friction": 0.3, "restitution": 0.3 } }, "bodies": [ { "name": "support",' \
         '"material": "steel", "shape": { '"$2"', "position": ['"$3"'] }, "motion": { '"$4"' } } ] }' >"$1.json"
}
surface belt '"box": { "size": [10, 1, 0.02] }' '0, 0, -0.01' '"translate": { "velocity": [0.1, 0, 0] }'
surface plate '"box": { "size": [1, 1, 0.02] }' '0, 0, -0.01' \
    '"vibrate": { "amplitude": [0.0002, 0, 0.0001], "frequency": 50 }'
surface slow '"box": { "size": [1, 1, 0.02] }' '0, 0, -0.01' '"vibrate": { "amplitude": [0.001, 0, 0], "frequency": 4 }'
surface turntable '"cylinder": { "radius": 0.4, "height": 0.02 }' '0, 0, -0.01' '"spin": { "axis": [0, 0, 1], "rate": 3 }'
surface lift '"box": { "size": [1, 1, 0.02] }' '0, 0, -0.01' '"translate": { "velocity": [0, 0, 0.2] }'
surface coin '"box": { "size": [0.1, 0.02, 0.02] }' '0, 0, -0.01' '"translate": { "velocity": [0.1, 0, 0] }'

# few NAME FILE: at most one trial in a hundred has no pose
few() {
    local open=$(value "$2" unresolved) drops=$(value "$2" drops)
    if [ "$((100 * open))" -le "$drops" ]; then ok "$1"; else not_ok "$1" "$open of $drops unresolved"; fi
}

# alike NAME FILE FILE: two sets of counts are of one distribution (chi-square, exceeded by chance once in a thousand)
alike() {
    local told
    told=$(paste <(counts "$2") <(counts "$3") | awk '
        { a[NR] = $1; b[NR] = $2; s += $1; f += $2 }
        END { for (i = 1; i <= NR; i++) {
                  p = (a[i] + b[i]) / (s + f)
                  if (p * s < 10) { ps += a[i]; pf += b[i]; continue }
                  chi += (a[i] / s - b[i] / f) ^ 2 / (p * (1 / s + 1 / f)); cells++ }
              p = (ps + pf) / (s + f)
              if (p * s >= 1) { chi += (ps / s - pf / f) ^ 2 / (p * (1 / s + 1 / f)); cells++ }
              df = cells - 1; v = 2 / (9 * df); x = 1 - v + 3.0902 * sqrt(v)
              print (s > 0 && f > 0 && df > 0 && chi < df * x ^ 3 ? "yes" : "no"), chi, df }')
    is "$1" "${told%% *}" yes
}

# --- supports that move evenly -----------------------------------------------------------------------------------------
# In the belt's frame the belt stands still, and the part starts with the belt's velocity turned round.
gives "a belt" 0 poses "$part" --surface belt.json -n 150 --json -q
cp out belt_out.json
few "nearly all trials end in a pose" belt_out.json
is "none left it" "$(value belt_out.json left)" 0
gives "a still plane, from a moving hand" 0 poses "$part" --velocity=-0.1,0,0 -n 20480 --json -q
cp out plane_out.json
alike "a belt is a plane that moves along" belt_out.json plane_out.json
gives "a belt, whatever the dwell" 0 poses "$part" --surface belt.json --dwell 15 -n 20 -q -o belt.csv
is "decides before it has carried a part far" "$(awk -F, 'NR > 1 && $7 < 1' belt.csv | wc -l)" 20
gives "a lift" 0 poses "$part" --surface lift.json -n 150 --json -q
cp out lift_out.json
few "it ends in a pose there, too" lift_out.json
gives "a still plane, from a sinking hand" 0 poses "$part" --velocity=0,0,-0.2 -n 20480 --json -q
cp out plane_out.json
alike "a lift is a plane that moves along" lift_out.json plane_out.json
gives "a belt without friction" 0 poses "$part" --surface belt.json --mu 0 -n 20 --json -q
is "what slides for ever is certain of its pose" "$(value out unresolved)" 0

# --- supports that shake and turn --------------------------------------------------------------------------------------
gives "a plate that shakes" 0 poses "$part" --surface plate.json -n 60 -o plate.csv --json
cp out plate_out.json
few "nearly all trials end in a pose there" plate_out.json
gives "a slow plate" 0 poses "$part" --surface slow.json -n 2 --json -q
is "waits for ten of its cycles" "$(value out dwell)" 2.5
run poses "$part" --surface plate.json -n 60 --threads 3 --json -q
is "threads change nothing" "$(plain out)" "$(plain plate_out.json)"
gives "a longer dwell" 0 poses "$part" --surface plate.json --dwell 2 -n 8 --json -q
is "is told" "$(value out dwell)" 2
gives "a dwell in the report" 0 poses "$part" --surface plate.json --dwell 0.25 -n 8
holds "is told there" out '^dwell +0.25 s in one pose, where the surface moves and no pose is certain'
gives "a turntable" 0 poses "$part" --surface turntable.json -n 30 --json -q
few "nearly all trials end in a pose on it" out
gives "replay" 0 poses replay "$part" --surface plate.json --trial 3
is "ends in the same pose" "$(sed -n 's/^general engine: pose \([0-9]\).*/\1/p' out)" "$(awk -F, '$1 == 3 { print $3 }' plate.csv)"

surface slope '"box": { "size": [10, 1, 0.02] }' '0, 0, -0.02' '"translate": { "velocity": [0.099, 0, 0.014] }'
sed -i 's/"motion"/"orientation": [0.997551, 0, -0.0699428, 0], &/' slope.json
gives "a belt that climbs" 0 poses "$part" --surface slope.json -n 30 --json -q
few "nearly all trials end in a pose on it" out
cp out slope_out.json
gives "the same for longer" 0 poses "$part" --surface slope.json --dwell 1.5 -n 30 --json -q
is "changes no pose" "$(counts out)" "$(counts slope_out.json)"

# --- parts that leave ----------------------------------------------------------------------------------------------------
gives "a narrow belt" 0 poses "$part" --surface coin.json -n 40 -o coin.csv --json
cp out coin_out.json
few "is no doubt" coin_out.json
if [ "$(value coin_out.json left)" -gt 5 ]; then ok "many fall off"; else not_ok "many fall off" "$(value coin_out.json left)"; fi
is "the CSV has them as -3" "$(awk -F, '$2 == -3' coin.csv | wc -l)" "$(value coin_out.json left)"
is "every trial is somewhere" "$(($(counts coin_out.json | paste -sd+) + $(value coin_out.json left) + $(value coin_out.json unresolved)))" 40
gives "the report" 0 poses "$part" --surface coin.json -n 10
holds "counts them" out '^10 drops, [0-9]+ left the surface, 0 unresolved, 0 failed'
trial=$(awk -F, '$2 == -3 { print $1; exit }' coin.csv)
gives "replay of one" 0 poses replay "$part" --surface coin.json --trial "$trial"
holds "says so" out '^general engine: left the surface by [0-9.]+ s'
sed 's/"motion": .*/"fixed": true } ] }/' coin.json >block.json
gives "a block that stands still" 0 poses "$part" --surface block.json -n 40 --json -q
few "is none, either" out
if [ "$(value out left)" -gt 5 ]; then ok "parts fall off it, too"; else not_ok "parts fall off it, too" "$(value out left)"; fi
gives "a journal" 0 poses "$part" --surface coin.json -n 40 --journal dir -q
gives "its report" 0 poses merge dir --json
is "has them, too" "$(value out left) $(value out hash)" "$(value coin_out.json left) $(value coin_out.json hash)"
gives "another dwell" 3 poses "$part" --surface coin.json -n 40 --journal dir --resume --dwell 3 -q
holds "belongs to another journal" err 'dwell is [0-9.]+ in dir/manifest.json and 3 in this run'
gives "a shard" 0 poses "$part" --surface coin.json -n 40 --shard 0/1 -o shard.json -q
gives "is merged" 0 poses merge shard.json --json
is "with what left" "$(value out left)" "$(value coin_out.json left)"

# --- slips -----------------------------------------------------------------------------------------------------------------
gives "a dwell without a surface" 2 poses "$part" --dwell 1
holds "says what it is for" err '--dwell 1; it is for a surface that moves'
gives "a dwell of nothing" 2 poses "$part" --surface plate.json --dwell 0
sed 's/, "motion": .*/ } ] }/; s/"name": "support"/"name": "support", "fixed": true/' plate.json >still.json
gives "a dwell on what stands still" 3 poses "$part" --surface still.json --dwell 1
holds "names the file" err '^impel poses: still.json: nothing in it moves; --dwell 1 is for surfaces that move'

# --- the start -------------------------------------------------------------------------------------------------------------
# shelf NAME X Z: a table at z = 0 and, with its middle at X and Z, a block of 0.2 m
shelf() {
    echo '{ "impel": 1, "bodies": [ { "name": "table", "fixed": true, "shape": { "plane": { "normal": [0, 0, 1], "offset": 0 } } },' \
         '{ "name": "shelf", "fixed": true, "shape": { "box": { "size": [0.2, 0.2, 0.2] } }, "position": ['"$2"', 0, '"$3"'] } ] }' >"$1.json"
}
shelf under 0 0
gives "a block below the start" 0 poses "$part" --surface under.json -n 1 -q
shelf high 0 0.3
gives "one that the part would start in" 3 poses "$part" --surface high.json -n 1
is "is told in a sentence" "$(head -1 err)" "impel poses: high.json: body 'shelf' is 0.4 m high where the part is dropped; with --drop-height 0.3 the part starts 0.269972 m above z = 0, its centre less its reach of 0.0300277 m; the surface must be lower there"
gives "from higher up" 0 poses "$part" --surface high.json --drop-height 0.44 -n 1 -q
shelf roof 0 1
gives "one that the part would start below" 3 poses "$part" --surface roof.json -n 1
holds "is as high as its top" err "body 'shelf' is 1.1 m high"
shelf beside 0.2 0.3
gives "one beside it" 0 poses "$part" --surface beside.json -n 1 -q
shelf near 0.12 0.3
gives "one that it might reach" 3 poses "$part" --surface near.json -n 1
sed 's/"offset": 0 /"offset": 0.28 /' beside.json >raised.json
gives "a plane that is too high" 3 poses "$part" --surface raised.json -n 1
holds "is told, too" err "body 'table' is 0.28 m high"
sed 's/"normal": \[0, 0, 1\]/"normal": [1, 0, 0]/' beside.json >upright.json
gives "a wall that has no end" 3 poses "$part" --surface upright.json -n 1
holds "is told, too" err "body 'table' goes up without end"
gives "replay refuses it" 3 poses replay "$part" --surface high.json --trial 0
done_testing
