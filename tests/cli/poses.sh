#!/usr/bin/env bash
# poses.sh -- impel poses: the report and its JSON, whole blocks, Ctrl-C, --ci, starts, the general engine, slips and their codes.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"

cat >brick.json <<'SCENE'
{ "impel": 1, "materials": { "steel": { "friction": 0.4, "restitution": 0.3 }, "table": { "friction": 0.4, "restitution": 0.3 } },
  "pairs": [ { "between": ["steel", "table"], "friction": 0.25, "restitution": 0.35, "law": "stronge" } ],
  "bodies": [
    { "name": "table", "fixed": true, "material": "table", "shape": { "plane": { "normal": [0, 0, 1], "offset": 0 } } },
    { "name": "brick", "material": "steel", "shape": { "box": { "size": [0.03, 0.02, 0.01] } }, "position": [0, 0, 1] } ] }
SCENE
# stl FILE X Y Z [FACETS LEFT OUT]: a box in ASCII
stl() {
    awk -v x="$2" -v y="$3" -v z="$4" -v less="${5:-0}" 'BEGIN {
        split("0 2 3 1 4 5 7 6 0 1 5 4 2 6 7 3 0 4 6 2 1 3 7 5", f, " ")
        print "solid box"
        for (i = 0; i < 6; i++) for (t = 0; t < 2; t++) if (n++ >= less) {
            print "facet normal 0 0 0\nouter loop"
            c[1] = f[4 * i + 1]; c[2] = f[4 * i + 2 + t]; c[3] = f[4 * i + 3 + t]
            for (k = 1; k <= 3; k++) print "vertex", x * (c[k] % 2), y * (int(c[k] / 2) % 2), z * int(c[k] / 4)
            print "endloop\nendfacet"
        }
        print "endsolid" }' >"$1"
}
stl box.stl 30 20 10
stl open.stl 30 20 10 1
stl small.stl 1e-4 2e-4 1e-4
# a box of 30 x 20 x 10 mm whose top is a pyramid downward, a quarter of the volume
cat >dented.obj <<'MESH'
v 0 0 0
v 30 0 0
v 30 20 0
v 0 20 0
v 0 0 10
v 30 0 10
v 30 20 10
v 0 20 10
v 13 9 2.5
f 1 4 3 2
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
f 5 6 9
f 6 7 9
f 7 8 9
f 8 5 9
MESH
for mesh in dented.obj open.stl; do
    printf '%s\n' '{ "impel": 1, "materials": { "m": { "friction": 0.3, "restitution": 0.3 } },' \
        "  \"bodies\": [ { \"name\": \"part\", \"material\": \"m\", \"shape\": { \"mesh\": { \"file\": \"$mesh\", \"scale\": 0.001 } } } ] }" >"${mesh%.*}.json"
done
value() { sed -n "s/^  \"$2\": \(.*[^,]\),\{0,1\}\$/\1/p" "$1"; }      # value FILE KEY: of the top level
sum() { sed -n "s/^      \"$2\": \([0-9]*\),\{0,1\}\$/\1/p" "$1" | awk '{ s += $1 } END { print s + 0 }'; }
families() { sed -n '/^  "families"/,/^  "poses"/p' "$1" | sed -n "s/^      \"$2\": \([0-9]*\),\{0,1\}\$/\1/p" | awk '{ s += $1 } END { print s + 0 }'; }
poses() { sed -n '/^  "poses"/,$p' "$1" | grep -c '"id"'; }          # how many are listed
plain() { awk '/"timing"/ { exit } { print }' "$1"; }                # all but the timing
same() { if [ "$(plain "$2")" = "$(plain "$3")" ]; then ok "$1"; else not_ok "$1" "$(diff <(plain "$2") <(plain "$3") | head -4)"; fi; }

# --- the report ------------------------------------------------------------------------------------------------------
gives "a scene" 0 poses brick.json -n 5000
cp out table
holds "size in mm" table '^size +30 x 20 x 10 mm'
holds "the law of the pair" table '^law +stronge, e 0.35, mu 0.25 \(scene: part on plane\)'
holds "hull" table '^hull +8 corners, 6 faces'
holds "a heading" table '^pose +poses +probability +95 % interval +quasi-static +height mm +barrier mm +face down'
is "six poses in three rows" "$(grep -cE '^ +[024]  2 by symmetry +0\.' table)" 3
holds "the total" table '^5000 drops, 0 unresolved, 0 failed'
holds "the check" table '^check +[0-9]+ drops again, more finely: no probability is off by more than 0\.'
holds "its largest shift" table '^ +largest shift: pose [0-5] by '
holds "where the time went" table '^time +[0-9.]+ s: part [0-9.e-]+, drops [0-9.e-]+, check '
holds "a rate" table '^drops +5000, .* a second'
gives "--json" 0 poses brick.json -n 5000 --json
cp out a.json
json "it is JSON" a.json
for key in families left rolled join check_of schema version status part drops seed law mu_static mu_dynamic e height gravity poses unresolved failed hash check warnings timing; do
    holds "it has $key" a.json "^  \"$key\": "
done
for key in path size mass center corners faces chord hash; do holds "its part has $key" a.json "^    \"$key\": "; done
for key in id family probability low high count quasi_static normal height barrier orientation same_as; do
    holds "its poses have $key" a.json "^      \"$key\": "
done
for key in drops worst_shift sigma family bound; do holds "its check has $key" a.json "^    \"$key\": "; done
is "schema" "$(value a.json schema)" '"impel.poses/2"'
is "every drop is counted once" "$(($(families a.json count) + $(value a.json unresolved) + $(value a.json failed)))" 5000
is "every drop of the check, too" "$(($(families a.json check_count) + $(sed -n '/^  "check": {/,/}/s/^    "unresolved": \([0-9]*\),/\1/p' a.json)))" "$(sed -n '/^  "check": {/,/}/s/^    "drops": \([0-9]*\),/\1/p' a.json)"
holds "drops a second" a.json '^    "drops_per_s": [0-9.e+]+,$'
gives "-o .json" 0 poses brick.json -n 5000 -o b.json -q
same "it is what --json prints" a.json b.json
is "-q prints nothing" "$(cat out)" ""
gives "-o: not over another" 6 poses brick.json -n 10 -o b.json
gives "-o: not over the part" 6 poses brick.json -n 10 -o brick.json --force
gives "-o with --force" 0 poses brick.json -n 10 -o b.json --force -q
gives "-o .csv" 0 poses brick.json -n 5000 -o t.csv -q
is "a line per trial" "$(wc -l <t.csv)" 5001
is "its heading" "$(head -1 t.csv)" trial,family,pose,rolled,impacts,time
is "its counts are the table's" "$(awk -F, 'NR > 1 && $2 == 0' t.csv | wc -l)" "$(sed -n 's/^      "count": \([0-9]*\),/\1/p' a.json | head -1)"
is "no temporary file is left" "$(ls | grep -c tmp)" 0

# --- blocks, threads, --ci, Ctrl-C -----------------------------------------------------------------------------------
for threads in 1 3; do
    run poses brick.json -n 9000 --threads "$threads" --json
    plain out >"threads.$threads"
done
same "threads change nothing" threads.1 threads.3
run poses brick.json -n 9000 --seed 2 --json
if [ "$(value out hash)" != "$(value threads.1 hash)" ]; then ok "a seed does"; else not_ok "a seed does"; fi
gives "--ci" 0 poses brick.json --ci 0.006 --json
cp out ci.json
drops=$(value ci.json drops)
is "it ends with a block" $((drops % 4096)) 0
too_wide() { awk -v w="$2" '/^      "low":/ { low = $2 } /^      "high":/ { if (($2 - low) / 2 > w) n++ } END { print n + 0 }' "$1"; }
is "it is reached" "$(too_wide ci.json 0.006)" 0
run poses brick.json -n $((drops - 4096)) --json
if [ "$(too_wide out 0.006)" -gt 0 ]; then ok "a block before it was not"; else not_ok "a block before it was not" "$drops"; fi
run poses brick.json -n "$drops" --json
is "it is the run of that many" "$(value out hash)" "$(value ci.json hash)"
run poses brick.json --ci 0.006 --threads 3 --json
is "threads do not change where it ends" "$(value out hash)" "$(value ci.json hash)"
set -m                                        # job control: without it bash has background jobs ignore SIGINT
env --default-signal=INT "$IMPEL" poses brick.json -n 1000000000 --json >int.json 2>err &
pid=$!
sleep 0.7
kill -s INT "$pid"
began=$(date +%s%N)
wait "$pid"
is "Ctrl-C: exit 130" "$?" 130
took=$((($(date +%s%N) - began) / 1000000))
if [ "$took" -lt 1000 ]; then ok "Ctrl-C is answered at once"; else not_ok "Ctrl-C is answered at once" "$took ms"; fi
json "the result is JSON" int.json
is "it says so" "$(value int.json status)" '"interrupted"'
drops=$(value int.json drops)
is "whole blocks" $((drops % 4096)) 0
if [ "$drops" -gt 0 ]; then ok "more than nothing"; else not_ok "more than nothing"; fi
run poses brick.json -n "$drops" --json
is "it is a prefix" "$(value out hash) $(sum out count)" "$(value int.json hash) $(sum int.json count)"

# --- parts -----------------------------------------------------------------------------------------------------------
gives "an STL in mm" 0 poses box.stl -n 100
holds "its size is a warning" err '^warning: the part is 30000 mm large; .*--scale 0.001'
holds "and in the table" out '^size +30000 x 20000 x 10000 mm'
gives "with --strict an error" 3 poses box.stl -n 100 --strict -o strict.json
holds "which is said" err '^impel poses: box.stl: the warning above is an error, with --strict'
if [ -e strict.json ]; then not_ok "and nothing is written"; else ok "and nothing is written"; fi
for kind in html json csv; do
    gives "a folder that is not there, .$kind" 6 poses brick.json -n 200000 -o "nowhere/x.$kind"
    lacks "no drop is made for it" out .
done
holds "is found out before the drops" err 'nowhere/x.csv: No such file or directory'
gives "--scale" 0 poses box.stl -n 100 --scale 0.001
lacks "then there is no warning" err .
holds "default density" out '^mass +0.006 kg, density 1000 kg/m\^3'
holds "default law" out '^law +poisson, e 0.3, mu 0.3 \(default\)'
holds "default height" out '^start +centre at 0.3 m, any orientation, seed 1'
run poses dented.obj -n 4096 --scale 0.001
cp out part.txt
run poses dented.json -n 4096
is "a scene that names the file gives the same drops" "$(grep ^hash out)" "$(grep ^hash part.txt)"
is "and the same mass" "$(grep ^mass out)" "$(grep -o '^mass.*kg,' part.txt | tr -d ,)"
holds "which is that of the mesh" out '^mass +0.0045 kg$'
gives "a scene with an open mesh" 3 poses open.json -n 10
holds "it is said what to do" err 'part.: mesh: bounds no solid \(3 edges are open, 0 crowded\), so that it has no mass; give the body "mass", "center_of_mass" and "inertia"$'
{ sed 's/box/left/' box.stl; sed 's/box/right/; s/vertex 0/vertex 50/; s/vertex 30/vertex 80/' box.stl; } >two.stl
gives "two solids in one file" 0 poses two.stl -n 10 --scale 0.001 --json
holds "are a warning" err "^warning: the mesh holds 2 solids that are not connected; they move as one body: 'left' \\(30 x 20 x 10 mm, middle at 15 10 5\\), 'right' \\(30 x 20 x 10 mm, middle at 65 10 5\\)\$"
holds "in the JSON, too" out "^    \"the mesh holds 2 solids .*'right' "
gives "and with --strict an error" 3 poses two.stl -n 10 --scale 0.001 --strict
gives "info of it" 0 info two.stl --scale 0.001
holds "warns" out '^warning: the mesh holds 2 solids '
gives "info --json of it" 0 info two.stl --scale 0.001 --json
json "is JSON" out
holds "and warns" out '^    "the mesh holds 2 solids '
gives "--density" 0 poses box.stl -n 10 --scale 0.001 --density 2000
holds "it counts" out '^mass +0.012 kg'
gives "--mass" 0 poses box.stl -n 10 --scale 0.001 --mass 3
holds "it counts" out '^mass +3 kg'
gives "a speck" 0 poses small.stl -n 10
holds "is a warning" err '^warning: the part is 0.2 mm large.*--scale'
gives "an open mesh" 3 poses open.stl -n 10
holds "says why" err '^impel poses: open.stl: bounds no solid \(3 edges are open'
sed 's/"name": "brick"/"name": "second", "material": "steel", "shape": { "sphere": { "radius": 0.01 } } }, { "name": "brick"/' brick.json >two.json
gives "two bodies" 3 poses two.json
is "says so" "$(head -1 err)" "impel poses: two.json: 2 dynamic bodies; a part is one"
sed 's/"normal": \[0, 0, 1\]/"normal": [0.1, 0, 1]/' brick.json >tilted.json
sed 's/{ "name": "brick"/{ "name": "shelf", "fixed": true, "shape": { "plane": { "normal": [0, 0, 1], "offset": -1 } } }, &/' brick.json >shelf.json
gives "two planes" 3 poses shelf.json
holds "the second is named" err "body 'shelf' is a second plane"
sed 's/"material": "steel", "shape"/"shape"/' brick.json >bare.json
gives "no material" 0 poses bare.json -n 10
holds "what is taken is told" err '^warning: the part has no material; drops take mu 0.3 and e 0.3'
awk '/^vertex/ { v[++n] = $0; if (n == 3) { print v[1]; print v[3]; print v[2]; n = 0 } next } { print }' box.stl >inverted.stl
gives "a mesh that is inside out" 0 poses inverted.stl -n 10 --scale 0.001
holds "is told" err '^warning: the mesh was inside out; it was turned'
gives "a plane that is not level" 3 poses tilted.json
sed 's/"impel": 1,/"impel": 1, "gravity": [1, 0, -9.81],/' brick.json >aslant.json
gives "gravity aslant" 3 poses aslant.json
gives "no such file" 3 poses nothing.stl
gives "--scale of a scene" 2 poses brick.json --scale 2
gives "--mass of a scene" 2 poses brick.json --mass 2
gives "mass and density" 2 poses box.stl --mass 1 --density 1

# --- starts ----------------------------------------------------------------------------------------------------------
printf 'w,x,y,z\n1,0,0,0\n0.8, 0, 0.6, 0\n' >turns.csv
gives "orientations of a file" 0 poses brick.json -n 10 --orientation turns.csv --spin random:3 --velocity 0.1,0,0
holds "are told" out '^start +centre at 0.3 m, orientations of turns.csv, velocity 0.1 0 0 m/s, spin random up to 3 rad/s, seed 1'
for bad in '1,0,0' '1,0,0,0,0' '1,0,0,x' '1,1,1,1' 'nan,0,0,1' '0,0,0,0'; do
    printf '1,0,0,0\n%s\n' "$bad" >bad.csv
    gives "orientation '$bad'" 3 poses brick.json --orientation bad.csv
    holds "its line is named" err '^impel poses: bad.csv:2: '
done
: >bad.csv
gives "no orientation" 3 poses brick.json --orientation bad.csv
printf 'qx,qy,qz,qw\n0,0,0,1\n' >bad.csv
gives "a heading of another order" 3 poses brick.json --orientation bad.csv
holds "says so" err "^impel poses: bad.csv:1: 'qx,qy,qz,qw' is a heading of another order; w must come first$"

# one kind of separator a line
turn() {
    printf '1,0,0,0\n%b\n' "$1" >bad.csv
    run poses brick.json -n 10 -q --orientation bad.csv
}
both="has both ',' and ';'; a line has one of them between its numbers, and '.' in them"
for bad in '1,0;0,0' '1;0,0,0' '1,0;0,0;0,0;0,0' ' 1 ; 0 , 0 ; 0'; do
    turn "$bad"
    is "'$bad' is refused" "$code $(cat err)" "3 impel poses: bad.csv:2: '$bad' $both"
done
turn '1,0;0,0\r'
is "and so before a carriage return" "$code $(cat err)" "3 impel poses: bad.csv:2: '1,0;0,0' $both"
turn '1 0,0,0,0'
is "a blank parts no numbers" "$code $(cat err)" "3 impel poses: bad.csv:2: '1 0,0,0,0' has a blank inside a number; write w,x,y,z"
turn '0 .6,0.8,0,0'
is "and joins none" "$code $(cat err)" "3 impel poses: bad.csv:2: '0 .6,0.8,0,0' has a blank inside a number; write w,x,y,z"
turn '1,0,0'
is "three numbers" "$code $(cat err)" "3 impel poses: bad.csv:2: '1,0,0' is not four numbers; write w,x,y,z"
turn '1,1,1,1'
is "no rotation" "$code $(cat err)" "3 impel poses: bad.csv:2: '1,1,1,1' is no quaternion of length 1"
for good in '0.8;0;0.6;0' ' 0.8 ; 0 ;\t0.6 ; 0\r' ' 0.8 , 0 , 0.6 , 0 '; do
    turn "$good"
    is "'$good' is read" "$code" 0
done
printf '1,0,0,0\n\0garbage\n' >bad.csv
gives "a zero byte" 3 poses brick.json --orientation bad.csv
gives "no such file" 3 poses brick.json --orientation missing.csv
head -c 3000 /dev/zero | tr '\0' 1 >bad.csv
gives "a line without end" 3 poses brick.json --orientation bad.csv
gives "a start in the plane" 3 poses brick.json --drop-height 0.01
holds "says how far it reaches" err 'reaches 0.0187083 m'
gives "orientations from a pipe" 0 poses brick.json --orientation <(echo 1,0,0,0) -n 10 -q
gives "spin that is none" 2 poses brick.json --spin 1,2
gives "spin random of nothing" 2 poses brick.json --spin random:
gives "velocity that is none" 2 poses brick.json --velocity fast

# --- slips -----------------------------------------------------------------------------------------------------------
gives "no part" 2 poses
gives "two parts" 2 poses brick.json brick.json
gives "-n 0" 2 poses brick.json -n 0
gives "-n x" 2 poses brick.json -n x
gives "-n and --ci" 2 poses brick.json -n 10 --ci 0.1
gives "--ci 0.5" 2 poses brick.json --ci 0.5
gives "--mu x" 2 poses brick.json --mu x
gives "--mu and --mu-dynamic" 2 poses brick.json --mu 0.1 --mu-dynamic 0.1
gives "friction below nothing" 3 poses brick.json --mu=-0.1
gives "less friction at rest" 3 poses brick.json --mu-dynamic 0.3 --mu-static 0.2
gives "restitution above 1" 3 poses brick.json --e 1.5
gives "a law that is none" 2 poses brick.json --law hooke
gives "a device that is none" 2 poses brick.json --device gpu
gives "no GPU for the general engine" 2 poses brick.json --device cuda --settle
run poses brick.json --device cuda -n 10 -q
if [ "$code" = 0 ] || [ "$code" = 5 ]; then ok "a GPU, or exit 5"; else not_ok "a GPU, or exit 5" "exit $code" "$(head -1 err)"; fi
gives "an output that is none" 2 poses brick.json -o x.txt
gives "--trial without replay" 2 poses brick.json --trial 3
gives "--resume without a journal" 2 poses brick.json --resume
for bad in 3 1/ /2 2/2 -1/2 0/0 a/b 0/1/2; do gives "shard '$bad'" 2 poses brick.json --shard "$bad"; done
gives "--drag by the general engine" 2 poses brick.json --settle --drag 1
gives "replay without a trial" 2 poses replay brick.json
gives "merge of nothing" 2 poses merge
gives "merge of what is not there" 3 poses merge nothing.json
gives "merge of a whole result" 3 poses merge a.json
gives "verify of a file" 3 poses verify a.json
gives "help" 0 help poses
holds "has the exit code" out '7 some trials of many failed'

# --- the general engine ------------------------------------------------------------------------------------------------
gives "--settle" 0 poses brick.json --settle -n 12 -o s.csv --json
holds "says that it is slow" err '^note: by the general engine'
cp out s.json
json "its result is JSON" s.json
is "its method" "$(value s.json method)" '"impulse"'
is "its heading" "$(head -1 s.csv)" trial,family,pose,rolled,impacts,time,x,y,yaw
is "its lines" "$(awk -F, 'NF == 9' s.csv | wc -l)" 13
run poses brick.json --settle -n 12 --threads 3 --json
same "threads change nothing" out s.json
gives "--law newton" 0 poses brick.json --law newton -n 3 --json
is "is by the general engine" "$(value out method) $(value out law)" '"impulse" "newton"'
cat >bowl.json <<'SCENE'
{ "impel": 1, "materials": { "bowl": { "friction": 0.5, "restitution": 0.1 } },
  "bodies": [ { "name": "slope", "fixed": true, "material": "bowl", "shape": { "plane": { "normal": [0.1, 0, 1], "offset": 0 } } },
              { "name": "wall", "fixed": true, "material": "bowl", "shape": { "box": { "size": [0.02, 1, 0.2] } }, "position": [0.3, 0, 0] } ] }
SCENE
gives "--surface" 0 poses brick.json --surface bowl.json -n 4
holds "says what a pose is there" out 'a pose is the face that looks down most'
cat >press.json <<'SCENE'
{ "impel": 1, "materials": { "anvil": { "friction": 0.5, "restitution": 0.1 } },
  "bodies": [ { "name": "anvil", "fixed": true, "material": "anvil", "shape": { "plane": { "normal": [0, 0, 1], "offset": 0 } } },
              { "name": "press", "material": "anvil", "shape": { "box": { "size": [1, 2, 0.1] } }, "position": [0.53, 0, 0.5],
                "motion": { "translate": { "velocity": [0, 0, -1.2] } } } ] }
SCENE
gives "a doubt, with --strict" 7 poses brick.json --surface press.json --velocity random:1 -n 12 --strict
gives "some trials fail" 7 poses brick.json --surface press.json --velocity random:1 -n 12 -o f.csv --json
cp out f.json
if [ "$(value f.json failed)" -gt 0 ] && [ "$(value f.json failed)" -lt 12 ]; then ok "the others count"; else not_ok "the others count" "$(value f.json failed)"; fi
first=$(awk -F, '$2 == -2 { print $1; exit }' f.csv)
holds "the command that shows the first is named" err "failed; 'impel poses replay brick.json --trial $first' and the same options"
gives "it shows the verdict" 4 poses replay brick.json --surface press.json --velocity random:1 --trial "$first"
holds "in a sentence" err "^impel poses: brick.json, trial $first: stopped at step [0-9]+, t = [0-9.]+ s: "
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >ground.obj
echo '{ "impel": 1, "bodies": [ { "name": "ground", "fixed": true, "shape": { "mesh": { "file": "ground.obj" } }, "position": [-0.3, -0.3, 0] } ] }' >ground.json
run poses brick.json --surface ground.json -n 1 --json
before=$(value out surface_hash)
sed -i 's/v 1 0 0/v 2 0 0/' ground.obj
run poses brick.json --surface ground.json -n 1 --json
if [ -n "$before" ] && [ "$before" != "$(value out surface_hash)" ]; then ok "meshes of a surface count in its hash"; else not_ok "meshes of a surface count in its hash" "$before" "$(head -3 err)"; fi
gives "a surface that would fall" 3 poses brick.json --surface brick.json -n 4
holds "is named" err "brick.json: body 'brick' is dynamic"
gives "replay" 0 poses replay brick.json --trial 3 -o r.rec
holds "by the general engine" out '^general engine: pose [0-5], at rest after '
holds "by the drops" out '^drops: pose [0-5], certain after '
holds "and whether they agree" out '^the two (agree|disagree)'
is "its pose is that of --settle" "$(sed -n 's/^general engine: pose \([0-9]\).*/\1/p' out)" "$(awk -F, '$1 == 3 { print $2 }' s.csv)"
gives "the recording is one" 0 hash r.rec
gives "replay --json" 0 poses replay brick.json --trial 3 --json
json "is JSON" out

# --- names -------------------------------------------------------------------------------------------------------------
for name in $'a\nb.json' $'e\e[31m.json' 'q"uo,te.json' $'b\xffd.json' 'with space.json'; do
    cp brick.json "$name"
    gives "name $(printf %q "$name")" 0 poses "$name" -n 10 --json
    json "is JSON" out
    run poses "$name" -n 10
    lacks "no control character is printed" out $'\e'
    is "one line" "$(grep -c '^part ' out)" 1
    run poses "$name" --drop-height 1e-6
    lacks "nor in an error" err $'\e'
done
cp brick.json ./-n.json
gives "a name like an option" 0 poses -n 10 -- -n.json
# --- hard parts ---------------------------------------------------------------------------------------------------------
shape() { echo '{ "impel": 1, "materials": { "m": { "friction": 0.3, "restitution": 0.3 } }, "bodies": [ { "name": "part", "material": "m", "shape": '"$1"' } ] }'; }
shape '{ "box": { "size": [0.001, 0.001, 0.1] } }' >needle.json
gives "a needle" 0 poses needle.json -n 2000 --json
is "has six poses" "$(poses out)" 6
is "and none is unresolved" "$(value out unresolved)" 0
shape '{ "box": { "size": [0.1, 0.1, 0.0001] } }' >plate.json
gives "a thin plate" 0 poses plate.json -n 2000 --json
is "rests on its two sides" "$(poses out)" 2
shape '{ "sphere": { "radius": 0.02 } }' >ball.json
gives "a ball" 0 poses ball.json -n 200
holds "has one pose" out '^ +0 +1\.0000'
holds "and its chord is told" out 'mm inside the true surface'
shape '{ "cylinder": { "radius": 0.02, "height": 0.03 } }' >can.json
gives "a can" 0 poses can.json -n 2000 --json
is "has two ends and one side" "$(poses out)" 3
for size in 0.001 0.04 1; do
    shape '{ "box": { "size": ['"$size, $(awk "BEGIN { print 2 * $size }"), $(awk "BEGIN { print 3 * $size }")"'] } }' >scaled.json
    run poses scaled.json -n 4096 --drop-height "$(awk "BEGIN { print 20 * $size }")" --json
    sed -n 's/^ *"count": \([0-9]*\),.*/\1/p' out | tr '\n' ' ' >>scales; echo >>scales
done
is "1 mm, 40 mm and 1 m from scaled heights land alike" "$(sort -u scales | wc -l | tr -d ' ')" 1
done_testing
