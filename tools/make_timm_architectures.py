#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the table of timm's architectures: what each name stands for, as timm itself says it.

  python3 -m venv v && v/bin/pip install timm==1.0.30
  v/bin/python tools/make_timm_architectures.py > compiler/lib/Frontend/Timm/Architectures.inc

A name in timm is a function that calls `build_model_with_cfg(Class, name, **arguments)`. The script runs each of them with that call
replaced by one that notes class and arguments; nothing but the backbones of hybrids is built. Of the arguments it keeps those that differ from the class's
defaults, of the pretrained configuration what differs from the first entry of the table, "".

Layers are written by name: `"SwiGLU"`; with arguments as `{"layer": "LayerNorm", "eps": 1e-05}`.

To add a class, add it to CLASSES and its frontend to compiler/lib/Frontend/Timm/Timm.cpp.
"""
import dataclasses, functools, inspect, json, sys, types

import timm
import torch

# Classes that vitc has a frontend for.
CLASSES = {
    "Beit",
    "Eva",
    "MaxxVit",
    "SwinTransformer",
    "SwinTransformerV2",
    "SwinTransformerV2Cr",
    "VisionTransformer",
    "VisionTransformerDistilled",
    "VisionTransformerRelPos",
}
# Arguments of build_model_with_cfg that say nothing about the arithmetic, and those of training.
IGNORED = {"feature_cfg", "pretrained_filter_fn", "pretrained_strict", "pretrained_cfg", "pretrained_cfg_overlay", "cache_dir",
           "kwargs_filter", "drop_rate", "pos_drop_rate", "patch_drop_rate", "proj_drop_rate", "attn_drop_rate", "drop_path_rate",
           "weight_init", "fix_init", "head_init_scale", "rope_shift_coords", "rope_jitter_coords", "rope_rescale_coords"}
# What the pretrained configuration tells the model and its preprocessing.
CONFIGURATION = ("input_size", "fixed_input_size", "num_classes", "global_pool", "interpolation", "crop_pct", "crop_mode", "mean", "std")


# Models of this module are built: hybrids have them as backbones.
BACKBONES = "timm.models.resnet"


class Captured(Exception):
    pass


class Unwritable(Exception):
    pass


def capture(cls, variant, pretrained, **arguments):
    raise Captured(cls, arguments)


def encode(value):
    """The value as JSON says it."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [encode(v) for v in value]
    if isinstance(value, dict):
        return {k: encode(v) for k, v in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, functools.partial):
        layer = encode(value.func)
        result = layer if isinstance(layer, dict) else {"layer": layer}
        return {**result, **{k: encode(v) for k, v in value.keywords.items()}}
    if isinstance(value, torch.nn.Module):
        return backbone(value)
    if value is torch.nn.LayerNorm:  # timm's own has 1e-6
        return {"layer": "LayerNorm", "eps": 1e-5}
    if isinstance(value, (type, types.FunctionType)):
        return value.__name__
    raise Unwritable(f"{type(value).__name__} cannot be written")


def defaults(cls):
    """Arguments of the constructor, those of its bases included where it passes them on."""
    result = {}
    for c in reversed(cls.__mro__):
        if "__init__" in vars(c) and c is not object:
            for name, p in inspect.signature(c.__init__).parameters.items():
                if p.default is not inspect.Parameter.empty:
                    result[name] = p.default
    return result


def flatten(configuration):
    """MaxxVit's configuration as the arguments that override it: `conv_*`, `transformer_*` and the rest."""
    blocks = {kind for kinds in configuration.block_type for kind in kinds}
    if blocks - {"C", "T"} or configuration.conv_cfg.block_type != "mbconv":
        raise Unwritable("vitc reads MBConv and whole-map attention alone")
    result = {}
    for prefix, part in (("", configuration), ("conv_", configuration.conv_cfg), ("transformer_", configuration.transformer_cfg)):
        plain = type(part)()
        for field in dataclasses.fields(part):
            value = getattr(part, field.name)
            if not dataclasses.is_dataclass(value) and value != getattr(plain, field.name):
                result[prefix + field.name] = value
    return result


def backbone(module):
    """The network in front of a hybrid: a ResNet by the depths of its stages, a stem by its convolutions."""
    kind = type(module).__name__
    if kind == "ConvStem":
        convolutions = [layer.conv for layer in module]
        return {"layer": "ConvStem", "channels": [c.out_channels for c in convolutions],
                "kernel_size": [c.kernel_size[0] for c in convolutions], "stride": [c.stride[0] for c in convolutions]}
    if kind == "FeatureListNet" and hasattr(module, "layer1") and isinstance(module.conv1, torch.nn.Sequential):
        return {"layer": "ResNetD", "layers": [len(stage) for name, stage in module.named_children() if name.startswith("layer")]}
    if kind not in ("ResNetV2", "Sequential"):
        raise Unwritable(f"{kind} is no backbone that vitc reads")
    return {"layer": "ResNetV2", "layers": [len(stage.blocks) for stage in getattr(module, "stages", [])]}


def describe(name):
    entry = timm.models._registry.model_entrypoint(name)
    if entry.__module__ == BACKBONES:
        return None
    try:
        entry(pretrained=False)
    except Captured as captured:
        cls, arguments = captured.args
    else:
        return None
    if cls.__name__ not in CLASSES:
        return None
    known = defaults(cls)
    kept = {}
    if "model_cfg" in arguments:
        arguments.update(flatten(arguments.pop("model_cfg")))
    for key, value in arguments.items():
        if key in IGNORED or (key in known and value == known[key]):
            continue
        kept[key] = encode(value)
    configuration = timm.get_pretrained_cfg(name, allow_unregistered=True)
    configuration = configuration.to_dict() if configuration else {}
    return {"class": cls.__name__, "arguments": kept,
            "pretrained_cfg": {k: encode(configuration[k]) for k in CONFIGURATION if configuration.get(k) is not None}}


def main():
    for module in list(sys.modules.values()):
        name = getattr(module, "__name__", "")
        if name.startswith("timm.models.") and name != BACKBONES and hasattr(module, "build_model_with_cfg"):
            module.build_model_with_cfg = capture
    table = {}
    for name in sorted(timm.list_models()):
        try:
            description = describe(name)
        except Unwritable as reason:
            print(f"{name} is left out: {reason}", file=sys.stderr)
            continue
        if description:
            table[name] = description
    common = {"input_size": [3, 224, 224], "fixed_input_size": True, "num_classes": 1000, "interpolation": "bicubic", "crop_pct": 0.9,
              "crop_mode": "center", "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]}
    print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print(f"// timm {timm.__version__}, written by tools/make_timm_architectures.py: name, class, arguments that differ from the class's")
    print("// defaults, and what the pretrained configuration has differently from that of the name \"\".")
    print('R"json({')
    rows = [f'"": {{"pretrained_cfg": {json.dumps(common)}}}']
    for name, row in table.items():
        configuration = row.pop("pretrained_cfg")
        different = {k: v for k, v in configuration.items() if common.get(k) != v}
        different.update({k: None for k in common if k not in configuration})
        if different:
            row["pretrained_cfg"] = different
        rows.append(f"{json.dumps(name)}: {json.dumps(row)}")
    print(",\n".join(rows))
    print('})json"')


main()
