# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the progress of tuning sessions, as `vitc tune --json` prints it, into one SVG.

  python search_curves.py OUT.svg evolution=a.json random=b.json

docs/Tuning.md says how its curves were measured."""
import json
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 320, 64, 24, 16, 44
COLOURS = ["#1f6feb", "#c2410c", "#15803d", "#7e22ce"]

curves, standard = {}, None
for argument in sys.argv[2:]:
    name, _, path = argument.partition("=")
    session = json.load(open(path))
    curves[name] = [(point["trials"], point["model_seconds"] * 1e3) for point in session["progress"]]
    standard = standard or session["default_seconds"] * 1e3
trials = max(points[-1][0] for points in curves.values())
most = 2.5 * standard  # the first schedules, drawn at random, are far above
least = 0.95 * min([standard] + [y for points in curves.values() for _, y in points])
x = lambda count: LEFT + count / trials * (WIDTH - LEFT - RIGHT)
y = lambda ms: TOP + (most - min(ms, most)) / (most - least) * (HEIGHT - TOP - BOTTOM)
parts = []
for step in range(5):
    ms, count = least + (most - least) * step / 4, trials * step // 4
    parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(ms):.1f}" y2="{y(ms):.1f}" stroke="#dde2ea"/>'
                 f'<text x="{LEFT - 8}" y="{y(ms) + 4:.1f}" text-anchor="end">{ms:.0f} ms</text>'
                 f'<text x="{x(count):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{count}</text>')
parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(standard):.1f}" y2="{y(standard):.1f}" stroke="#5b6675" '
             f'stroke-dasharray="5 4"/><text x="{LEFT + 110}" y="{y(standard) - 6:.1f}" text-anchor="end">default schedules</text>')
for number, (name, points) in enumerate(curves.items()):
    path, last = "", None
    for count, ms in points:
        path += f"M{x(count):.1f} {y(ms):.1f}" if last is None else f"L{x(count):.1f} {y(last):.1f}L{x(count):.1f} {y(ms):.1f}"
        last = ms
    parts.append(f'<path d="{path}" fill="none" stroke="{COLOURS[number]}" stroke-width="2.2"/>'
                 f'<text x="{WIDTH - RIGHT - 130}" y="{TOP + 20 + 18 * number}" style="fill:{COLOURS[number]}">{name}</text>')
parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 6}" text-anchor="middle">trials</text>')
open(sys.argv[1], "w").write(
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">'
    f'<style>text{{font:12px system-ui,sans-serif;fill:#5b6675}}</style><rect width="100%" height="100%" fill="#fff"/>'
    + "\n".join(parts) + "</svg>\n")
