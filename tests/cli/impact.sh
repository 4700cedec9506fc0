#!/usr/bin/env bash
# impact.sh -- impel impact: what it prints, what it writes, and what it refuses.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"

box=(--K 2.3,2.9,1.8,0.15,0.7,-0.4 --u=-0.8,0.3,-1 --mu 0.25 --e 0.7)
rod=(--K 2.92,4,2.08,0,-1.44,0 --u 0.5,0,-1 --mu 0.8 --e 0.9)

gives "a box that turns" 0 impact "${box[@]}" --json
json "is JSON" out
holds "the impulse" out '"p": \[0.1096216353786[0-9]*, -0.00013236295268[0-9]*, 0.8520245200910[0-9]*\]'
holds "the velocity after" out '"u": \[0.0485270709917[0-9]*, -0.024750415292[0-9]*, 0.610432226110[0-9]*\]'
is "two phases" "$(grep -c '"stage"' out)" 2
gives "for people" 0 impact "${box[@]}"
holds "energy" out '^energy change -0.20716770992998[0-9]* J$'
gives "Stronge" 0 impact "${box[@]}" --law stronge --json
holds "other impulse" out '"p": \[0.105969606'
gives "Newton creates energy" 0 impact "${rod[@]}" --law newton --json
holds "and warns" err '^warning: Newton'
holds "in JSON too" out '"energy_created": true'
gives "Poisson does not" 0 impact "${rod[@]}" --json
is "and is silent" "$(cat err)" ""
gives "at rest it slides off" 0 impact --K 2.92,4,2.08,0,1.44,0 --u 0,0,-1 --mu 0.3 --e 0.5 --json
is "along the ray" "$(grep -c '"mode": "ray"' out)" 2
gives "unless static friction holds" 0 impact --K 2.92,4,2.08,0,1.44,0 --u 0,0,-1 --mu 0.3 --mu-static 0.5 --e 0.5 --json
is "it sticks" "$(grep -c '"mode": "stick"' out)" 2

run impact "${box[@]}" --json
cp out without
gives "the path" 0 impact "${box[@]}" --json -o path.csv
if cmp -s out without; then ok "looking changes nothing"; else not_ok "looking changes nothing"; fi
is "its head" "$(head -1 path.csv)" "stage,mode,ux,uy,uz,px,py,pz"
is "its start" "$(sed -n 2p path.csv)" "compression,slide,-0.80000000000000004,0.29999999999999999,-1,0,0,0"
holds "its end" path.csv '^restitution,slide,0.0485270709917.*,0.61043222611.*,0.8520245200910'
gives "not twice" 6 impact "${box[@]}" -o path.csv
gives "unless forced" 0 impact "${box[@]}" -o path.csv -f
gives "nowhere" 6 impact "${box[@]}" -o no/where.csv

gives "the field" 0 impact --field --K 2.3,2.9,1.8,0.15,0.7,-0.4 --mu 0.25
is "441 points and a head" "$(wc -l <out)" 442
is "its head" "$(head -1 out)" "ux,uy,dux,duy,duz"
cp out on_stdout
gives "into a file" 0 impact --field --K 2.3,2.9,1.8,0.15,0.7,-0.4 --mu 0.25 -o field.csv
if cmp -s field.csv on_stdout; then ok "the same"; else not_ok "the same"; fi
gives "the field is no JSON" 2 impact --field --K 2.3,2.9,1.8,0.15,0.7,-0.4 --mu 0.25 --json

refused() {   # NAME TEXT WORDS...: bad input, in one sentence
    local name=$1 text=$2
    shift 2
    gives "$name" 3 impact "$@"
    is "the text of it" "$(cat err)" "impel impact: $text"
}
refused "parting" "u.z is 1 m/s; it must be negative: bodies that part do not collide" --K 3.5,3.5,1,0,0,0 --u 1,0,1 --mu 0.3 --e 0.5
refused "no matrix" "K [3.5, 0, 2; 3.5, 0; 1] is not positive definite; no two bodies have such a matrix" --K 3.5,3.5,1,0,2,0 --u 1,0,-1 --mu 0.3 --e 0.5
refused "e above 1" "restitution 1.5; it must lie between 0 and 1" --K 3.5,3.5,1,0,0,0 --u 1,0,-1 --mu 0.3 --e 1.5
refused "e below 0" "restitution -0.5; it must lie between 0 and 1" --K 3.5,3.5,1,0,0,0 --u 1,0,-1 --mu 0.3 --e -0.5
refused "mu negative" "friction -0.3; it must be finite and not negative" --K 3.5,3.5,1,0,0,0 --u 1,0,-1 --mu -0.3 --e 0.5
refused "static below dynamic" "static friction 0.2; it must be finite and not below the dynamic 0.3" --K 3.5,3.5,1,0,0,0 --u 1,0,-1 --mu 0.3 --mu-static 0.2 --e 0.5
refused "static friction of zero below dynamic" "static friction 0; it must be finite and not below the dynamic 0.3" --K 3.5,3.5,1,0,0,0 --u 1,0,-1 --mu 0.3 --mu-static 0 --e 0.5
gives "a field of nothing" 3 impact --field --K 3.5,3.5,1,0,2,0 --mu 0.3
is "no output" "$(cat out)" ""

gives "nothing said" 2 impact
is "what is missing" "$(head -1 err)" "impel impact: --K is missing; write it like --K 3.5,3.5,1,0,0,0"
for bad in 1,2 1,2,3,4 1,,2 1,2,x 1,2, '1 2 3' nan,0,-1 inf,0,-1; do
    gives "u '$bad'" 2 impact --K 3.5,3.5,1,0,0,0 --u "$bad" --mu 0.3 --e 0.5
done
gives "five of six" 2 impact --K 3.5,3.5,1,0,0 --u 1,0,-1 --mu 0.3 --e 0.5
gives "no e" 2 impact --K 3.5,3.5,1,0,0,0 --u 1,0,-1 --mu 0.3
gives "unknown law" 2 impact "${box[@]}" --law euler
is "the laws are named" "$(head -1 err)" "impel impact: --law 'euler'; it can be poisson, stronge or newton"
gives "a stray word" 2 impact "${box[@]}" scene.json
gives "an option of another command" 2 impact "${box[@]}" --dt 1
gives "impact --help" 0 impact --help
done_testing
