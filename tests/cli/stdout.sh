#!/usr/bin/env bash
# stdout.sh -- stdout that is full, closed or left early: exit 6, never silence about lost results.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"

if [ -e /dev/full ]; then
    for words in "run scene.json" "run scene.json --json" "info scene.json" "list" "list --json" "hash scene.json" \
                 "validate split" "--help" "--limits" "--version"; do
        # shellcheck disable=SC2086
        "$IMPEL" $words >/dev/full 2>err
        is "full disk: $words" "$?" 6
    done
    holds "is told" err 'stdout: No space left'
    "$IMPEL" run scene.json -q -o kept.csv >/dev/full 2>err
    is "nothing to print, nothing lost" "$?" 0
fi
"$IMPEL" list >&- 2>err
is "closed stdout" "$?" 6
"$IMPEL" info scene.json 2>err | head -1 >out
is "| head: one line" "$(wc -l <out)" 1
is "| head: not a word" "$(wc -c <err)" 0
{ "$IMPEL" hash scene.json -t 1000 --every 1 2>err; echo $? >code; } | head -1 >out
is "| head on endless output: exit 6" "$(cat code)" 6
is "| head on endless output: not a word" "$(wc -c <err)" 0
run list
lacks "no colours in a file" out $'\033'
done_testing
