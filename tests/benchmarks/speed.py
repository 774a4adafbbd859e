"""How fast toymodel is beside numpy and PyTorch, as ratios of processor time, taken in pairs, A B A B, in one run.

    python tests/benchmarks/speed.py [pairs]

Each line has the median of the ratios, the range of their middle half, and the aim. Nothing here passes or fails by the
clock. All contestants start from the text, and their results are asserted to agree before they are timed.
"""

import math
import os
import re
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from clock import in_turns, now, report

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import toymodel as tm

ROOT = Path(__file__).resolve().parents[2]
TEXT = "o gato subiu no"
N_CTX, N_HEADS, EPSILON = 8, 2, 1e-5
VOCAB = [token.replace("␣", " ") for token in tm.run("o").vocab]
IDS = {token: i for i, token in enumerate(VOCAB)}
TOKEN = re.compile("|".join(map(re.escape, sorted(VOCAB, key=len, reverse=True))))
WEIGHTS = tm.toy_weights()
FUTURE = np.triu(np.full((N_CTX, N_CTX), -np.inf), 1)


def main(pairs=200):
    t = tm.run(TEXT)
    assert np.abs(by_hand(TEXT, WEIGHTS) - t["probs"]).max() < 1e-12
    compare("tm.run / bare numpy", lambda: tm.run(TEXT), lambda: by_hand(TEXT, WEIGHTS), pairs, "at most 2.4")
    compare_with_torch(pairs)
    compare_imports(max(2, pairs // 8))


# ---- the forward by hand, with nothing recorded


def by_hand(text, w):
    """The toy's probabilities as one writes them down in plain numpy: (pos, d_vocab)."""
    ids = [IDS[token] for token in TOKEN.findall(text)]
    n = len(ids)
    x = w["W_E"][ids] + w["W_pos"][:n]
    u = layer_norm(x)
    q, k, v = (
        (u @ w[f"blocks.0.attn.{name}"]).reshape(n, N_HEADS, -1).swapaxes(0, 1) for name in ("W_Q", "W_K", "W_V")
    )
    pattern = softmax(q @ k.mT / math.sqrt(q.shape[-1]) + FUTURE[:n, :n])
    x = x + (pattern @ v).swapaxes(0, 1).reshape(n, -1) @ w["blocks.0.attn.W_O"]
    x = x + gelu(layer_norm(x) @ w["blocks.0.mlp.W_in"]) @ w["blocks.0.mlp.W_out"]
    return softmax(layer_norm(x) @ w["W_U"])


def layer_norm(x):
    d = x - x.mean(-1, keepdims=True)
    return d / np.sqrt((d * d).mean(-1, keepdims=True) + EPSILON)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


# ---- the loss and its gradients in PyTorch


def compare_with_torch(pairs):
    """Forward and the gradients of all 256 weights, with PyTorch's attention written out and with its fused one."""
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed here, so the gradients are not compared with it.")
        return
    from torch.nn import functional as F

    torch.set_num_threads(1)
    w = {name: torch.tensor(array, requires_grad=True) for name, array in WEIGHTS.items()}  # float64, as the arrays are
    future = torch.tensor(FUTURE)

    def in_torch(attention):
        ids = torch.tensor([IDS[token] for token in TOKEN.findall(TEXT)])
        n, d_model = len(ids), w["W_E"].shape[1:]
        x = w["W_E"][ids] + w["W_pos"][:n]
        u = F.layer_norm(x, d_model, eps=EPSILON)
        q, k, v = (
            (u @ w[f"blocks.0.attn.{name}"]).view(n, N_HEADS, -1).transpose(0, 1) for name in ("W_Q", "W_K", "W_V")
        )
        x = x + attention(q, k, v).transpose(0, 1).reshape(n, -1) @ w["blocks.0.attn.W_O"]
        pre = F.layer_norm(x, d_model, eps=EPSILON) @ w["blocks.0.mlp.W_in"]
        x = x + F.gelu(pre, approximate="tanh") @ w["blocks.0.mlp.W_out"]
        logits = F.layer_norm(x, d_model, eps=EPSILON) @ w["W_U"]
        loss = F.cross_entropy(logits[:-1], ids[1:])
        for parameter in w.values():
            parameter.grad = None
        loss.backward()
        return loss, [parameter.grad for parameter in w.values()]

    def written_out(q, k, v):
        n = q.shape[1]
        return (q @ k.mT / math.sqrt(q.shape[-1]) + future[:n, :n]).softmax(-1) @ v

    def fused(q, k, v):
        return F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]

    def in_toymodel():
        g = tm.gradients(tm.run(TEXT))
        return g.loss, [g[name] for name in WEIGHTS]

    loss, gradients = in_toymodel()
    print(f"PyTorch {torch.__version__}, float64, one thread:")
    for attention, aim in ((written_out, 1.3), (fused, 1.15)):
        torch_loss, torch_gradients = in_torch(attention)
        assert abs(loss - torch_loss.item()) < 1e-12
        for mine, theirs in zip(gradients, torch_gradients, strict=True):
            assert np.abs(mine - theirs.numpy()).max() < 1e-12
        how = attention.__name__.replace("_", " ")
        name = f"PyTorch, attention {how} / tm.gradients(tm.run)"
        compare(name, lambda attention=attention: in_torch(attention), in_toymodel, pairs, f"at least {aim}")


# ---- the clock


def compare(what, a, b, pairs, aim, calls=20):
    """A line with time of a / time of b, once for each pair of turns; a turn is `calls` calls."""

    def turn(f):
        for _ in range(calls):
            f()

    turn(a), turn(b)  # warming up
    turns = in_turns({a: partial(turn, a), b: partial(turn, b)}, pairs)
    report(what, turns[a], turns[b], aim)


def compare_imports(pairs):
    """The import statements alone, each in a fresh process, from compiled files that the first two leave behind."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as compiled:

        def turn(module):
            code = f"import time; now = time.{now.__name__}; t = now(); import {module}; print(now() - t)"
            command = [sys.executable, "-X", f"pycache_prefix={compiled}", "-c", code]
            return int(subprocess.check_output(command, cwd=ROOT, env=environment))

        turn("toymodel"), turn("numpy")
        turns = [(turn("toymodel"), turn("numpy")) for _ in range(pairs)]
        report("import toymodel / import numpy", *zip(*turns, strict=True), "at most 1.3")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
