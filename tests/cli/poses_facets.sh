#!/usr/bin/env bash
# poses_facets.sh -- impel poses --settle on a die whose flat sides are triangles of rounded numbers, beside one of polygons.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"
value() { sed -n "s/^  \"$2\": \(.*[^,]\),\{0,1\}\$/\1/p" "$1"; }      # value FILE KEY: of the top level
timing() { sed -n "s/^    \"$2\": \([0-9.e+-]*\),\{0,1\}\$/\1/p" "$1"; }
counts() { sed -n 's/^      "count": \([0-9]*\),.*/\1/p' "$1"; }

# A die of 20 planes at one distance in random directions: die.obj has its polygons, die.stl triangles of 8 digits, as many as
# 32-bit numbers hold.
awk 'function random() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
     function angle_of(i,    a, b) {      # of corner i about the middle of the face
         a = b = 0
         for (k = 0; k < 3; k++) { a += (p[i, k] - c[k]) * u[k]; b += (p[i, k] - c[k]) * w[k] }
         return atan2(b, a) }
     BEGIN {
         seed = 12345; planes = 20; size = 0.01; points = 0
         for (i = 0; i < planes; i++) {
             many[i] = 0
             z = 2 * random() - 1; phi = 6.283185307179586 * random(); r = sqrt(1 - z * z)
             n[i, 0] = r * cos(phi); n[i, 1] = r * sin(phi); n[i, 2] = z
         }
         for (i = 0; i < planes; i++) for (j = 0; j < i; j++) for (l = 0; l < j; l++) {
             det = 0
             for (k = 0; k < 3; k++) {
                 a = (k + 1) % 3; b = (k + 2) % 3
                 x[k] = n[j, a] * n[l, b] - n[j, b] * n[l, a] + n[l, a] * n[i, b] - n[l, b] * n[i, a] + n[i, a] * n[j, b] - n[i, b] * n[j, a]
                 det += n[i, k] * (n[j, a] * n[l, b] - n[j, b] * n[l, a])
             }
             if (det * det < 1e-16) continue
             inside = 1
             for (f = 0; f < planes && inside; f++) inside = (n[f, 0] * x[0] + n[f, 1] * x[1] + n[f, 2] * x[2]) / det < 1 + 1e-9
             if (!inside) continue
             for (k = 0; k < 3; k++) p[points, k] = size * x[k] / det
             on[i, many[i]++] = on[j, many[j]++] = on[l, many[l]++] = points++
         }
         for (i = 0; i < points; i++) printf "v %.17g %.17g %.17g\n", p[i, 0], p[i, 1], p[i, 2] >"die.obj"
         print "solid die" >"die.stl"
         for (f = 0; f < planes; f++) {
             if (many[f] < 3) continue
             for (k = 0; k < 3; k++) { c[k] = 0; for (i = 0; i < many[f]; i++) c[k] += p[on[f, i], k] / many[f] }
             for (k = 0; k < 3; k++) u[k] = p[on[f, 0], k] - c[k]
             for (k = 0; k < 3; k++) { a = (k + 1) % 3; b = (k + 2) % 3; w[k] = n[f, a] * u[b] - n[f, b] * u[a] }
             for (i = 0; i < many[f]; i++) { turn[i] = angle_of(on[f, i]); corner[i] = on[f, i] }
             for (i = 1; i < many[f]; i++) for (j = i; j > 0 && turn[j] < turn[j - 1]; j--) {
                 t = turn[j]; turn[j] = turn[j - 1]; turn[j - 1] = t
                 t = corner[j]; corner[j] = corner[j - 1]; corner[j - 1] = t
             }
             line = "f"
             for (i = 0; i < many[f]; i++) line = line " " corner[i] + 1
             print line >"die.obj"
             for (i = 1; i + 1 < many[f]; i++) {
                 print "facet normal 0 0 0\nouter loop" >"die.stl"
                 s[0] = corner[0]; s[1] = corner[i]; s[2] = corner[i + 1]
                 for (k = 0; k < 3; k++) printf "vertex %.7e %.7e %.7e\n", p[s[k], 0], p[s[k], 1], p[s[k], 2] >"die.stl"
                 print "endloop\nendfacet" >"die.stl"
             }
         }
         print "endsolid" >"die.stl"
     }'

gives "polygons" 0 poses die.obj --settle -n 200 --json -q
cp out polygons
gives "triangles" 0 poses die.stl --settle -n 200 --json -q
cp out triangles
is "there are more faces of these" "$(($(sed -n 's/^    "faces": \([0-9]*\),.*/\1/p' triangles) > $(sed -n 's/^    "faces": \([0-9]*\),.*/\1/p' polygons)))" 1
is "as many poses" "$(counts triangles | wc -l)" "$(counts polygons | wc -l)"
is "polygons all come to rest" "$(value polygons unresolved)" 0
is "triangles all come to rest" "$(value triangles unresolved)" 0
told=$(paste <(counts polygons) <(counts triangles) | awk '
    { a[NR] = $1; b[NR] = $2; s += $1; f += $2 }
    END { for (i = 1; i <= NR; i++) {
              p = (a[i] + b[i]) / (s + f)
              if (p * s < 10) { ps += a[i]; pf += b[i]; continue }
              chi += (a[i] / s - b[i] / f) ^ 2 / (p * (1 / s + 1 / f)); cells++ }
          p = (ps + pf) / (s + f)
          if (p * s >= 1) { chi += (ps / s - pf / f) ^ 2 / (p * (1 / s + 1 / f)); cells++ }
          df = cells - 1; v = 2 / (9 * df); x = 1 - v + 3.0902 * sqrt(v)
          print (s > 0 && f > 0 && df > 0 && chi < df * x ^ 3 ? "yes" : "no"), chi, df }')
is "they land alike" "${told%% *}" yes
slower=$(awk -v a="$(timing polygons cpu_s)" -v b="$(timing triangles cpu_s)" 'BEGIN { print (a > 0 && b < 3 * a) }')
is "and as fast, or nearly" "$slower" 1

# A can of 48 sides, thrown on its side: it rolls for some 20 s, and stops on one of them.
awk 'BEGIN {
    sides = 48; step = 6.283185307179586 / sides
    for (end = -1; end <= 1; end += 2) for (i = 0; i < sides; i++)
        printf "v %.17g %.17g %.17g\n", 0.02 * cos(step * i), 0.02 * sin(step * i), 0.015 * end
    bottom = top = "f"
    for (i = 0; i < sides; i++) { bottom = bottom " " sides - i; top = top " " sides + i + 1 }
    print bottom "\n" top
    for (i = 0; i < sides; i++) { j = (i + 1) % sides; print "f", i + 1, j + 1, sides + j + 1, sides + i + 1 } }' >can.obj
printf '0.70710678118,0.70710678118,0,0\n' >side.csv
gives "a can that rolls" 0 poses can.obj --settle --drop-height 0.03 --orientation side.csv --velocity 1.2,0,0 --spin random:0.3 -n 2 -o can.csv --json -q
is "comes to rest in time" "$(value out unresolved)" 0
is "after 21 s and more" "$(awk -F, 'NR > 1 && $6 > 21' can.csv | wc -l)" 2
done_testing
