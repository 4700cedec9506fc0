#!/usr/bin/env bash
# poses_mpi.sh -- impel-mpi poses: ranks together are one run; one is killed; others go on. Skipped where it was not built.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"
mpi=${IMPEL_MPI:-$(dirname "$IMPEL")/impel-mpi}
if [ ! -x "$mpi" ] || ! command -v mpirun >/dev/null; then
    echo "skipped: impel-mpi was not built (-DIMPEL_MPI=ON), or there is no mpirun"
    exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
cat >brick.json <<'SCENE'
{ "impel": 1, "materials": { "steel": { "friction": 0.3, "restitution": 0.3 } },
  "bodies": [ { "name": "brick", "material": "steel", "shape": { "box": { "size": [0.03, 0.02, 0.01] } } } ] }
SCENE
plain() { awk '/"timing"/ { exit } { print }' "$1"; }
same() { if [ "$(plain "$2")" = "$(plain "$3")" ]; then ok "$1"; else not_ok "$1" "$(diff <(plain "$2") <(plain "$3") | head -4)"; fi; }
ranks() { local n=$1; shift; mpirun --oversubscribe -n "$n" "$mpi" "$@" >out 2>err; code=$?; }

run poses brick.json -n 100000 --json
cp out whole.json
ranks 3 poses brick.json -n 100000 --json
is "three ranks" "$code" 0
same "are one run" out whole.json
ranks 3 poses brick.json -n x
is "a slip" "$code" 2
is "is told once" "$(grep -c '^impel poses' err)" 1
ranks 2 poses brick.json --ci 0.1
is "--ci cannot be shared out" "$code" 2
ranks 2 poses nothing.stl
is "a part that is not there" "$code" 3

mpirun --oversubscribe -n 3 "$mpi" poses brick.json -n 300000 --journal j -q >out 2>err &
pid=$!
for ((i = 0; i < 100; i++)); do               # some blocks are there, not all
    [ "$(stat -c %s j/journal.2.bin 2>/dev/null || echo 0)" -gt 300 ] && break
    sleep 0.05
done
victim=$(pgrep -P "$pid" | tail -1)
kill -s KILL "$victim"
wait "$pid"
if [ "$?" != 0 ]; then ok "a rank is killed: so is the run"; else not_ok "a rank is killed: so is the run"; fi
gives "the journal says what is missing" 4 poses verify j
run poses brick.json -n 300000 --json
cp out whole.json
ranks 2 poses brick.json -n 300000 --journal j --resume --json
is "resumed by two ranks" "$code" 0
same "it is one run" out whole.json
gives "and complete" 0 poses verify j
ranks 2 poses brick.json -n 300000 --journal j --resume --mu 0.1
is "resumed with something changed" "$code" 3
done_testing
