# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows and weights in fewer bits than float32, as schedules/families/Quantized.td defines them."""
from harness import *

SIGNED_ROWS = LEVELS[TARGET]["signed_rows"]
MOST_BYTE = LEVELS[TARGET]["most_byte"]
LINE = CONSTANTS["line_bytes"]


def to_bf16(values):
    """The nearest bfloat16, halves to even, as bits."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def row_bytes(cols):
    return round_up(cols, LINE) + LINE


def quantized_rows(x, stride=None):
    """The bytes that `quantize` would write for rows of any values: (array, q, scale, offset)."""
    rows, cols = x.shape
    least, most = x.min(axis=1).astype(np.float64), x.max(axis=1).astype(np.float64)
    scale = ((most - least) / MOST_BYTE).astype(np.float32)
    steps = np.where(scale > 0, scale, 1).astype(np.float64)
    q = np.clip(np.rint((x - least[:, None]) / steps[:, None]), 0, MOST_BYTE).astype(np.uint8)
    offset = (least + (128 * scale.astype(np.float64) if SIGNED_ROWS else 0)).astype(np.float32)
    stride = stride or row_bytes(cols)
    memory = guarded(rows * stride, fill=0, dtype=np.uint8)
    bytes_of = memory.reshape(rows, stride)
    bytes_of[:, :cols] = q ^ (128 if SIGNED_ROWS else 0)
    line = round_up(cols, LINE)
    bytes_of[:, line:line + 4] = scale[:, None].view(np.uint8)
    bytes_of[:, line + 4:line + 8] = offset[:, None].view(np.uint8)
    return memory, q.astype(np.int64), scale, least


def bf16_rows(x, stride=None):
    rows, cols = x.shape
    stride = stride or round_up(cols, 32)
    memory = guarded(rows * stride, fill=0, dtype=np.uint16)
    memory.reshape(rows, stride)[:, :cols] = to_bf16(x)
    return memory


def grouped_panels(weights, panel, group):
    """[n][k] to [ceil(n/panel)][ceil(k/group)][panel][group]."""
    n, k = weights.shape
    whole = np.zeros((round_up(n, panel), round_up(k, group)), weights.dtype)
    whole[:n, :k] = weights
    return np.ascontiguousarray(whole.reshape(-1, panel, round_up(k, group) // group, group).transpose(0, 2, 1, 3)).ravel()


def placed(values):
    """A dense array in guarded memory."""
    memory = guarded(values.size, fill=0, dtype=values.dtype)
    memory[:] = values.ravel()
    return memory


def stored(weights, form):
    """Weights [n][k] as a format stores them: (the numbers that it holds, their bits, the columns' scales or None)."""
    if form == "i8":
        scale = np.abs(weights).max(axis=1).astype(np.float64) / 127
        bits = np.rint(weights / np.where(scale > 0, scale, 1)[:, None]).astype(np.int8)
        scale = scale.astype(np.float32)
        return bits * scale[:, None].astype(np.float64), bits, scale
    if form == "bf16":
        bits = to_bf16(weights)
        return from_bf16(bits), bits, None
    if form == "f16":
        half = weights.astype(np.float16)
        return half.astype(np.float32), half.view(np.uint16), None
    return weights, weights, None
