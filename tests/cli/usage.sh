#!/usr/bin/env bash
# usage.sh -- help, slips on the command line, and the exit codes they end with.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"

gives "no command: usage" 2
gives "--help" 0 --help
holds "--help names the commands" out 'impel validate '
gives "--version" 0 --version
holds "--version is a version" out '^impel [0-9]+\.[0-9]+\.[0-9]+$'
gives "--limits" 0 --limits
holds "--limits names --max-bodies" out '^bodies +1000000 +--max-bodies'
for command in run info list hash validate help; do
    gives "$command --help" 0 "$command" --help
    cp out by_option
    gives "help $command" 0 help "$command"
    if cmp -s out by_option; then ok "help $command is $command --help"; else not_ok "help $command is $command --help"; fi
done
gives "help on nothing known" 2 help rnu
gives "unknown command" 2 runn
is "the nearest command is named" "$(head -1 err)" "impel: unknown command 'runn'; did you mean 'run'?"
gives "unknown option" 2 run scene.json --methd flight
is "the nearest option is named" "$(head -1 err)" "impel run: unknown option '--methd'; did you mean '--method'?"
gives "unknown letter" 2 run scene.json -x
gives "an option of another command" 2 list --dt 1
gives "no scene" 2 run
gives "two scenes" 2 run scene.json scene.json
gives "value missing" 2 run scene.json --dt
is "what is missing is named" "$(head -1 err)" "impel run: --dt needs a value: H"
gives "a flag takes no value" 2 run scene.json --quiet=1
for bad in 1,5 0x10 nan inf 1e999 1e ' 1' 1.0abc +-1 ''; do gives "dt '$bad' is no number" 2 run scene.json --dt "$bad"; done
run run scene.json --dt 1,5
is "the text of it" "$(head -1 err)" "impel run: --dt '1,5' is not a number; write it like 0.001"
gives "dt 0" 2 run scene.json --dt 0
gives "dt negative" 2 run scene.json --dt=-0.1
is "the text of it" "$(head -1 err)" "impel run: --dt -0.1; it must be greater than 0"
gives "time negative" 2 run scene.json -t -1
gives "threads negative" 2 run scene.json --threads -1
gives "threads beyond counting" 2 run scene.json --threads 99999999999999999999
gives "unknown method" 2 run scene.json --method fligth
holds "the nearest method is named" err "did you mean 'flight'"
gives "more steps than can be told apart" 5 run scene.json -t 1e6 --dt 1e-12
gives "--name=value" 0 run scene.json --time=0.1 --dt=0.05 -q
gives "-t0.1 attached" 0 run scene.json -t0.1 -q
gives "-- ends the options" 3 run -- --json
gives "every without a file" 2 run scene.json --every 0.1
gives "the last of two options counts" 0 run scene.json -t 1 -t 0.02 --json
holds "and is the one that is run" out '"time": 0.02,'
gives "--errors=json" 2 run scene.json --methd x --errors=json
json "errors are JSON" err
gives "--errors before the command" 2 --errors=json runn
json "and are JSON there too" err
gives "list: unknown shelf" 2 list shaps
gives "list: two shelves" 2 list shapes joints
gives "validate: unknown case" 2 validate brik
is "the nearest case is named" "$(head -1 err)" "impel validate: unknown case 'brik'; did you mean 'brick'?"
gives "hash: nothing" 2 hash
gives "hash: one trace" 2 hash a.csv
gives "info --scale on a scene" 2 info scene.json --scale 0.001
done_testing
