#!/usr/bin/env bash
# kinds.sh -- a file that another command takes: what it is and which command that is, exit 3, no guess at its bytes.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"

# one file of each kind
cp "$SOURCE/scenes/parts/bracket.stl" part.stl
cat >part.obj <<'OBJ'
# a tetrahedron
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 2 3 4
f 3 1 4
OBJ
cat >text.stl <<'STL'
solid flat
 facet normal 0 0 1
  outer loop
   vertex 0 0 0
   vertex 1 0 0
   vertex 0 1 0
  endloop
 endfacet
endsolid flat
STL
run run scene.json -t 0.05 -q -o run.rec
run run scene.json -t 0.05 -q -o run.csv
run run scene.json -t 0.05 -q -o run.jsonl
run run scene.json -t 0.05 -q -o run.glb
run run scene.json -t 0.05 -q --json
cp out report.json
run poses part.stl --scale 0.001 -n 4096 -q --json
cp out poses.json
printf '<!doctype html>\n<html></html>\n' >run.html
printf '1,0,0,0\n' >list.csv

# refuses COMMAND FILE TEXT: exit 3 and the text as the last line, after the command's name
refuses() {
    local command=$1 file=$2 text=$3
    # shellcheck disable=SC2086
    run $command "$file" $4
    is "$command $file" "$code $(tail -n 1 err)" "3 impel ${command%% *}: $file: $text"
    is "$command $file prints nothing else" "$(wc -c <out)" 0
}
mesh="a scene may have it as a shape, and 'impel info' and 'impel poses' take it"
recording="'impel view', 'convert', 'replay' and 'hash' take it"
scene="'impel run', 'view', 'compare', 'info', 'hash' and 'poses' take it"
reports="what a command printed by --json is no scene; no command reads it back"

for command in run view hash "compare --dt 0.1,0.2"; do
    refuses "$command" part.stl "a mesh (STL) is no scene; $mesh"
    refuses "$command" part.obj "a mesh (OBJ) is no scene; $mesh"
    refuses "$command" text.stl "a mesh (STL) is no scene; $mesh"
    refuses "$command" report.json "$reports"
done
for command in run info poses "compare --dt 0.1,0.2"; do
    refuses "$command" run.rec "a recording of a run is no scene; $recording"
    refuses "$command" run.csv "a trace of a run is no scene; 'impel hash' compares two of them"
    refuses "$command" run.html "a page is no scene; 'impel view' and any browser open it"
    refuses "$command" run.glb "an animation (glTF) is no scene; no command reads it back, but viewers of glTF do"
    refuses "$command" poses.json "a result of 'impel poses' is no scene; 'impel poses merge' adds up those of shards"
done
refuses run run.jsonl "a trace of a run in JSON lines is no scene; no command reads it back, but 'impel hash' compares traces that end in .csv"
refuses run list.csv "a table (CSV) is no scene; 'impel hash' compares two traces, and 'impel poses --orientation' takes a list of quaternions"

# a recording is asked for
refuses replay scene.json "a scene is no recording; $scene"
refuses convert scene.json "a scene is no recording; $scene" page.html
refuses convert part.stl "a mesh (STL) is no recording; $mesh" page.html
refuses replay run.csv "a trace of a run is no recording; 'impel hash' compares two of them"

# a trace, a result
cp scene.json scene.csv
refuses hash scene.csv "a scene is no trace; $scene, where its name ends in .json" run.csv
refuses "poses merge" scene.json "a scene is no result of 'impel poses'; $scene"
refuses "poses part.stl -n 100 --settle --surface" run.rec "a recording of a run is no scene; $recording"

# by what it holds, under any name
cp run.rec run.dat
cp part.stl part.json
cp run.rec fake.stl
refuses run run.dat "a recording of a run is no scene; $recording, where its name ends in .rec"
refuses info part.json "a mesh (STL) is no scene; $mesh, where its name ends in .stl"
refuses poses fake.stl "a recording of a run is no mesh; $recording, where its name ends in .rec"
gives "which a replay does not need" 0 replay run.dat

# by its name, where it holds nothing known
head -c 90 part.stl >cut.stl
refuses run cut.stl "a mesh (STL) is no scene; $mesh"
cp part.stl "PART.STL"
refuses run PART.STL "a mesh (STL) is no scene; $mesh"

# what is of no kind, and what is not there, is its reader's to tell
printf 'nothing known\n' >noise.txt
gives "nothing known" 3 run noise.txt
holds "is told by the reader" err '^noise.txt:1:1: '
gives "a scene without its key" 3 run - <<<'{ "bodies": [] }'
printf '{ "bodies": [] }' >keyless.json
gives "a scene without its key" 3 run keyless.json
holds "is told what it lacks" err '^keyless.json:1:1: scene: "impel" is missing'
gives "a missing mesh" 3 run nowhere.stl
holds "is missing" err 'nowhere.stl: .*No such file'
gives "as JSON" 3 run part.stl --errors=json
json "is an object" err
done_testing
