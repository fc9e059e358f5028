# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the golden cases of vitc's own config (own_*): each field's meaning, written once more in PyTorch.

  make_own_golden.py FOLDER IMAGE.npy        needs torch, numpy and safetensors; run by hand when a field is added

The expected outputs are computed in double precision from the stored weights, by code that shares nothing with vitc.
"""
import json
import math
import pathlib
import sys

import numpy as np
import torch
from safetensors.torch import save_file
from torch.nn import functional as F

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]

CASES = {
    "own_post_norm": dict(patch_layout="rows_columns_channels", norm_place="after", activation="relu", head_hidden=32, qkv="packed"),
    "own_rotary": dict(position="rotary", norm="rms", class_token=False, registers=2, pool="mean", head_width=8, mlp_bias=False, qkv_bias=False),
    "own_rotary_interleaved": dict(position="rotary", position_pairs="interleaved", position_theta=100.0, activation="silu", embedding_norm=True),
    "own_relative": dict(position="relative", patch_layout="channels_rows_columns", projection_bias=False, image_size=[32, 48]),
    "own_relative_interp": dict(position="relative", class_token=False, run_at=[40, 48]),
    "own_learned_2d": dict(position="learned_2d", position_join="concatenate", pool="max", class_token=False, patch_bias=False),
    "own_learned_2d_interp": dict(position="learned_2d", registers=3, run_at=[48, 40]),
    "own_sinusoidal": dict(position="sinusoidal", head_bias=False, registers=1),
    "own_sinusoidal_2d": dict(position="sinusoidal", position_axes=2, pool="mean_max"),
    "own_learned_1d_interp": dict(position_of_class_token=False, run_at=[32, 48], activation="gelu_new"),
}


class Weights:
    """Draws a tensor when it is first asked for, and keeps it as it will be stored."""

    def __init__(self, seed):
        self.tensors, self.generator = {}, torch.Generator().manual_seed(seed)

    def __call__(self, name, *shape, mean=0.0, spread=1.0):
        if name not in self.tensors:
            self.tensors[name] = (mean + spread * torch.randn(*shape, generator=self.generator)).contiguous()
        return self.tensors[name].double()

    def linear(self, name, x, outputs, bias):
        weight = self(name + ".weight", outputs, x.shape[-1], spread=1.3 / math.sqrt(x.shape[-1]))
        return F.linear(x, weight, self(name + ".bias", outputs, spread=0.3) if bias else None)


def resize(table, size, mode):
    """[rows, columns, channels] by torch's interpolation."""
    return F.interpolate(table.permute(2, 0, 1)[None], size=size, mode=mode, align_corners=False)[0].permute(1, 2, 0)


def sinusoid(positions, channels, theta=10000.0):
    angles = positions[:, None].double() / theta ** (torch.arange(0, channels, 2).double() / channels)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


class Model:
    def __init__(self, config, weights, image):
        self.c, self.w = config, weights
        self.image = image
        self.grid = [image.shape[2 + i] // config["patch_size"][i] for i in (0, 1)]
        self.table_grid = [config["image_size"][i] // config["patch_size"][i] for i in (0, 1)]

    def norm(self, name, x):
        c = x.shape[-1]
        gain = self.w(name + ".weight", c, mean=1.0, spread=0.2)
        if self.c["norm"] == "rms":
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.c["norm_eps"]) * gain
        return F.layer_norm(x, [c], gain, self.w(name + ".bias", c, spread=0.3), self.c["norm_eps"])

    def patches(self):
        c, w, (gy, gx), (p, q) = self.c, self.w, self.grid, self.c["patch_size"]
        n = len(self.image)
        cut = self.image[:, :, : gy * p, : gx * q].reshape(n, 3, gy, p, gx, q)
        if c["patch_layout"] == "conv":
            weight = w("patch_embedding.weight", c["width"], 3, p, q, spread=1 / math.sqrt(3 * p * q))
            flat, weight = cut.permute(0, 2, 4, 1, 3, 5), weight.flatten(1)
        else:
            weight = w("patch_embedding.weight", c["width"], 3 * p * q, spread=1 / math.sqrt(3 * p * q))
            order = (0, 2, 4, 3, 5, 1) if c["patch_layout"] == "rows_columns_channels" else (0, 2, 4, 1, 3, 5)
            flat = cut.permute(*order)
        return F.linear(flat.reshape(n, gy * gx, -1), weight, w("patch_embedding.bias", c["width"], spread=0.3) if c["patch_bias"] else None)

    def embed(self):
        c, w, (gy, gx), (ty, tx), d = self.c, self.w, self.grid, self.table_grid, self.c["width"]
        x = self.patches()
        token = w("class_token", 1, 1, d) if c["class_token"] else None
        kind, covers = c["position"], c["class_token"] and c["position_of_class_token"]
        if kind == "learned_1d":
            table = w("position", 1, covers + ty * tx, d)[0]
            if covers:
                token, table = token + table[:1], table[1:]
            if self.grid != self.table_grid:
                table = resize(table.view(ty, tx, d), (gy, gx), "bicubic").reshape(gy * gx, d)
            x = x + table
        elif kind == "learned_2d":
            join = c["position_join"]
            size = d // 2 if join == "concatenate" else d
            rows = resize(w("position_rows", ty, size)[:, None], (gy, 1), "bicubic")[:, 0]
            columns = resize(w("position_columns", tx, size)[:, None], (gx, 1), "bicubic")[:, 0]
            tall, wide = rows[:, None].expand(-1, gx, -1), columns[None].expand(gy, -1, -1)
            x = x + (torch.cat([tall, wide], -1) if join == "concatenate" else tall + wide).reshape(gy * gx, d)
        elif kind == "sinusoidal" and c["position_axes"] == 1:
            table = sinusoid(torch.arange(covers + gy * gx), d)
            if covers:
                token, table = token + table[:1], table[1:]
            x = x + table
        elif kind == "sinusoidal":
            y, z = torch.meshgrid(torch.arange(gy), torch.arange(gx), indexing="ij")
            x = x + torch.cat([sinusoid(y.flatten(), d // 2), sinusoid(z.flatten(), d // 2)], -1)
        front = [t for t in (token, w("register_tokens", 1, c["registers"], d) if c["registers"] else None) if t is not None]
        x = torch.cat([t.expand(len(x), -1, -1) for t in front] + [x], 1)
        return self.norm("embedding_norm", x) if c["embedding_norm"] else x

    def rotate(self, x):
        """x is [image, head, token, channel]; only the grid's tokens turn."""
        c, (gy, gx), size = self.c, self.grid, x.shape[-1]
        prefix = x.shape[2] - gy * gx
        frequency = c["position_theta"] ** (-torch.arange(size // 4).double() / (size // 4))
        y, z = torch.meshgrid(torch.arange(gy).double(), torch.arange(gx).double(), indexing="ij")
        angles = torch.cat([y.reshape(-1, 1) * frequency, z.reshape(-1, 1) * frequency], -1)
        learned, grid = x[:, :, :prefix], x[:, :, prefix:]
        if c["position_pairs"] == "halves":
            a, b = grid[..., : size // 2], grid[..., size // 2 :]
            turned = torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], -1)
        else:
            a, b = grid[..., 0::2], grid[..., 1::2]
            turned = torch.stack([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], -1).flatten(-2)
        return torch.cat([learned, turned], 2)

    def relative(self, layer):
        c, (gy, gx), (ty, tx), heads = self.c, self.grid, self.table_grid, self.c["heads"]
        distances, extra = (2 * ty - 1) * (2 * tx - 1), 3 * c["class_token"]
        table = self.w(f"blocks.{layer}.attention.relative_position", distances + extra, heads)
        inner = resize(table[:distances].view(2 * ty - 1, 2 * tx - 1, heads), (2 * gy - 1, 2 * gx - 1), "bilinear")
        tokens = c["class_token"] + gy * gx
        bias = torch.empty(heads, tokens, tokens, dtype=torch.float64)
        for i in range(tokens):
            for j in range(tokens):
                a, b = i - c["class_token"], j - c["class_token"]
                if a < 0 or b < 0:
                    entry = table[distances + (2 if a < 0 and b < 0 else 0 if a < 0 else 1)]
                else:
                    entry = inner[a // gx - b // gx + gy - 1, a % gx - b % gx + gx - 1]
                bias[:, i, j] = entry
        return bias

    def attend(self, layer, x):
        c, w, heads, size = self.c, self.w, self.c["heads"], self.c["head_width"]
        name, inner = f"blocks.{layer}.attention", heads * size
        if c["qkv"] == "packed":
            q, k, v = w.linear(name + ".qkv", x, 3 * inner, c["qkv_bias"]).split(inner, -1)
        else:
            q, k, v = (w.linear(f"{name}.{part}", x, inner, c["qkv_bias"]) for part in ("query", "key", "value"))
        q, k, v = (t.view(*t.shape[:2], heads, size).transpose(1, 2) for t in (q, k, v))
        if c["position"] == "rotary":
            q, k = self.rotate(q), self.rotate(k)
        scores = q @ k.transpose(-1, -2) / math.sqrt(size)
        if c["position"] == "relative":
            scores = scores + self.relative(layer)
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)
        return w.linear(name + ".projection", mixed, c["width"], c["projection_bias"])

    def perceive(self, layer, x):
        c, w = self.c, self.w
        f = {"gelu": F.gelu, "relu": F.relu, "silu": F.silu, "gelu_new": lambda t: F.gelu(t, approximate="tanh")}[c["activation"]]
        return w.linear(f"blocks.{layer}.mlp.down", f(w.linear(f"blocks.{layer}.mlp.up", x, c["mlp_hidden"], c["mlp_bias"])), c["width"], c["mlp_bias"])

    def run(self):
        c, w = self.c, self.w
        x = self.embed()
        for layer in range(c["depth"]):
            for norm, part in (("attention_norm", self.attend), ("mlp_norm", self.perceive)):
                name = f"blocks.{layer}.{norm}"
                x = x + part(layer, self.norm(name, x)) if c["norm_place"] == "before" else self.norm(name, x + part(layer, x))
        if c["norm_place"] == "before":
            x = self.norm("norm", x)
        patches = x[:, c["class_token"] + c["registers"] :]
        pooled = {"token": lambda: x[:, 0], "mean": lambda: patches.mean(1), "max": lambda: patches.amax(1),
                  "mean_max": lambda: (patches.mean(1) + patches.amax(1)) / 2}[c["pool"]]()
        if c["head_hidden"]:
            pooled = torch.tanh(w.linear("head_hidden", pooled, c["head_hidden"], True))
        return {"logits": w.linear("head", pooled, c["classes"], c["head_bias"]), "last_hidden_state": x}


def full(given):
    """The config with every default filled in."""
    c = dict(image_size=[32, 32], patch_size=[8, 8], patch_layout="conv", patch_bias=True, width=48, depth=2, heads=4, mlp_hidden=80, norm="layer",
             norm_place="before", norm_eps=1e-5, embedding_norm=False, activation="gelu", position="learned_1d", position_axes=1, position_join="add",
             position_theta=10000.0, position_pairs="halves", class_token=True, registers=0, head_hidden=0, head_bias=True, classes=7, qkv="separate",
             qkv_bias=True, projection_bias=True, mlp_bias=True)
    c.update(given)
    c.setdefault("pool", "token" if c["class_token"] else "mean")
    c.setdefault("head_width", c["width"] // c["heads"])
    c.setdefault("position_of_class_token", c["class_token"])
    return c


def make(folder, name, given, source):
    given = dict(given)
    size = given.pop("run_at", None)
    config = full(given)
    folder = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    height, width = size or config["image_size"]
    source = source[:height, :width]
    np.save(folder / "image.npy", source)
    rng = np.random.default_rng(len(name))
    item = (source.astype(np.float32) / 255 - np.float32(MEAN)) / np.float32(STD)
    image = np.stack([item.transpose(2, 0, 1), rng.standard_normal((3, height, width), dtype=np.float32)]).astype(np.float32)
    np.save(folder / "input.npy", image)
    weights = Weights(len(name))
    outputs = Model(config, weights, torch.from_numpy(image).double()).run()
    save_file(weights.tensors, folder / "model.safetensors")
    stored = {"model_type": "vitc", "image_size": [32, 32], "patch_size": 8, "width": 48, "depth": 2, "heads": 4, "mlp_hidden": 80, "classes": 7}
    stored.update(given, normalisation={"mean": MEAN, "std": STD})
    (folder / "config.json").write_text(json.dumps(stored, indent=2) + "\n")
    meta = {"name": name, "call": {"interpolate_pos_encoding": bool(size)}, "input": {"shape": list(image.shape)}, "outputs": {}, "notes": json.dumps(given)}
    for key, value in outputs.items():
        np.save(folder / f"out_{key}.npy", value.float().numpy())
        most = float(value.abs().max())
        # As the other cases: ten times what a library's own rounding gives, which is about 1e-6 of the largest value.
        meta["outputs"][key] = {"shape": list(value.shape), "absmax": most, "std": float(value.std()), "tol_fp32_max_abs": 1e-5 * max(most, 1.0)}
    (folder / "meta.json").write_text(json.dumps(meta, indent=2) + "\n")


if __name__ == "__main__":
    for name, given in CASES.items():
        make(pathlib.Path(sys.argv[1]), name, given, np.load(sys.argv[2]))
