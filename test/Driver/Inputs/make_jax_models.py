# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes variants of a folder with Google's arrays: make_jax_models.py GOOD FOLDER."""
import os
import shutil
import sys
import zipfile

good, root = sys.argv[1:]
BLOCK = "Transformer/encoderblock_0/"


def variant(name, rename):
    """`rename` gives the new name of an array, or None to leave it out."""
    folder = os.path.join(root, name)
    os.makedirs(folder)
    shutil.copy(os.path.join(good, "config.json"), folder)
    with zipfile.ZipFile(os.path.join(good, "weights.npz")) as source, \
            zipfile.ZipFile(os.path.join(folder, "weights.npz"), "w") as target:
        for member in source.namelist():
            array = rename(member.removesuffix(".npy"))
            if array:
                target.writestr(array + ".npy", source.read(member))


variant("good", lambda name: name)
variant("no-key", lambda name: None if name == BLOCK + "MultiHeadDotProductAttention_1/key/kernel" else name)
variant("no-head", lambda name: None if name == "head/kernel" else name)
variant("unknown", lambda name: "decoder/kernel" if name == "head/bias" else name)
variant("flat", lambda name: {"embedding/bias": "embedding/kernel", "embedding/kernel": None}.get(name, name))
variant("state", lambda name: "opt/target/" + name)
