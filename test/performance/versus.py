# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""vitc beside OpenVINO and ONNX Runtime on the same model: one run, interleaved, best of many. Run by hand on a quiet machine:

  python3 -m venv V && V/bin/pip install numpy onnx==1.23.2 onnxruntime==1.31.1 openvino==2026.4.1
  V/bin/python test/performance/versus.py --vitc build/bin/vitc --model vit-base-patch16-224 --cells 1x1 1x2 8x2

Without --onnx the peers get the same ViT as a graph written by vit_onnx.py; for another family give a graph that its own library
exported, with `{batch}` in the name where the batch's number stands, and the model for vitc as a folder or preset:

  V/bin/python test/performance/versus.py --vitc build/bin/vitc --model swin-tiny-patch4-window7-224 --onnx swin.b{batch}.onnx --cells 1x1 1x2

A cell is BATCHxTHREADS. Every round starts each contender in a fresh process, in an order that turns round by round; a contender's
figure is its least time over all rounds. Speed does not depend on the weights, so every contender has random ones of its own.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time

PEERS = {"openvino": "OpenVINO", "onnxruntime": "ONNX Runtime"}


def session(peer, path, threads):
    """A function from an input array to the logits."""
    if peer == "onnxruntime":
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        loaded = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        return lambda x: loaded.run(None, {"x": x})[0]
    import openvino

    settings = {
        "INFERENCE_NUM_THREADS": threads,
        "PERFORMANCE_HINT": "LATENCY",
        "NUM_STREAMS": 1,
        "INFERENCE_PRECISION_HINT": "f32",
    }
    request = openvino.Core().compile_model(path, "CPU", settings).create_infer_request()
    return lambda x: request.infer({0: x}, share_inputs=True, share_outputs=True)[0]


def time_peer(peer, path, batch, threads, seconds):
    """In this process: the least time of a run in milliseconds."""
    import numpy as np

    run = session(peer, path, threads)
    x = np.random.default_rng(1).standard_normal((batch, 3, 224, 224), dtype=np.float32)
    for _ in range(3):
        run(x)
    least, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        run(x)
        least = min(least, time.perf_counter() - start)
    return 1000 * least


def call(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{shlex.join(command)}\nexited {done.returncode}: {done.stderr.strip()[-400:]}")
    return json.loads(done.stdout)


def measure_cell(options, folder, batch, threads):
    if options.onnx:
        graph = options.onnx.replace("{batch}", str(batch))
    else:
        import vit_onnx

        graph = os.path.join(folder, f"{options.model}.b{batch}.onnx")
        if not os.path.exists(graph):
            vit_onnx.write(graph, options.model, batch)
    out = os.path.join(folder, f"vitc.b{batch}x{threads}")
    subprocess.run(
        [options.vitc, "compile", options.model, "--random-weights", "0", "--batch", str(batch), "-o", out, "--name", "versus", "--quiet"]
        + shlex.split(options.vitc_args),
        check=True,
    )
    seconds = str(options.seconds)
    contenders = {"vitc": [options.vitc, "bench", out, "--threads", str(threads), "--seconds", seconds, "--json"]}
    for peer in PEERS:
        contenders[peer] = [sys.executable, __file__, "--time", peer, graph, str(batch), str(threads), seconds]
    least = dict.fromkeys(contenders, float("inf"))
    order = list(contenders)
    for round_number in range(options.rounds):
        turn = round_number % len(order)
        for name in order[turn:] + order[:turn]:
            least[name] = min(least[name], call(contenders[name])["min_ms"])
    subprocess.run(["rm", "-rf", out], check=True)
    baseline = min(PEERS, key=least.get)
    ratio = least[baseline] / least["vitc"]
    times = ", ".join(f"{PEERS.get(name, name)} {least[name]:.1f} ms" for name in sorted(least, key=least.get))
    print(f"{options.model}, batch {batch}, {threads} threads: {times}; vitc is {ratio:.2f} times as fast as {PEERS[baseline]}", flush=True)
    return ratio


def main():
    if sys.argv[1:2] == ["--time"]:
        peer, path, batch, threads, seconds = sys.argv[2:]
        print(json.dumps({"min_ms": time_peer(peer, path, int(batch), int(threads), float(seconds))}))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vitc", required=True)
    parser.add_argument("--model", default="vit-base-patch16-224")
    parser.add_argument("--onnx", help="the peers' graph of the same model")
    parser.add_argument("--cells", nargs="+", default=["1x1", "1x2", "8x2"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--vitc-args", default="", help="more options for vitc compile")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ratios = [measure_cell(options, folder, *map(int, cell.split("x"))) for cell in options.cells]
    print(f"smallest ratio {min(ratios):.2f}")


if __name__ == "__main__":
    main()
