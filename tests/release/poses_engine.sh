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
counts() { sed -n '/^  "families"/,/^  "poses"/s/^ *"count": \([0-9]*\),.*/\1/p'; }   # of the families

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

# known EXPECTED HALF_WIDTHS PART [FLAG...]: 1e5 drops beside the distributions of docs/reference/drop-tests.md, by height of the poses; half
# widths are 95 % of the references' own. Cells under 20 pooled.
known() {
  local expected=$1 widths=$2; shift 2
  "$IMPEL" poses "$@" -q -n 100000 --json 2> /dev/null | counts | tr '\n' ' ' | awk -v e="$expected" -v w="$widths" -v part="$*" '
    { k = split(e, p, " "); split(w, half, " ")
      for (i = 1; i <= k; i++) {
        want = p[i] * 1e5; own = half[i] / 1.96 * 1e5
        if (want < 20) { pool_want += want; pool += $i; continue }
        chi += ($i - want) ^ 2 / (want + own ^ 2); cells++
      }
      if (pool_want > 0) { chi += (pool - pool_want) ^ 2 / (pool_want + 1); cells++ }
      df = cells - 1; v = 2 / (9 * df); x = 1 - v + 3.0902 * sqrt(v); limit = df * x ^ 3
      printf "%-40s 100000 drops beside docs/reference/drop-tests.md: chi-square %.2f, %d degrees of freedom, limit %.1f\n", part, chi, df, limit
      exit !(k == NF && chi < limit) }' || bad=1
}

folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
compare scenes/parts/l_part.json
compare scenes/parts/brick.json
compare scenes/parts/l_part.json --law stronge --e 0.6
[ -z "${IMPEL_SOAK:-}" ] || compare scenes/parts/hull20.json --drop-height 1
known ".3217 .3217 .1713 .0932 .0922" ".001 .001 .001 .001 .001" scenes/parts/l_part.json
known ".4001 .4001 .0953 .0953 .0047 .0047" ".0008 .0008 .0008 .0008 .0002 .0002" scenes/parts/brick.json
known ".4368 .4211 .0548 .0458 .0334 .0001 .0076 .0003 .0001" ".0006 .0008 .0005 .0003 .0004 .0001 .0002 .0001 .0001" scenes/parts/hull20.json --drop-height 1
exit $bad
