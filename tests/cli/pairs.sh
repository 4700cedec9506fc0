#!/usr/bin/env bash
# pairs.sh -- impel info SCENE --pairs: who is near whom, by which features, and how soon they could touch.
#
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"

cat > two.json <<'JSON'
{ "impel": 1, "gravity": [0, 0, 0],
  "materials": { "m": { "friction": 0.3, "restitution": 0.5 } },
  "bodies": [
    { "name": "low", "material": "m", "fixed": true, "shape": { "box": { "size": [1, 1, 1] } } },
    { "name": "high", "material": "m", "shape": { "box": { "size": [1, 1, 1] } }, "position": [0, 0, 2], "velocity": [0, 0, -0.5] } ] }
JSON
gives "a table" 0 info two.json --pairs
holds "the heads with units" out 'distance m .*not before s'
holds "names, features, distance, normal" out '^low +box face [0-9]+ +high +box face [0-9]+ +1 +0 0 -1 '
gives "as JSON" 0 info two.json --pairs --json
json "which is one object" out
holds "the distance" out '"distance": 1,'
holds "a metre at half a metre a second takes two" out '"not_before": (1\.99999|2)'
gives "an unknown option" 2 info two.json --pairss
done_testing
