#!/usr/bin/env python3
"""table1.py -- what must be seen in the scenes of table 1, measured: tools/table1.py PROGRAM [CASE...], in the root.

Cases: dominos, break, coins, pins, ball, dish, feeding, chain, platter, rattleback, ramp. Prints one line a quantity:
what it should be and what it is. For people; the reference's numbers are in the scenes' "expect".
SPDX-License-Identifier: MIT
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

program, folder = sys.argv[1], tempfile.mkdtemp()


def run(scene, *options, change=None):
    """The samples {body: [row]}, the contacts and how the run ended."""
    path = "scenes/table1/%s.json" % scene
    if change:
        text = change(open(path).read())
        path = os.path.join("scenes", "table1", "table1.%d.tmp.json" % os.getpid())
        open(path, "w").write(text)
    trace, contacts = os.path.join(folder, "t.csv"), os.path.join(folder, "c.csv")
    words = [program, "run", path, "--threads", "1", "-q", "-f", "-o", trace, "--contacts", contacts, *options]
    done = subprocess.run(words, capture_output=True, text=True)
    if change: os.remove(path)
    bodies = {}
    for row in csv.DictReader(open(trace)):
        name = row.pop("body")
        bodies.setdefault(name, []).append({k: float(x) for k, x in row.items()})
    hits = list(csv.DictReader(open(contacts)))
    if done.returncode: say(scene, "the run ends", "complete", done.stderr.strip().split("\n")[-1][-110:])
    return bodies, hits


def say(case, what, should, measured):
    text = "%.7g" % measured if isinstance(measured, float) else measured
    print("%-10s %-52s %-24s %s" % (case, what, should, text), flush=True)


def at(rows, t):                                                   # the sample nearest to t
    return min(rows, key=lambda r: abs(r["t"] - t))


def energy(bodies, mass, inertia, g=9.81):
    """Total at each sample; inertia: of a ball, one number."""
    names = [n for n in bodies if n in mass]
    out = []
    for k in range(len(bodies[names[0]])):
        e = 0
        for n in names:
            r = bodies[n][k]
            v2, w2 = r["vx"]**2 + r["vy"]**2 + r["vz"]**2, r["wx"]**2 + r["wy"]**2 + r["wz"]**2
            e += 0.5 * mass[n] * v2 + 0.5 * inertia[n] * w2 + mass[n] * g * r["z"]
        out.append(e)
    return out


def rises(case, values, scale):
    low, worst = values[0], 0.0
    for e in values:
        worst, low = max(worst, e - low), min(low, e)
    say(case, "largest rise of the energy above its least, of all", "0 but for hops", worst / scale)


def booked(hits):                                                  # energy that impulses without drive created, J
    return max([float(h["energy"]) - float(h["driven"]) for h in hits if h["micro"] == "0"], default=0.0)


def dominos():
    _, hits = run("dominos", "--dt", "0.002", "-t", "0.65")
    row, first = ["first"] + ["piece.%d" % i for i in range(29)], {}
    for h in hits:
        key = tuple(sorted((h["a"], h["b"])))
        first.setdefault(key, float(h["t"]))
    times = [first.get(tuple(sorted(p))) for p in zip(row, row[1:])]
    times = [t for t in times if t is not None]
    steps = [b - a for a, b in zip([0] + times, times)]
    known = [.044394, .065673, .049707, .036757, .029817, .025937, .023634, .022201]
    for i, (s, k) in enumerate(zip(steps, known)):
        text = "%.6f (%+.2f %%)" % (s, 100 * (s / k - 1))
        say("dominos", "intercollision time %d, s" % (i + 1), "%g +- 2 %%" % k, text)
    say("dominos", "pieces hit", "29", str(len(times)))
    if len(steps) > 12:
        say("dominos", "speed at last (mean of the last 4), m/s", "1.23677 +- 2 %", 0.024 * 4 / sum(steps[-4:]))


def pool():
    bodies, hits = run("pool_break", "-t", "0.3", "--every", "0.0025")
    names = ["cue"] + ["ball.%d" % i for i in range(1, 16)]
    first = min(float(h["t"]) for h in hits if "table" not in (h["a"], h["b"]))
    wall = min([float(h["t"]) for h in hits if "cushions" in (h["a"], h["b"])], default=1e9)
    floor = [0.0, 0.0]
    for h in hits:                                                 # what the cloth gave until then
        if "table" in (h["a"], h["b"]) and float(h["t"]) < wall:
            floor[0] += float(h["px"]); floor[1] += float(h["py"])
    k = max(i for i, r in enumerate(bodies["cue"]) if r["t"] < wall)
    t = bodies["cue"][k]["t"]
    given = sum(float(h["px"]) for h in hits if "table" in (h["a"], h["b"]) and float(h["t"]) <= t)
    p = sum(0.17 * bodies[n][k]["vx"] for n in names) - 0.17 * 8 - given
    say("break", "momentum along x not accounted for, of 1.36 N s", "0 +- 1e-10", abs(p) / 1.36)
    pairs, number = [], 0
    for row in range(5):
        line = ["ball.%d" % (number + i + 1) for i in range(row + 1)]
        number += row + 1
        pairs += list(zip(line, reversed(line)))
    until = [r["t"] for r in bodies["cue"]].index(at(bodies["cue"], first + 0.05)["t"])
    off = max(max(abs(bodies[a][i]["y"] + bodies[b][i]["y"]), abs(bodies[a][i]["x"] - bodies[b][i]["x"]))
              for a, b in pairs for i in range(until + 1))
    say("break", "mirror images differ 50 ms after the hit by, m", "0 +- 1e-6", off)
    ideal = lambda s: s.replace('"friction": 0.05, "restitution": 0.95', '"friction": 0, "restitution": 1') \
                       .replace('"friction": 0.2, "restitution": 0.5', '"friction": 0, "restitution": 1')
    bodies, _ = run("pool_break", "-t", "0.2", change=ideal)
    square = lambda r: r["vx"]**2 + r["vy"]**2 + r["vz"]**2
    ke = [sum(0.085 * square(bodies[n][i]) for n in names) for i in (0, -1)]
    say("break", "e = 1, mu = 0: kinetic energy changes by, relative", "0 +- 1e-9", abs(ke[1] / ke[0] - 1))


def coins():
    bodies, hits = run("coins_32", "-t", "5")
    resting = gone = 0
    for n, rows in bodies.items():
        if not n.startswith(("rolled", "tossed")): continue
        r = rows[-1]
        ke = 0.5 * 0.00567 * (r["vx"]**2 + r["vy"]**2 + r["vz"]**2) + \
            0.5 * 4.2e-7 * (r["wx"]**2 + r["wy"]**2 + r["wz"]**2)
        tilt = abs(1 - 2 * (r["qx"]**2 + r["qy"]**2))
        if r["z"] < -0.05: gone += 1
        elif ke < 1e-6:
            resting += 1
            say("coins", "%s: height above the platform, mm; |cos| of tilt" % n, "0.875 +- 0.06 if alone",
                "%.4f  %.5f" % ((r["z"] - 0.01) * 1e3, tilt))
        else: say("coins", "%s: kinetic energy after 5 s, J" % n, "< 1e-6", ke)
    say("coins", "at rest / off the platform after 5 s", "8 in all", "%d / %d" % (resting, gone))
    say("coins", "energy created by a collision, J", "<= 0", booked(hits))


def tilt_of(r): return math.degrees(2 * math.asin(min(1, math.hypot(r["qx"], r["qy"]))))


def pins():
    away = lambda s: s.replace('"position": [0, -0.1642, 0.10845], "velocity": [8, -0.35, 0], '
                               '"angular_velocity": [-35, 12, 0]', '"position": [0, 0, 0.10845]')
    bodies, _ = run("bowling", "-t", "5", change=away)
    pin = [rows for n, rows in bodies.items() if "pin" in n]
    move = max(math.dist([rows[0][k] for k in "xyz"], [rows[-1][k] for k in "xyz"]) for rows in pin)
    say("pins", "drift in 5 s without the ball, mm", "< 0.1", move * 1e3)
    say("pins", "tilt in 5 s, degrees", "< 0.05", max(tilt_of(rows[-1]) for rows in pin))
    bodies, hits = run("bowling")
    pin = [rows for n, rows in bodies.items() if "pin" in n]
    down = sum(1 for rows in pin if tilt_of(rows[-1]) > 10 or rows[-1]["z"] < -0.05)
    say("pins", "pins down after 5 s", "10 for a strike", str(down))
    say("pins", "energy created by a collision, J", "<= 0", booked(hits))


def ball():
    none = lambda s: s[:s.index(',\n    { "name": "pin.a"')] + " ],\n  " + s[s.index('"run"'):]
    bodies, _ = run("bowling", "-t", "2.6", "--every", "0.0005", change=none)
    rows = bodies["ball"]
    k = next(i for i, r in enumerate(rows) if r["x"] >= 18.288)
    a, b = rows[k - 1], rows[k]
    part = (18.288 - a["x"]) / (b["x"] - a["x"])
    say("ball", "at 18.288 m: time, s", "2.4829 +- 0.002", a["t"] + part * (b["t"] - a["t"]))
    say("ball", "y from the start, m", "0.1007 +- 0.005", a["y"] + part * (b["y"] - a["y"]) + 0.1642)
    say("ball", "velocity, m/s", "6.0844 0.8295 +- 0.2 %", "%.5f %.5f" % (b["vx"], b["vy"]))


def dish():
    bodies, hits = run("balls_in_dish")
    names = ["ball.%d" % i for i in range(5)]
    e = energy(bodies, {n: 0.1 for n in names}, {n: 0.4 * 0.1 * 0.02**2 for n in names})
    rises("dish", e, e[0])
    say("dish", "energy left after 7.8 s, of all (0.098 J at the bottom)", "falls", e[-1])
    say("dish", "highest ball at the end, m above the bottom", "in the bowl", max(bodies[n][-1]["z"] for n in names))
    say("dish", "energy created by a collision, J", "<= 0", booked(hits))


def feeding():
    bodies, _ = run("part_feeding")
    parts = [n for n in bodies if n.startswith("part")]
    lowest = min(r["z"] for n in parts for r in bodies[n])
    say("feeding", "lowest centre of a part, m", "> -0.012", lowest)
    say("feeding", "parts within the walls at the end", "20", str(sum(1 for n in parts if abs(bodies[n][-1]["x"]) < 0.17
                                                              and abs(bodies[n][-1]["y"]) < 0.1)))


def chain():
    for scene in ("chain_of_balls", "marbles"):
        bodies, _ = run(scene)
        say("chain", scene + ": last marble at the end, m/s", "0.357143 +- 0.1 %", bodies["marble.3"][-1]["vx"])


def platter():
    bodies, _ = run("ball_on_platter", "--every", "0.01")
    rows = bodies["ball"]
    radius = [math.hypot(r["x"] - 0.0942958, r["y"]) for r in rows]
    say("platter", "radius about (0.0942958, 0), m", "0.0557042", "%.7f to %.7f" % (min(radius), max(radius)))
    r = at(rows, 35)
    say("platter", "angle after 35 s (5 turns), rad", "0 +- 0.045", math.atan2(r["y"], r["x"] - 0.0942958))


def rattleback():
    bodies, _ = run("rattleback", "--every", "0.01")
    turned = [b["t"] for a, b in zip(bodies["against"], bodies["against"][1:]) if a["wz"] < 0 <= b["wz"]]
    say("rattleback", "spin of -5 rad/s changes sign at, s", "2.81 +- 5 %", turned[0] if turned else "never")
    say("rattleback", "spin of +5 rad/s, least", "> 0", min(r["wz"] for r in bodies["along"]))


def ramp():
    bodies, hits = run("ramp", "--every", "0.001")
    hit = [float(h["t"]) for h in hits if "ramp" in (h["a"], h["b"])]
    flat = [float(h["t"]) for h in hits if "floor" in (h["a"], h["b"]) and float(h["t"]) > hit[-1]]
    say("ramp", "meets the ramp at, s", ".495592 +- .002", hit[0])
    say("ramp", "lands at, s", "1.252130 +- .002", flat[0])
    r = bodies["ball"][-1]
    say("ramp", "speed at the end, m/s", "2.868209 +- .2 %", r["vx"])


cases = {"dominos": dominos, "break": pool, "coins": coins, "pins": pins, "ball": ball, "dish": dish,
         "feeding": feeding, "chain": chain, "platter": platter, "rattleback": rattleback, "ramp": ramp}
for name in sys.argv[2:] or cases:
    try: cases[name]()
    except Exception as trouble: say(name, "could not be measured", "", repr(trouble))
