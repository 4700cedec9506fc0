#!/usr/bin/env bash
# poses_journal.sh -- impel poses in pieces: shards, journals, kills, resumes, merges; the end is always that of one run.
#
# IMPEL_SOAK=1 makes the long form: 200 kills.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"
kills=${POSES_KILLS:-${IMPEL_SOAK:+200}}; kills=${kills:-20}

cat >brick.json <<'SCENE'
{ "impel": 1, "materials": { "steel": { "friction": 0.3, "restitution": 0.3 } },
  "bodies": [ { "name": "brick", "material": "steel", "shape": { "box": { "size": [0.03, 0.02, 0.01] } } } ] }
SCENE
value() { sed -n "s/^  \"$2\": \(.*[^,]\),\{0,1\}\$/\1/p" "$1"; }      # value FILE KEY: of the top level
plain() { awk '/"timing"/ { exit } /"shard"/ { skip = 1 } !skip { print } /^  }/ { skip = 0 }' "$1"; }   # no timing, no shard
say() { head -1 err; }
resum() {   # FILE: the sum of a manifest that was changed on purpose (FNV-1a; bash counts modulo 2^64, too)
    local at byte sum=-3750763034362895579
    at=$(grep -obE '^  "sum"' "$1" | cut -d: -f1)
    for byte in $(head -c $((at - 2)) "$1" | od -An -v -tu1); do sum=$(((sum ^ byte) * 1099511628211)); done
    sed -i "s/^  \"sum\": .*/  \"sum\": \"$(printf '%016x' "$sum")\"/" "$1"
}
same() { if [ "$(plain "$2")" = "$(plain "$3")" ]; then ok "$1"; else not_ok "$1" "$(diff <(plain "$2") <(plain "$3") | head -4)"; fi; }

# --- shards ----------------------------------------------------------------------------------------------------------
run poses brick.json -n 50000 --json
cp out whole.json                             # 13 blocks, the last of 848 trials; a check of one
for i in 0 1 2; do gives "shard $i of 3" 0 poses brick.json -n 50000 --shard "$i/3" -o "$i.json" -q; done
json "a shard is JSON" 0.json
holds "it says which" 1.json '^    "index": 1,'
is "its blocks" "$(grep -cE '^      \[[0-9]+, "[0-9a-f]{16}"\]' 1.json)" 4
gives "merge" 0 poses merge 2.json 0.json 1.json --json
same "three shards are the whole" out whole.json
is "the hash, too" "$(value out hash)" "$(value whole.json hash)"
gives "merge as a table" 0 poses merge 2.json 0.json 1.json
holds "is the report" out '^50000 drops, '
gives "merge -o" 0 poses merge 0.json 1.json 2.json -o merged.json -q
same "is the whole" merged.json whole.json
gives "merge: one is missing" 3 poses merge 0.json 2.json
is "its first block is named" "$(say)" "impel poses: block 1 is missing, of 13 blocks 4; --resume makes those of a journal"
gives "merge: one is there twice" 3 poses merge 0.json 1.json 2.json 1.json
is "its first block is named" "$(say)" "impel poses: block 1 is there twice, in 1.json and in 1.json"
gives "more shards than blocks" 0 poses brick.json -n 5000 --shard 7/9 -o none.json -q
is "are empty" "$(value none.json drops)" 0
gives "a single trial" 0 poses brick.json -n 1 --shard 0/1 -o one.json -q
gives "is merged" 0 poses merge one.json -q
gives "more trials than 32 bits count" 0 poses brick.json -n 10000000000 --shard 2441406/2441407 -o far.json -q
is "the last shard has the last trials" "$(value far.json drops)" $((10000000000 - 2441406 * 4096))
run poses brick.json -n 50000 --shard 1/3 --mu 0.4 -o other.json -q
gives "merge: other parameters" 3 poses merge 0.json other.json 2.json
is "both are shown" "$(say)" "impel poses: other.json: not about the same drops: mu_static is 0.4 in other.json and 0.3 in 0.json"
sed 's/0.03,/0.04,/' brick.json >long.json
run poses long.json -n 50000 --shard 1/3 -o other.json -q --force
gives "merge: another part" 3 poses merge 0.json other.json 2.json
holds "says so" err "the part's hash is [0-9a-f]{16} in other.json and [0-9a-f]{16} in 0.json"
head -c 3000 1.json >torn.json
gives "merge: half a file" 3 poses merge 0.json torn.json 2.json
sed 's/^      "count": [0-9]*/      "count": 1/' 1.json >torn.json
gives "merge: counts that do not add up" 3 poses merge 0.json torn.json 2.json
gives "--ci cannot be shared out" 2 poses brick.json --ci 0.01 --shard 0/2

# --- a journal -------------------------------------------------------------------------------------------------------
gives "a journal" 0 poses brick.json -n 50000 --journal j --json
same "changes nothing" out whole.json
json "its manifest is JSON" j/manifest.json
gives "it is not written over" 6 poses brick.json -n 50000 --journal j
is "--resume is named" "$(say)" "impel poses: j: exists already; --resume goes on with it"
gives "verify" 0 poses verify j
is "it is complete" "$(cat out)" "complete: 13 of 13 blocks, 1 of 1 of the check, hash $(value whole.json hash | tr -d '"')"
gives "resume of what is complete" 0 poses brick.json -n 50000 --journal j --resume --json
same "is the whole" out whole.json
gives "merge of a folder" 0 poses merge j --json
same "is the whole" out whole.json
for change in "--mu 0.2" "--e 0.2" "--seed 2" "-n 49999" "--law stronge" "--drop-height 0.4" "--spin random:1" "--velocity 0,0,-1" "--settle"; do
    # shellcheck disable=SC2086
    gives "resume with $change" 3 poses brick.json -n 50000 --journal j --resume $change
done
gives "resume with another part" 3 poses long.json -n 50000 --journal j --resume
run poses brick.json -n 50000 --journal j --resume --seed 2
is "both values are shown" "$(say)" "impel poses: j/manifest.json: not about the same drops: seed is 1 in j/manifest.json and 2 in this run"
gives "a csv keeps no journal" 2 poses brick.json --journal k -o k.csv
gives "a folder that cannot be" 6 poses brick.json --journal brick.json/x
gives "resume of what is not there begins it" 0 poses brick.json -n 5000 --journal fresh --resume -q
gives "and is complete" 0 poses verify fresh
mkdir bare
gives "a folder without a manifest is begun" 0 poses brick.json -n 5000 --journal bare --resume -q

# shards into one folder, resumed by one run
for i in 0 2; do gives "shard $i into a folder" 0 poses brick.json -n 50000 --shard "$i/3" --journal parts --resume -q; done
gives "verify: some are missing" 4 poses verify parts
is "the first is named" "$(cat out)" "not complete: 9 of 13 blocks, 1 of 1 of the check; the first that is missing is 1"
gives "merge: some are missing" 3 poses merge parts
gives "one run makes the others" 0 poses brick.json -n 50000 --journal parts --resume --json
same "and has the whole" out whole.json
holds "it says what was there" err '^note: parts: 9 blocks are there already'
for i in 0 1; do run poses brick.json -n 50000 --shard "$i/2" --journal "half$i" -q; done
gives "merge of two folders" 0 poses merge half0 half1 --json
same "is the whole" out whole.json
gives "merge of a folder and of itself" 3 poses merge half0 half1 half0
run poses brick.json -n 50000 --shard 1/2 -o half1.json -q
gives "merge of a folder and a file" 0 poses merge half0 half1.json --json
same "is the whole" out whole.json

# --- damage ----------------------------------------------------------------------------------------------------------
size=$(stat -c %s j/journal.0.bin)
broken() { rm -rf b; cp -r j b; }
for cut in 1 7 30; do
    broken
    truncate -s $((size - cut)) b/journal.0.bin
    gives "the end is torn by $cut bytes" 0 poses brick.json -n 50000 --journal b --resume --json
    holds "it is said" err '^note: b: [0-9]+ bytes at its end, of a record that was not finished, were left out'
    same "and made again" out whole.json
done
broken
truncate -s 5 b/journal.0.bin
gives "hardly begun" 0 poses brick.json -n 50000 --journal b --resume --json
same "is made again" out whole.json
for at in 12 40 200; do
    broken
    printf '\377' | dd of=b/journal.0.bin bs=1 seek="$at" conv=notrunc status=none
    gives "byte $at is wrong" 8 poses brick.json -n 50000 --journal b --resume
    gives "merge sees it" 8 poses merge b
    gives "verify sees it" 8 poses verify b
done
holds "it is said where" err 'b/journal.0.bin: the record at byte [0-9]+ is damaged; others follow it'
broken
printf 'X' | dd of=b/journal.0.bin bs=1 seek=0 conv=notrunc status=none
gives "no journal at all" 8 poses verify b
broken
cp b/manifest.json good.json
resum b/manifest.json
is "its sum is known" "$(cat b/manifest.json)" "$(cat good.json)"
sed -i 's/"identity": "[0-9a-f]/"identity": "x/' b/manifest.json
gives "a manifest without its sum" 8 poses brick.json -n 50000 --journal b --resume
is "is damaged" "$(say)" "impel poses: b/manifest.json: is damaged: its sum is not that of its text"
resum b/manifest.json
gives "blocks of another build" 3 poses brick.json -n 50000 --journal b --resume
holds "are told by some trials" err 'not about the same drops: identity is x'
missed=0
for at in $(seq 0 $(($(wc -c <good.json) / 40)) "$(wc -c <good.json)"); do   # some forty bytes, all over it
    [ "$at" -lt "$(wc -c <good.json)" ] || continue
    cp good.json b/manifest.json
    printf '\377' | dd of=b/manifest.json bs=1 seek="$at" conv=notrunc status=none
    run poses verify b
    [ "$code" = 8 ] || missed=$((missed + 1))
done
is "a wrong byte anywhere in a manifest is damage" "$missed" 0
for harm in 'truncate -s 100 b/manifest.json' 'sed -i s/poses.journal.2/poses.journal_9/ b/manifest.json' 'sed -i s/"block"/"clock"/ b/manifest.json'; do
    broken
    $harm
    gives "a manifest that is broken ($harm)" 8 poses verify b
    gives "is not merged either" 8 poses merge b
done
gives "a folder without a journal" 3 poses verify .
broken
echo '{' >b/manifest.json
gives "half a manifest" 8 poses brick.json -n 50000 --journal b --resume

if [ -e /dev/full ] && command -v prlimit >/dev/null; then
    rm -rf b
    trap '' XFSZ                              # a limit on the size of files is a disk that is full
    (prlimit --fsize=1000 "$IMPEL" poses brick.json -n 200000 --journal b -q) 2>err
    is "the disk is full" "$?" 6
    trap - XFSZ
    holds "it is said" err '^impel poses: b/(journal.0.bin|manifest.json): '
    gives "there is room again" 0 poses brick.json -n 50000 --journal bb -q
fi

# --- another process, --ci, Ctrl-C -------------------------------------------------------------------------------------
set -m
env --default-signal=INT "$IMPEL" poses brick.json -n 100000000 --journal busy -q 2>/dev/null &
pid=$!
sleep 0.4
gives "two runs into one journal" 6 poses brick.json -n 100000000 --journal busy --resume
is "says so" "$(say)" "busy/journal.0.bin: another process writes it; one does at a time"
kill -s INT "$pid"
wait "$pid"
is "Ctrl-C: exit 130" "$?" 130
gives "verify: not complete" 4 poses verify busy
run poses brick.json --ci 0.005 --json
cp out ci.json
"$IMPEL" poses brick.json --ci 0.005 --journal ci -q 2>/dev/null &
pid=$!
sleep 0.1
kill -s KILL "$pid"
wait "$pid" 2>/dev/null
gives "--ci, killed and resumed" 0 poses brick.json --ci 0.005 --journal ci --resume --json
same "ends with the same block" out ci.json
gives "and verifies" 0 poses verify ci

# --- kills -----------------------------------------------------------------------------------------------------------
n=$((kills * 20000))
run poses brick.json -n "$n" --json
cp out killed.json
RANDOM=7
for ((k = 0; k < kills; k++)); do
    # a shard of three, killed; every tenth time all of it as one run
    [ $((k % 10)) != 9 ] || shards=""
    [ $((k % 10)) = 9 ] || shards="--shard $((k % 3))/3"
    # shellcheck disable=SC2086
    "$IMPEL" poses brick.json -n "$n" $shards --journal killed --resume -q --threads $((1 + k % 3)) >/dev/null 2>>killed.err &
    pid=$!
    sleep "0.$(printf %03d $((5 + RANDOM % 90)))"
    kill -s KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
done
lacks "no kill does damage" killed.err '^impel'
gives "after $kills kills" 0 poses brick.json -n "$n" --journal killed --resume --json
same "the result is that of one run" out killed.json
gives "and verifies" 0 poses verify killed
done_testing
