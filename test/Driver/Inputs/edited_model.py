#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies a model with other values in its config.json.

    edited_model.py MODEL OUT [FIELD=JSON | FIELD.FIELD=JSON | FIELD= ]...      the last form takes the field away
    edited_model.py MODEL OUT --config-only ...                                  leaves the weights out
"""

import json
import os
import shutil
import sys

model, out, *edits = sys.argv[1:]
os.makedirs(out)
config_only = "--config-only" in edits
for name in os.listdir(model):
    if name == "preprocessor_config.json" or (name.startswith("model.") and not config_only):
        shutil.copy(os.path.join(model, name), out)
with open(os.path.join(model, "config.json")) as file:
    config = json.load(file)
for edit in edits:
    if edit == "--config-only":
        continue
    path, value = edit.split("=", 1)
    *parents, field = path.split(".")
    place = config
    for parent in parents:
        place = place[parent]
    if value:
        place[field] = json.loads(value)
    else:
        del place[field]
with open(os.path.join(out, "config.json"), "w") as file:
    json.dump(config, file, indent=2)
