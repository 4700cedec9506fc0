#!/usr/bin/env bash
# full.sh -- files that cannot be written: a file-size limit, a full disk, streams that were closed. Each time a sentence,
# a code, nothing left behind, and no word on stdout of a file that is not there.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"

cp "$SOURCE/scenes/bouncing_ball.json" ball.json
cp "$SOURCE/scenes/parts/brick.json" brick.json
cp "$SOURCE/viewer/test/scenes/press.json" press.json
mkdir place
run run ball.json -q -o ball.rec
run run ball.json -q -t 0.01 -o probe.html
pages=$([ "$code" = 0 ] && echo 1)
rm -f probe.html

# fails NAME FILE WORDS...: in the folder place, under what limit() sets; a command that cannot write FILE
fails() {
    local name=$1 file=$2 left
    shift 2
    (cd place && limit && TMPDIR=. exec "$IMPEL" "$@") >out 2>err
    is "$name: exit 6" "$?" 6
    holds "$name: is told, with the reason" err "${file//./\\.}.*($reason)"
    lacks "$name: stdout has no word of it" out "${file//./\\.}"
    left=$(find place -mindepth 1 ! -name filler)
    is "$name: nothing is left" "$left" ""
    find place -mindepth 1 ! -name filler -delete
}
all_fail() {
    fails "$1, recording" x.rec run ../ball.json -o x.rec
    fails "$1, samples" x.csv run ../ball.json -o x.csv --every 0.001
    fails "$1, samples by line" x.jsonl run ../ball.json -o x.jsonl --every 0.001
    fails "$1, contacts" c.csv run ../ball.json --contacts c.csv
    fails "$1, poses in JSON" x.json poses ../brick.json -n 5000 -o x.json
    fails "$1, trials" x.csv poses ../brick.json -n 5000 -o x.csv
    fails "$1, a trial" x.rec poses replay ../brick.json --trial 3 -o x.rec
    fails "$1, convert" x.jsonl convert ../ball.rec x.jsonl
    fails "$1, journal" manifest.json poses ../brick.json -n 9000 --journal jd
    [ -n "$pages" ] || return 0
    fails "$1, page" x.html run ../ball.json -o x.html
    fails "$1, page of drops" x.html poses ../brick.json -n 5000 -o x.html
    fails "$1, page of a recording" x.html convert ../ball.rec x.html
    fails "$1, comparison" x.html compare ../ball.json --methods impulse,flight -o x.html
    fails "$1, view" ball.html view ../ball.json
    fails "$1, view of a recording" ball.html view ../ball.rec
}

# --- a limit on the size of files ------------------------------------------------------------------------------------
reason='File too large'
limit() { ulimit -f 1; }
all_fail "ulimit -f"
fails "ulimit -f, two files of which one is small" c.csv run ../ball.json -o x.csv --every 1 --contacts c.csv
(ulimit -f 1 && "$IMPEL" list --json) >place/out 2>err
is "stdout beyond the limit" "$?" 6
holds "is told" err '^impel list: stdout: File too large$'
rm place/out
# the steps before a verdict are told of only where they are
(cd place && ulimit -f 1 && "$IMPEL" run ../press.json -q) >out 2>err
holds "no room for the steps before a verdict: it is told" err '^note: the steps before it could not be kept: press.fail.rec: .*File too large'
lacks "and nobody is sent to them" err 'impel replay'
is "nor is anything left" "$(ls place)" ""

# --- a full disk -----------------------------------------------------------------------------------------------------
if mount -t tmpfs -o size=64k none place 2>mount.log; then
    trap 'umount "$work/place"; rm -rf "$work"' EXIT
    dd if=/dev/zero of=place/filler bs=1k 2>dd.log
    reason='No space left on device'
    limit() { :; }
    all_fail "full disk"
else
    echo "skipped: a full disk, since nothing may be mounted here: $(cat mount.log)"
fi

# --- streams that were closed ----------------------------------------------------------------------------------------
run run ball.json -q -o open.csv
"$IMPEL" run ball.json -o closed.csv >&- 2>err
is "a run with stdout closed" "$?" 6
holds "it is told" err 'stdout: Bad file descriptor'
if cmp -s open.csv closed.csv; then ok "its samples have no summary in them"; else not_ok "its samples have no summary in them" "$(tail -1 closed.csv)"; fi
"$IMPEL" run ball.json -q -o closed.rec <&- >&- 2>&-
is "all three closed, nothing to tell" "$?" 0
if cmp -s ball.rec closed.rec; then ok "its recording is whole"; else not_ok "its recording is whole"; fi
"$IMPEL" run nowhere.json -q -o closed2.rec >&- 2>&-
is "all closed, and a mistake" "$?" 3
{ sleep 0.2; "$IMPEL" run ball.json -o piped.csv 2>err; echo $? >code; } | true
is "a pipe without a reader" "$(cat code)" 6
if cmp -s open.csv piped.csv; then ok "its samples are whole"; else not_ok "its samples are whole"; fi
done_testing
