#!/usr/bin/env python3
"""dice.py -- makes the dice of scenes/dice: die_05.obj .. die_15.obj, convex solids with 5 to 15 flat faces. Run it in the
root of the repository; it prints one line for each die.

Seen from the centre of mass of the uniform solid every face has the solid angle 4 pi / n. Such a die is fair if it comes
down infinitely slowly: then it lands on the face that is pierced by the vertical through its centre of mass, and stays,
because every face is a stable pose. Each die has the volume of a cube of 16 mm.

  1. n random directions, spread by a few steps of repulsion: 1 / distance^2 between each two, and renormalisation.
  2. Newton's method for the offsets d of the planes n.x = d and a vector a that is added to all normals before they are
     scaled to length 1. n + 3 equations: n - 1 solid angles (their sum is 4 pi), the centre of mass at the origin, the
     volume. Offsets alone are not enough: they have n - 4 degrees of freedom besides position and size.
  3. The first seed is taken whose die has every foot of the centre of mass at least MARGIN inside its face, so that all
     poses are stable, and no edge shorter than EDGE.

The repulsion stops early, so that no two faces are alike: at its end the dice with 6 and 12 faces would be the cube and the
regular dodecahedron. Same bytes wherever it runs: coordinates are rounded to 9 digits,
which moves the solid angles by less than 1e-8 sr.  SPDX-License-Identifier: MIT
"""
import math
import os

SIZE = 0.016                     # m; edge of the cube of equal volume
MARGIN = 2.0 / 16                # of SIZE; smallest distance from the foot of the centre of mass to an edge of the face
EDGE = 1.0 / 16                  # of SIZE; shortest edge
STEPS = 12                       # of repulsion
TOLERANCE = 1e-12                # sr, and of lengths in units of SIZE


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def add(a, b, s=1.0):
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


def unit(a):
    return add((0, 0, 0), a, 1 / math.sqrt(dot(a, a)))


def generator(seed):
    """Numbers in -1 .. 1: Knuth's linear congruential generator of 64 bits, its upper 53 bits."""
    state = seed
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield (state >> 11) / 2.0**52 - 1


def directions(n, seed):
    """n unit vectors, uniform, then spread by repulsion."""
    draw, out = generator(1000 * n + seed), []
    for _ in range(20):
        next(draw)
    while len(out) < n:
        v = (next(draw), next(draw), next(draw))
        if 0.01 < dot(v, v) < 1: out.append(unit(v))
    for _ in range(STEPS):
        moved = []
        for i, a in enumerate(out):
            push = (0.0, 0.0, 0.0)
            for j, b in enumerate(out):
                if i == j: continue
                apart = add(a, b, -1)
                square = dot(apart, apart) + 0.01
                push = add(push, apart, 1 / (square * math.sqrt(square)))
            moved.append(unit(add(a, push, 0.5 / n)))
        out = moved
    return out


def corner(planes):
    """The point in three planes (normal, offset)."""
    (a, d), (b, e), (c, f) = planes
    bc, ca, ab = cross(b, c), cross(c, a), cross(a, b)
    return add(add(add((0, 0, 0), bc, d), ca, e), ab, f), dot(a, bc)


def face(normals, offsets, j):
    """The polygon of face j, counter-clockwise from outside: a list of (point, index of the face behind the edge that
    begins there); empty if the face is cut off."""
    n, foot = normals[j], add((0, 0, 0), normals[j], offsets[j])
    side = unit(cross(n, (1, 0, 0) if abs(n[0]) < 0.7 else (0, 1, 0)))
    up, far = cross(n, side), 50.0
    polygon = [(add(add(foot, side, far * s), up, far * t), -1) for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    for k, other in enumerate(normals):
        if k == j or not polygon: continue
        height = [dot(other, p) - offsets[k] for p, _ in polygon]
        kept = []
        for i, (p, behind) in enumerate(polygon):
            q, h, g = polygon[(i + 1) % len(polygon)][0], height[i], height[(i + 1) % len(polygon)]
            if h <= 0: kept.append((p, behind))
            if (h <= 0) != (g <= 0):
                middle = add(p, add(q, p, -1), h / (h - g))
                kept.append((middle, k if h <= 0 else behind))
        polygon = kept
    return polygon


def solid(normals, offsets):
    """Polygons of all faces, solid angles seen from the origin, volume, centre of mass; None if a face is missing or the
    solid has no bound."""
    polygons, angles, volume, moment = [], [], 0.0, (0.0, 0.0, 0.0)
    for j in range(len(normals)):
        polygon = face(normals, offsets, j)
        if len(polygon) < 3 or offsets[j] <= 0 or any(behind < 0 for _, behind in polygon): return None
        a, angle = polygon[0][0], 0.0
        for (b, _), (c, _) in zip(polygon[1:], polygon[2:]):
            la, lb, lc = math.sqrt(dot(a, a)), math.sqrt(dot(b, b)), math.sqrt(dot(c, c))
            six = dot(a, cross(b, c))                             # 6 times the volume of the tetrahedron to the origin
            angle += 2 * math.atan2(six, la * lb * lc + dot(a, b) * lc + dot(a, c) * lb + dot(b, c) * la)
            volume += six / 6
            moment = add(moment, add(add(a, b), c), six / 24)
        polygons.append(polygon)
        angles.append(angle)
    return polygons, angles, volume, add((0, 0, 0), moment, 1 / volume)


def solve(matrix, right):
    """Gaussian elimination with pivoting; None if singular."""
    rows, n = [list(row) + [r] for row, r in zip(matrix, right)], len(right)
    for i in range(n):
        best = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[best] = rows[best], rows[i]
        if abs(rows[i][i]) < 1e-12: return None
        for r in range(i + 1, n):
            factor = rows[r][i] / rows[i][i]
            for c in range(i, n + 1):
                rows[r][c] -= factor * rows[i][c]
    out = [0.0] * n
    for i in range(n - 1, -1, -1):
        rest = rows[i][n]
        for c in range(i + 1, n):
            rest -= rows[i][c] * out[c]
        out[i] = rest / rows[i][i]
    return out


def planes(start, unknowns):
    n = len(start)
    return [unit(add(v, unknowns[n:])) for v in start], unknowns[:n]


def residual(start, unknowns):
    made = solid(*planes(start, unknowns))
    if made is None: return None
    _, angles, volume, centre = made
    return [w - 4 * math.pi / len(start) for w in angles[:-1]] + list(centre) + [volume - 1]


def fair(start):
    """Normals and offsets of the fair die near these directions, in units of SIZE; None if Newton's method fails."""
    n = len(start)
    unknowns = [0.6] * n + [0.0] * 3
    now = residual(start, unknowns)
    for _ in range(60):
        if now is None: return None
        if max(map(abs, now)) < TOLERANCE: return planes(start, unknowns)
        columns = []
        for i in range(n + 3):                                    # derivatives by central differences
            ends = [residual(start, unknowns[:i] + [unknowns[i] + h] + unknowns[i + 1:]) for h in (1e-5, -1e-5)]
            if None in ends: return None
            columns.append([(p - m) / 2e-5 for p, m in zip(*ends)])
        step, size = solve([list(row) for row in zip(*columns)], now), 1.0
        if step is None: return None
        while True:                                               # shorter steps until the largest residual falls
            tried = [u - size * s for u, s in zip(unknowns, step)]
            then = residual(start, tried)
            if then is not None and (max(map(abs, then)) < max(map(abs, now)) or max(map(abs, then)) < 1e-11): break
            size /= 2
            if size < 1e-3: return None
        unknowns, now = tried, then
    return None


def quality(normals, offsets):
    """Smallest distance from the foot of the centre of mass to an edge (negative: outside the face); shortest edge."""
    margin, edge = math.inf, math.inf
    for j, polygon in enumerate(solid(normals, offsets)[0]):
        for i, (p, k) in enumerate(polygon):
            apart = add(polygon[(i + 1) % len(polygon)][0], p, -1)
            edge = min(edge, math.sqrt(dot(apart, apart)))
            cosine = dot(normals[j], normals[k])
            margin = min(margin, (offsets[k] - offsets[j] * cosine) / math.sqrt(1 - cosine * cosine))
    return margin, edge


def save(name, about, normals, offsets):
    """Corners are where three planes meet, each written once."""
    polygons, number, points, faces = solid(normals, offsets)[0], {}, [], []
    for j, polygon in enumerate(polygons):
        faces.append([])
        for i, (_, behind) in enumerate(polygon):
            key = tuple(sorted((j, behind, polygon[i - 1][1])))
            if key not in number:
                at, scale = corner([(normals[k], offsets[k]) for k in key])
                number[key] = len(points) + 1
                points.append(add((0, 0, 0), at, SIZE / scale))
            faces[-1].append(number[key])
    with open(os.path.join("scenes", "dice", name), "w", newline="\n") as out:
        out.write("# %s; made by tools/dice.py\n" % about)
        for p in points:
            out.write("v %s\n" % " ".join("%.9g" % (0.0 if abs(x) < 1e-12 else x) for x in p))
        for f in faces:
            out.write("f %s\n" % " ".join(map(str, f)))


def die(n):
    for seed in range(1, 1000):
        made = fair(directions(n, seed))
        if made is None: continue
        margin, edge = quality(*made)
        if margin >= MARGIN and edge >= EDGE: break
    else:
        raise SystemExit("no seed gives a die with %d faces" % n)
    off = max(abs(w - 4 * math.pi / n) for w in solid(*made)[1])
    save("die_%02d.obj" % n, "die with %d faces of equal solid angle, m; seed %d" % (n, seed), *made)
    print("die_%02d.obj  seed %3d  solid angles to %.1e sr, foot %.2f mm inside, edges from %.2f mm"
          % (n, seed, off, 1e3 * SIZE * margin, 1e3 * SIZE * edge), flush=True)


if __name__ == "__main__":
    os.makedirs(os.path.join("scenes", "dice"), exist_ok=True)
    for faces in range(5, 16):
        die(faces)
