# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Vision Transformer written from the papers' equations, saved for vitc: docs/OwnModels.md walks through it.

  python vit_from_scratch.py FOLDER       writes FOLDER/model.safetensors, input.npy and logits.npy

Needs torch, numpy and safetensors; vitc needs none of them.
"""
import pathlib
import sys

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn

IMAGE, PATCH, WIDTH, DEPTH, HEADS, HIDDEN, CLASSES = 32, 8, 48, 3, 4, 96, 10


class Block(nn.Module):
    """One encoder layer of "Attention is all you need": the norm follows the sum, and the MLP uses ReLU."""

    def __init__(self):
        super().__init__()
        self.to_qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.to_out = nn.Linear(WIDTH, WIDTH)
        self.norm1 = nn.LayerNorm(WIDTH)
        self.fc1 = nn.Linear(WIDTH, HIDDEN)
        self.fc2 = nn.Linear(HIDDEN, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)

    def forward(self, x):
        n, t, _ = x.shape
        q, k, v = self.to_qkv(x).view(n, t, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        p = torch.softmax(q @ k.transpose(-1, -2) / (WIDTH // HEADS) ** 0.5, dim=-1)
        x = self.norm1(x + self.to_out((p @ v).transpose(1, 2).reshape(n, t, WIDTH)))
        return self.norm2(x + self.fc2(torch.relu(self.fc1(x))))


class ViT(nn.Module):
    def __init__(self):
        super().__init__()
        self.to_tokens = nn.Linear(PATCH * PATCH * 3, WIDTH)
        self.cls = nn.Parameter(torch.randn(1, 1, WIDTH))
        self.pos = nn.Parameter(torch.randn(1, 1 + (IMAGE // PATCH) ** 2, WIDTH))
        self.layers = nn.ModuleList(Block() for _ in range(DEPTH))
        self.pre_head = nn.Linear(WIDTH, 32)
        self.head = nn.Linear(32, CLASSES)

    def forward(self, image):
        n, g = len(image), IMAGE // PATCH
        # Patches flattened as (row, column, channel).
        patches = image.view(n, 3, g, PATCH, g, PATCH).permute(0, 2, 4, 3, 5, 1).reshape(n, g * g, -1)
        x = torch.cat([self.cls.expand(n, -1, -1), self.to_tokens(patches)], dim=1) + self.pos
        for layer in self.layers:
            x = layer(x)
        return self.head(torch.tanh(self.pre_head(x[:, 0])))


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    torch.manual_seed(0)
    model = ViT().eval()  # train it here
    save_file(model.state_dict(), folder / "model.safetensors")
    image = torch.randn(2, 3, IMAGE, IMAGE)
    with torch.no_grad():
        np.save(folder / "input.npy", image.numpy())
        np.save(folder / "logits.npy", model.double()(image.double()).float().numpy())
