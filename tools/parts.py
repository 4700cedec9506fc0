#!/usr/bin/env python3
"""parts.py -- makes the long geometry of scenes/table1/parts: pin, coin, marble, bowl; and scenes/parts/cup.obj. Run it in the
root of the repository.

  pin_1.obj .. pin_6.obj   a bowling pin as 10-gon frustums of the USBC profile: 162 outer facets (16 bands of 10 and
                           two caps), cut at the rings where the profile is hollow, so that every piece is convex
  marble.obj               a sphere of radius 1 as an icosahedron split 16 times: 5120 facets
  coin_32.obj              a quarter dollar as a prism of 32 sides
  cup.obj                  a cup of 48 sides, 40 mm wide and 30 mm high, with a wall and a floor of 2 mm
  bowl.obj                 a solid with a spherical hollow of radius 0.5 m: 5400 triangles inside, 900 outside

Same bytes wherever it runs: coordinates are rounded to 9 digits.  SPDX-License-Identifier: MIT
"""
import math
import os

INCH = 0.0254


def save(name, about, points, faces, folder=os.path.join("scenes", "table1", "parts")):
    with open(os.path.join(folder, name), "w", newline="\n") as out:
        out.write("# %s; made by tools/parts.py\n" % about)
        for p in points:
            out.write("v %s\n" % " ".join("%.9g" % (0.0 if abs(x) < 1e-12 else x) for x in p))
        for f in faces:
            out.write("f %s\n" % " ".join(str(i + 1) for i in f))


def ring(radius, z, sides):
    return [(radius * math.cos(2 * math.pi * i / sides), radius * math.sin(2 * math.pi * i / sides), z)
            for i in range(sides)]


def lathe(profile, sides):
    """A closed solid of revolution of (radius, z), lowest first; its ends are flat."""
    points = [p for r, z in profile for p in ring(r, z, sides)]
    faces = [list(range(sides))[::-1]]
    for k in range(len(profile) - 1):
        a = k * sides
        faces += [[a + i, a + (i + 1) % sides, a + sides + (i + 1) % sides, a + sides + i] for i in range(sides)]
    faces.append([len(points) - sides + i for i in range(sides)])
    return points, faces


def pin():
    heights = [0, .75, 2.25, 3.375, 4.5, 5.875, 7.25, 8.625, 9.375, 10, 10.875, 11.75, 12.625, 13.5]
    diameters = [2.031, 2.828, 3.906, 4.510, 4.766, 4.563, 3.703, 2.472, 1.965, 1.797, 1.870, 2.094, 2.406, 2.547]
    profile = [(d / 2 * INCH, h * INCH) for h, d in zip(heights, diameters)]
    head = 1.2735 * INCH
    for angle in (0, 35, 70):                                     # 13.7265 in, then two bands of the round head
        a = math.radians(angle)
        profile.append((head * math.cos(a), 13.7265 * INCH + head * math.sin(a)))
    cuts = [0]
    for k in range(1, len(profile) - 1):
        (r0, z0), (r1, z1), (r2, z2) = profile[k - 1:k + 2]
        if (r2 - r1) * (z1 - z0) > (r1 - r0) * (z2 - z1) * (1 + 1e-12) + 1e-12: cuts.append(k)
    cuts.append(len(profile) - 1)
    for i in range(len(cuts) - 1):
        points, faces = lathe(profile[cuts[i]:cuts[i + 1] + 1], 10)
        save("pin_%d.obj" % (i + 1), "bowling pin, piece %d of %d, m" % (i + 1, len(cuts) - 1), points, faces)


def cup():
    points, faces = lathe([(0.020, 0), (0.020, 0.030), (0.018, 0.030), (0.018, 0.002)], 48)
    save("cup.obj", "cup of 48 sides, m", points, faces, os.path.join("scenes", "parts"))


def marble(split):
    g = (1 + math.sqrt(5)) / 2
    corner = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g), (0, -1, -g), (0, 1, -g),
              (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]
    side = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6),
            (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10),
            (8, 6, 7), (9, 8, 1)]
    points, number, faces = [], {}, []

    def point(weights):                                           # of corners: the same on both sides of an edge
        key = tuple(sorted((c, w) for c, w in weights if w))
        if key not in number:
            p = [sum(corner[c][k] * w for c, w in key) for k in range(3)]
            n = math.sqrt(sum(x * x for x in p))
            number[key] = len(points)
            points.append([x / n for x in p])
        return number[key]

    for a, b, c in side:
        at = lambda i, j: point([(a, split - i - j), (b, i), (c, j)])
        for i in range(split):
            for j in range(split - i):
                faces.append((at(i, j), at(i + 1, j), at(i, j + 1)))
                if i + j < split - 1: faces.append((at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)))
    save("marble.obj", "sphere of radius 1 with %d facets" % len(faces), points, faces)


def bowl(radius, rings, steepest):
    """The hollow opens upward from the origin. Ring k has 6 k points, so that all triangles are alike."""
    points, faces, first = [(0, 0, 0)], [], [0]
    for k in range(1, rings + 1):
        a = math.radians(steepest * k / rings)
        first.append(len(points))
        points += ring(radius * math.sin(a), radius * (1 - math.cos(a)), 6 * k)
    at = lambda k, i: first[k] + i % max(6 * k, 1)
    for k in range(rings):
        for sextant in range(6):
            for j in range(k + 1):
                inner, outer = sextant * k + j, sextant * (k + 1) + j
                faces.append((at(k, inner), at(k + 1, outer), at(k + 1, outer + 1)))
                if j < k: faces.append((at(k, inner), at(k + 1, outer + 1), at(k, inner + 1)))
    sides, rim, out, low = 6 * rings, points[-1][2], 1.1 * radius, -0.05 * radius
    first += [len(points), len(points) + sides]
    points += ring(out, rim, sides) + ring(out, low, sides) + [(0, 0, low)]
    for i in range(sides):
        near, far, under = (lambda j: first[rings] + j % sides), (lambda j: first[-2] + j % sides), \
                           (lambda j: first[-1] + j % sides)
        faces += [(near(i), far(i), far(i + 1)), (near(i), far(i + 1), near(i + 1)),
                  (far(i), under(i), under(i + 1)), (far(i), under(i + 1), far(i + 1)),
                  (len(points) - 1, under(i + 1), under(i))]
    save("bowl.obj", "bowl with a hollow of radius %g m" % radius, points, faces)


def coin(sides):
    points, faces = lathe([(0.01213, -0.000875), (0.01213, 0.000875)], sides)
    save("coin_%d.obj" % sides, "quarter dollar as a prism of %d sides, m" % sides, points, faces)


pin()
cup()
coin(32)
marble(16)
bowl(0.5, 30, 80)
