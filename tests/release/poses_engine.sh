#!/usr/bin/env bash
# poses_engine.sh -- how parts land, by the kernel of the drops and by the general engine: one distribution.
#
# Two codes with nothing in common but the law: reduced coordinates and hops scaled to the motion against --method impulse with
# its event loop, closed hops and sleep. Chi-square of the counts, cells under 10 pooled, against the value that chance exceeds
# once in a thousand times. 300 trials of each part; IMPEL_SOAK=1: 2000.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
IMPEL=${IMPEL:-$SOURCE/build/release/impel}
cd "$SOURCE"
n=300; [ -z "${IMPEL_SOAK:-}" ] || n=2000
bad=0
counts() { sed -n 's/^ *"count": \([0-9]*\),.*/\1/p'; }

compare() {   # PART [FLAG...]
  local part=$1; shift
  "$IMPEL" poses "$part" -q -n "$n" --settle --json "$@" 2> /dev/null | counts > "$folder/slow"
  "$IMPEL" poses "$part" -q -n 100000 --json "$@" 2> /dev/null | counts > "$folder/fast"
  paste "$folder/slow" "$folder/fast" | awk -v part="$part $*" '
    { slow[NR] = $1; fast[NR] = $2; s += $1; f += $2 }
    END {
      for (i = 1; i <= NR; i++) {
        p = (slow[i] + fast[i]) / (s + f)
        if (p * s < 10) { ps += slow[i]; pf += fast[i]; continue }
        chi += (slow[i] / s - fast[i] / f) ^ 2 / (p * (1 / s + 1 / f)); cells++
      }
      p = (ps + pf) / (s + f)
      if (p * s >= 1) { chi += (ps / s - pf / f) ^ 2 / (p * (1 / s + 1 / f)); cells++ }
      df = cells - 1; v = 2 / (9 * df); x = 1 - v + 3.0902 * sqrt(v); limit = df * x ^ 3
      printf "%-40s %d trials to rest: chi-square %.2f, %d degrees of freedom, limit %.1f\n", part, s, chi, df, limit
      exit !(s > 0 && f == 100000 && chi < limit)
    }' || bad=1
}

folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
compare scenes/parts/l_part.json
compare scenes/parts/brick.json
compare scenes/parts/l_part.json --law stronge --e 0.6
[ -z "${IMPEL_SOAK:-}" ] || compare scenes/parts/hull20.json --drop-height 1
exit $bad
