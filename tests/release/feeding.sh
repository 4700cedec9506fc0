#!/usr/bin/env bash
# feeding.sh -- parts in a shaken tray: recesses fill, and no part falls through or out.
#
# A part has found a recess when its centre of mass has been over that, and below the tray's top by what no part on the top is, for half
# a second. More recesses are filled in the last second than were in the second one: a part that lies in one stays there as a rule, but
# another may knock it out (so it is in 3 of 11 starts). SEEDS="1 3 5" tries other starts.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
IMPEL=${IMPEL:-$SOURCE/build/release/impel}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
bad=0
for seed in ${SEEDS:-2}; do
  sed "s/\"seed\": 2/\"seed\": $seed/" "$SOURCE/scenes/table1/part_feeding.json" > "$folder/feeding.json"
  rm -f "$folder/feeding.csv"
  "$IMPEL" run "$folder/feeding.json" -q -o "$folder/feeding.csv"
  awk -F, -v seed="$seed" '
    function near(a, b, within) { return a - b < within && b - a < within }
    function count() {
      if (now > found) printf "  %.2f s: %d recesses\n", t, now
      if (now < found) left += found - now
      if (t >= 1 && t < 2) early += now / 60
      if (t >= 4 && t < 5) late += now / 60
      found = now; now = 0
    }
    NR == 1 { next }
    $2 == "tray" { count(); t = $1; x = $3; y = $4; z = $5; next }
    { dx = $3 - x; dy = $4 - y; dz = $5 - z; over = 0
      for (i = -3; i <= 3; i += 2) if (near(dx, 0.04 * i, 0.023) && (near(dy, 0.045, 0.013) || near(dy, -0.045, 0.013))) over = 1
      for_how_long[$2] = over && dz < 0.005 ? for_how_long[$2] + 1 : 0
      now += for_how_long[$2] >= 30
      lost += dz < -0.012 || dz > 0.25 || !near(dx, 0, 0.16) || !near(dy, 0, 0.09) }
    END { count()
          printf "start %d: %d of 8 recesses filled, %.1f early and %.1f late, left again %d, lost %d\n", seed, found, early, late, left, lost
          exit !(found >= 1 && late >= early && lost == 0) }' "$folder/feeding.csv" || bad=1
done
exit $bad
