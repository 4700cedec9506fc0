#!/usr/bin/env bash
# solve.sh -- impel solve: contact problems from files, by each solver, and what it refuses.
#
# Five published problems are solved where somebody has put them into PROBLEMS, a folder of *.json or *.json.gz; they are
# others' data and not in the repository.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"
problems=$SOURCE/scenes/problems

# --- own problems --------------------------------------------------------------------------------------------------------
for name in box_stack ball_column unsymmetric; do
    gives "$name" 0 solve "$problems/$name.json" --tolerance 1e-10
    holds "$name is solved" out '^automatic .* solved$'
    lacks "$name is solved indeed" out 'not solved'
    gives "$name by all" 0 solve "$problems/$name.json" --solver all --tolerance 1e-10 --json
    json "$name by all is JSON" out
    is "$name by five solvers" "$(grep -c '"solver":' out)" 5
done
gives "a stack by all" 0 solve "$problems/box_stack.json" --solver all
holds "contacts are counted" out '^12 contacts, asymmetry '
is "each solves it" "$(grep -c ' solved$' out)" 5
gives "facets show" 0 solve "$problems/unsymmetric.json" --solver lemke
holds "the polyhedral problem is solved" out '^lemke .* solved$'
facets=$(awk '$1 == "lemke" { print $4 }' out)
gives "more facets" 0 solve "$problems/unsymmetric.json" --solver lemke --directions 64
is "show less" "$(awk -v a="$facets" '$1 == "lemke" { print ($4 < a / 2) }' out)" 1
gives "an early end" 4 solve "$problems/ball_column.json" --solver newton

# --- packed --------------------------------------------------------------------------------------------------------------
gzip -c "$problems/box_stack.json" >stack.json.gz
if run solve stack.json.gz && [ "$code" = 0 ]; then
    ok "packed"
    head -c 500 stack.json.gz >cut.json.gz
    gives "cut short" 3 solve cut.json.gz
    gives "no such file" 3 solve none.json.gz
else
    holds "no zlib" err 'no zlib'
fi

# --- refused -------------------------------------------------------------------------------------------------------------
refused() {   # NAME TEXT FILE-TEXT: bad input, in one sentence with its place
    printf '%s' "$3" >bad.json
    gives "$1" 3 solve bad.json
    is "the text of it" "$(cat err)" "$2"
}
good_w='"W_indptr":[0,1,2,3],"W_indices":[0,1,2],"W_data":[1,1,1]'
refused "no JSON" 'bad.json:1:2: the file ends inside the object that starts on line 1, column 1' '{'
refused "no object" 'bad.json:1:1: a contact problem; got [1]; it must be an object' '[1]'
refused "a misspelt key" 'bad.json:1:2: unknown key "Mu"; did you mean "mu"?' '{"Mu":[1]}'
refused "no friction" 'bad.json:1:1: "mu" is missing' '{}'
refused "no contacts" 'bad.json:1:7: mu has 0 numbers; there is one a contact' '{"mu":[]}'
refused "negative friction" 'bad.json:1:10: mu; got -1; it must not be negative' '{"mu":[1,-1]}'
refused "friction is no number" 'bad.json:1:8: mu[0]; got "x"; it must be a number' '{"mu":["x"]}'
refused "a short q" 'bad.json:1:17: q has 2 numbers; it must have 3, three a contact' '{"mu":[0.5],"q":[1,2]}'
refused "rows that fall" 'bad.json:1:41: W_indptr; got 1; it must begin with 0 and not fall' \
    '{"mu":[0.5],"q":[1,2,3],"W_indptr":[0,2,1,3]}'
refused "a column beyond" 'bad.json:1:63: W_indices; got 3; it must be a whole number from 0 to 2' \
    '{"mu":[0.5],"q":[1,2,3],"W_indptr":[0,1,2,3],"W_indices":[0,1,3],"W_data":[1,1,1]}'
refused "a column twice" 'bad.json:1:63: W_indices; row 1 has column 1 twice; it must be there once' \
    '{"mu":[0.5],"q":[1,2,3],"W_indptr":[0,1,3,4],"W_indices":[0,1,1,2],"W_data":[1,1,1,1]}'
refused "too few values" 'bad.json:1:75: W_data has 2 numbers; it must have 3, as W_indptr ends with' \
    '{"mu":[0.5],"q":[1,2,3],"W_indptr":[0,1,2,3],"W_indices":[0,1,2],"W_data":[1,1]}'
refused "a diagonal of zero" \
    'bad.json:1:1: W; contact 0 has no three positive entries on the diagonal; every contact needs them' \
    '{"mu":[0.5],"q":[1,2,3],"W_indptr":[0,1,2,3],"W_indices":[0,1,2],"W_data":[1,0,1]}'
printf '{"mu":[0.5],"q":[-1,0.2,0.3],%s}' "$good_w" >one.json
gives "one contact" 0 solve one.json --tolerance 1e-12
gives "an unknown solver" 2 solve one.json --solver gauss
holds "the known ones are named" err "unknown solver 'gauss'; it can be automatic, gradient, local, newton, lemke"
gives "no file" 3 solve none.json
gives "no name" 2 solve
gives "two names" 2 solve one.json one.json

# --- published problems --------------------------------------------------------------------------------------------------
published=0
for file in "${PROBLEMS:-$SOURCE/../shared/data/friction_problems}"/*c.json*; do
    [ -f "$file" ] || continue
    published=$((published + 1))
    gives "${file##*/}" 0 solve "$file" --tolerance 1e-10
done
[ "$published" != 0 ] || echo "# skipped: no published problems in \$PROBLEMS"
done_testing
