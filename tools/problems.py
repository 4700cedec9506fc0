#!/usr/bin/env python3
"""problems.py -- makes scenes/problems: small contact problems with friction for `impel solve`, with the features that make
published ones hard. Run it in the root of the repository. Format: docs/reference/contact-problems.md.

  box_stack.json    three cubes on each other, the upper one pushed: 12 contacts of which each cube needs 3, so W is singular
  ball_column.json  12 balls in a column with slanting normals, each held by a support beside it: gradient steps halt
  unsymmetric.json  four balls in a pyramid with a matrix that is not symmetric, as a linearisation gives it: by a part in
                    a thousand

Same bytes wherever it runs: numbers are rounded to 12 digits.  SPDX-License-Identifier: MIT
"""
import json
import math
import os

GRAVITY, STEP = 9.81, 1 / 60


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def unit(a):
    size = math.sqrt(dot(a, a))
    return tuple(x / size for x in a)


def frame(n):
    e = (1, 0, 0) if abs(n[0]) < 0.6 else (0, 1, 0)
    t = unit(cross(n, e))
    return n, t, cross(n, t)


class Problem:
    """Bodies of mass 1 and one inertia, with their velocities after a step of gravity; rows of contacts."""

    def __init__(self, bodies, inertia):
        self.velocity = [[0, 0, -GRAVITY * STEP] for _ in range(bodies)]
        self.inertia = inertia
        self.rows = []      # by body: (linear, angular)
        self.mu = []

    def contact(self, a, b, arm_a, arm_b, n, mu):
        for d in frame(unit(n)):
            row = {a: (d, cross(arm_a, d))}
            if b >= 0:
                row[b] = (tuple(-x for x in d), tuple(-x for x in cross(arm_b, d)))
            self.rows.append(row)
        self.mu.append(mu)

    def entry(self, row, other):
        return sum(dot(row[i][0], other[i][0]) + dot(row[i][1], other[i][1]) / self.inertia for i in row if i in other)

    def save(self, name, about, skew=0.0):
        w = [[self.entry(r, s) for s in self.rows] for r in self.rows]
        if skew:
            for i in range(0, len(w), 3):       # a skew part of the blocks on the diagonal
                for j, k, sign in ((1, 0, 1), (2, 1, -1), (2, 0, 1)):
                    w[i + j][i + k] += sign * skew * w[i + j][i + j]
                    w[i + k][i + j] -= sign * skew * w[i + j][i + j]
        data, indices, starts = [], [], [0]
        for row in w:
            for j, x in enumerate(row):
                if abs(x) > 1e-14:
                    indices.append(j)
                    data.append(x)
            starts.append(len(data))
        q = [sum(dot(d, self.velocity[i]) for i, (d, _) in row.items()) for row in self.rows]
        number = lambda x: "%.12g" % (0.0 if abs(x) < 1e-14 else x)
        numbers = lambda values: "[%s]" % ", ".join(number(x) for x in values)
        os.makedirs(os.path.join("scenes", "problems"), exist_ok=True)
        with open(os.path.join("scenes", "problems", name), "w", newline="\n") as out:
            out.write('{ "about": %s,\n  "source": "tools/problems.py",\n' % json.dumps(about))
            out.write('  "mu": %s,\n  "q": %s,\n' % (numbers(self.mu), numbers(q)))
            out.write('  "W_indptr": %s,\n  "W_indices": %s,\n' % (json.dumps(starts), json.dumps(indices)))
            out.write('  "W_data": %s }\n' % numbers(data))


def stack(count, push):
    problem = Problem(count, 1 / 6)
    problem.velocity[-1][0] = push
    for i in range(count):
        for x, y in ((-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)):
            problem.contact(i, i - 1, (x, y, -0.5), (x, y, 0.5), (0, 0, 1), 0.6)
    return problem


def column(count):
    problem = Problem(count, 0.1)
    for i in range(count):
        turn = 0.3 * (i % 3)
        n = unit((0.4 * math.sin(turn), 0.4 * math.cos(turn), 1))
        beside = unit((-n[0], -n[1], 0.2))
        half = lambda a, s: tuple(s * x for x in a)
        problem.contact(i, i - 1, half(n, -0.5), half(n, 0.5), n, 0.7)
        problem.contact(i, -1, half(beside, -0.5), (0, 0, 0), beside, 0.7)
    return problem


def pyramid():
    problem = Problem(4, 0.1)
    problem.velocity[0] = [0.8, 0.3, -GRAVITY * STEP]
    problem.velocity[3] = [0.1, 0.02, -0.5]
    low, high = 1 / math.sqrt(3), math.sqrt(2 / 3)
    for i in range(3):
        turn = 2 * math.pi * i / 3
        n = (-low * math.cos(turn), -low * math.sin(turn), high)
        problem.contact(i, -1, (0, 0, -0.5), (0, 0, 0), (0, 0, 1), 0.4)
        problem.contact(3, i, tuple(-0.5 * x for x in n), tuple(0.5 * x for x in n), n, 0.7)
    return problem


stack(3, 0.05).save("box_stack.json", "three cubes on each other, the upper one pushed: 12 contacts, W is singular")
column(12).save("ball_column.json", "12 balls in a column, each held by a support beside it")
pyramid().save("unsymmetric.json", "four balls in a pyramid, one pushed, with a matrix that is not symmetric", 1e-3)
