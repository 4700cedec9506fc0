#!/usr/bin/env bash
# input.sh -- scenes that cannot be read or make no sense: exit 3, all troubles at once, nothing on stdout.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"

gives "missing scene" 3 run nowhere.json
is "it is named with the system's words" "$(wc -l <err) $(grep -c 'nowhere.json: .*No such file' err)" "1 1"
mkdir folder
gives "a directory is no scene" 3 run folder
: >empty.json
gives "an empty scene" 3 run empty.json
holds "says so" err 'empty.json.*empty'
printf '{ "impel": 1, "bodies": [ { "name": "a", "shape": { "sphere": { "radius": -1 } } } ] }' >negative.json
gives "a negative radius" 3 info negative.json
holds "has its place" err '^negative.json:1:[0-9]+: '
printf '{ "impel": 1, "bodies": [ { "name": "a", "fricton": 1, "shape": { "sphere": { "radius": 1 } } } ] }' >unknown.json
gives "an unknown key" 3 run unknown.json
holds "is named" err 'fricton'
is "nothing went to stdout" "$(wc -c <out)" 0
{ printf '{ "impel": 1, "bodies": [\n'
  for i in $(seq 30); do printf '{ "name": "b%d", "shape": { "sphere": { "radius": -1 } } }%s\n' "$i" "$([ "$i" = 30 ] || echo ,)"; done
  printf '] }'; } >many.json
gives "thirty troubles" 3 run many.json
is "twenty lines and a count" "$(wc -l <err) $(tail -1 err)" "21 30 errors"
run run many.json --errors=json
is "as JSON: twenty and a count" "$(wc -l <err) $(tail -1 err)" '21 {"kind": "count", "errors": 30}'
head -1 err >first
json "each a JSON object" first
gives "too many bodies" 5 run scene.json --max-bodies 2
holds "the limit is named" err 'max.bodies|bodies'
gives "--strict passes a scene without warnings" 0 run scene.json -t 0.1 --strict -q
"$IMPEL" run - -t 0.1 --json <scene.json >out 2>err
is "a scene from stdin" "$?" 0
gives "missing mesh" 3 info nowhere.stl
gives "missing trace" 3 hash a.csv b.csv
done_testing
