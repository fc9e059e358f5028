# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""damage_records.py line FILE [FIELD=TEXT]...: writes a tuning record, with a field's JSON replaced by a text.
damage_records.py database FILE TEXT...: adds rows to a database's records, each with the text as its line.

TEXT may be @deep, which is a list nested 100,000 deep."""
import json
import sqlite3
import sys

DEEP = "[" * 100000 + "]" * 100000
RECORD = {"record": 3, "family": "gemm", "target": "avx2", "spec": {"m": 1}, "cpu": "some", "machine": "some", "backend": "halide",
          "backend_version": "0", "vitc": "0", "schedule": {"tile_m": 4}, "code": "x", "threads": 1, "seconds": 1e-6,
          "share_of_peak": 0.5, "date": "2026-01-02T03:04:05Z", "command": "vitc tune",
          "baseline": {"backend": "halide", "backend_version": "0", "schedule": {}, "code": "y", "seconds": 2e-6}}


def line(edits):
    fields = {key: json.dumps(value) for key, value in RECORD.items()}
    for edit in edits:
        key, text = edit.split("=", 1)
        fields[key] = text.replace("@deep", DEEP)
    return "{" + ", ".join(f'"{key}": {text}' for key, text in fields.items()) + "}"


kind, path, *edits = sys.argv[1:]
if kind == "line":
    with open(path, "w") as file:
        file.write("# a record\n" + line(edits) + "\n")
else:
    with sqlite3.connect(path) as database:
        for number, edit in enumerate(edits):
            database.execute("INSERT INTO records (key, cpu, backend, baseline_backend, line) VALUES (?, 'some', 'halide', 'halide', ?)",
                             (f"damaged {number}", line([edit])))
