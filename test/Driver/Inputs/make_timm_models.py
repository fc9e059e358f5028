# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes variants of a timm model's folder: make_timm_models.py GOOD FOLDER.

Each is named after what is wrong with its config, or with its arrays.
"""
import json
import os
import shutil
import sys

good, root = sys.argv[1:]
with open(os.path.join(good, "config.json")) as file:
    text = file.read()


def variant(name, change):
    folder = os.path.join(root, name)
    os.makedirs(folder)
    config = json.loads(text)
    change(config)
    with open(os.path.join(folder, "config.json"), "w") as out:
        json.dump(config, out, indent=2)
    shutil.copy(os.path.join(good, "model.safetensors"), folder)


def args(**values):
    return lambda config: config["model_args"].update(values)


variant("good", lambda config: None)
variant("unknown-name", lambda config: config.update(architecture="vit_tiny_patch16_225"))
variant("tag", lambda config: config.update(architecture="vit_tiny_patch16_224.augreg_in21k"))
variant("by-hand", lambda config: (config.update(architecture="mine", timm_class="VisionTransformer")))
variant("unknown-class", lambda config: config.update(timm_class="ResNet"))
variant("unknown-argument", args(reg_token=4))
variant("training-argument", args(drop_path_rate=0.1))
variant("heads", args(num_heads=5))
variant("heads-type", args(num_heads=[]))
variant("patch-type", args(patch_size=0.5))
variant("default", lambda config: (config["model_args"].pop("embed_dim"), config["model_args"].update(num_heads=5)))
variant("misspelt", lambda config: config["model_args"].update(num_heads=5, embed_dims=config["model_args"].pop("embed_dim")))
variant("halves", args(num_heads=16, attn_layer="diff"))
variant("norm", args(norm_layer="batchnorm2d"))
variant("activation", args(act_layer="prelu"))
variant("backbone", args(embed_layer={"layer": "HybridEmbed", "backbone": {"layer": "VGG"}}))
variant("backbone-layers", args(embed_layer={"layer": "HybridEmbed", "backbone": {"layer": "ResNetD", "layers": [1e30]}}))
variant("pool", args(global_pool="median"))
variant("token", args(class_token=False))
variant("block", args(block_fn="FancyBlock"))
variant("scale", args(init_values=1e-5))
variant("small", args(img_size=4))
variant("type", args(depth="3"))
