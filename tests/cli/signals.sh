#!/usr/bin/env bash
# signals.sh -- Ctrl-C and its kin end a run at a border of a step: what was written is kept, exit 128 + n.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"
set -m                                        # job control: without it bash has background jobs ignore SIGINT

# asked NAME SIGNAL CODE: a run of years, asked to end after a moment
asked() {
    "$IMPEL" run scene.json -t 1e9 --dt 0.01 --every 50 -o "$1.csv" --json >"$1.out" 2>err &
    local pid=$!
    sleep 0.5
    kill -s "$2" "$pid"
    wait "$pid"
    is "SIG$2: exit $3" "$?" "$3"
    if [ -s "$1.csv" ]; then ok "SIG$2: the trace is kept"; else not_ok "SIG$2: the trace is kept" "$(ls)"; fi
    is "SIG$2: it is whole" "$(tail -c1 "$1.csv" | od -An -c | tr -d ' ')" '\n'
    is "SIG$2: every line has 15 fields" "$(awk -F, '{print NF}' "$1.csv" | sort -u | tr '\n' ' ')" "15 "
    holds "SIG$2: the result says so" "$1.out" '"status": "interrupted"'
    json "SIG$2: the result is JSON" "$1.out"
    is "SIG$2: the last sample is the end" "$(tail -1 "$1.csv" | cut -d, -f1)" \
        "$(sed -n 's/^  "time": \(.*\),$/\1/p' "$1.out" | awk '{printf "%.17g", $1}')"
}
asked int INT 130
asked term TERM 143
asked hup HUP 129
is "no temporary file is left" "$(ls | grep -c tmp)" 0
done_testing
