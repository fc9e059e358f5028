# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A ViT classifier as an ONNX graph with random weights, in the operators that PyTorch's exporter uses, for the runtimes that vitc is measured beside."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIZES = {  # width, depth, heads
    "vit-tiny-patch16-224": (192, 12, 3),
    "vit-small-patch16-224": (384, 12, 6),
    "vit-base-patch16-224": (768, 12, 12),
    "vit-large-patch16-224": (1024, 24, 16),
}
PATCH, IMAGE, CLASSES, EPS = 16, 224, 1000, 1e-12


class Graph:
    def __init__(self, seed):
        self.nodes, self.weights, self.random = [], [], np.random.default_rng(seed)

    def op(self, kind, *inputs, **attributes):
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, value):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def normal(self, *shape, std):
        return self.constant(self.random.standard_normal(shape, dtype=np.float32) * np.float32(std))

    def linear(self, x, inputs, outputs):
        product = self.op("MatMul", x, self.normal(inputs, outputs, std=inputs**-0.5))
        return self.op("Add", product, self.normal(outputs, std=0.02))

    def norm(self, x, width):
        gain = self.constant(np.ones(width, np.float32))
        return self.op("LayerNormalization", x, gain, self.normal(width, std=0.02), axis=-1, epsilon=EPS)

    def gelu(self, x):
        erf = self.op("Erf", self.op("Div", x, self.constant(np.float32(2**0.5))))
        half = self.op("Mul", x, self.op("Add", erf, self.constant(np.float32(1))))
        return self.op("Mul", half, self.constant(np.float32(0.5)))

    def reshape(self, x, *shape):
        return self.op("Reshape", x, self.constant(np.array(shape, np.int64)))


def attention(g, x, batch, tokens, width, heads):
    dim = width // heads
    qkv = g.reshape(g.linear(x, width, 3 * width), batch, tokens, 3, heads, dim)
    qkv = g.op("Transpose", qkv, perm=[2, 0, 3, 1, 4])
    q, k, v = (g.op("Gather", qkv, g.constant(np.array(i, np.int64)), axis=0) for i in range(3))
    q = g.op("Mul", q, g.constant(np.float32(dim**-0.5)))
    maps = g.op("Softmax", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2])), axis=-1)
    mixed = g.op("Transpose", g.op("MatMul", maps, v), perm=[0, 2, 1, 3])
    return g.linear(g.reshape(mixed, batch, tokens, width), width, width)


def write(path, model, batch, seed=0):
    width, depth, heads = SIZES[model]
    tokens = (IMAGE // PATCH) ** 2 + 1
    g = Graph(seed)
    kernel = g.normal(width, 3, PATCH, PATCH, std=(3 * PATCH * PATCH) ** -0.5)
    x = g.op("Conv", "x", kernel, g.normal(width, std=0.02), strides=[PATCH, PATCH], kernel_shape=[PATCH, PATCH])
    x = g.op("Transpose", g.reshape(x, batch, width, tokens - 1), perm=[0, 2, 1])
    token = g.constant(np.broadcast_to(g.random.standard_normal((1, 1, width), dtype=np.float32), (batch, 1, width)))
    x = g.op("Add", g.op("Concat", token, x, axis=1), g.normal(1, tokens, width, std=0.02))
    for _ in range(depth):
        x = g.op("Add", x, attention(g, g.norm(x, width), batch, tokens, width, heads))
        hidden = g.gelu(g.linear(g.norm(x, width), width, 4 * width))
        x = g.op("Add", x, g.linear(hidden, 4 * width, width))
    pooled = g.op("Gather", g.norm(x, width), g.constant(np.array(0, np.int64)), axis=1)
    logits = g.linear(pooled, width, CLASSES)
    graph = helper.make_graph(
        g.nodes,
        model,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 3, IMAGE, IMAGE])],
        [helper.make_tensor_value_info(logits, TensorProto.FLOAT, [batch, CLASSES])],
        g.weights,
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
