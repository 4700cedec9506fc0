#!/usr/bin/env bash
# bench.sh -- impel bench table1: its table, its JSON, and what it refuses. Only quick scenes are run.
#
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"

gives "one scene" 0 bench table1 --scenes "$SOURCE/scenes/table1" --only rattleback
holds "the heads with units" out '^scene +band um +virtual s +CPU s +x faster +events +1995 s +1995 slowdown +20 x real time$'
holds "the row, with the paper's figures" out '^rattleback tops +40 +5 +[0-9.]+ +[0-9.]+ +[0-9]+ +18\.0 +3\.6 +(yes|no)$'
holds "and in a finer band" out '^rattleback, finer +4 +5 +[0-9.]+ +[0-9.]+ +[0-9]+ +- +- +(yes|no)$'
is "nothing else" "$(wc -l <out)" 3
is "no progress where nobody looks" "$(wc -c <err)" 0
gives "as JSON" 0 bench table1 --scenes "$SOURCE/scenes/table1" --only chain_of_balls --json
json "which is one object" out
holds "the schema" out '"schema": "impel-bench-1"'
holds "the paper's slowdown" out '"paper_slowdown": 1\.48'
holds "it went to its end" out '"complete": true'

gives "no suite" 2 bench
is "it says which there are" "$(head -1 err)" "impel bench: which suite? there is table1"
gives "an unknown suite" 2 bench table2
gives "an unknown scene" 2 bench table1 --only domino
is "the nearest scene is named" "$(head -1 err)" "impel bench: unknown scene 'domino'; did you mean 'dominos'?"
gives "a folder without scenes" 3 bench table1 --scenes nowhere
is "one message" "$(wc -l <err)" 1
done_testing
