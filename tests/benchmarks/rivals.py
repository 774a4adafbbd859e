"""The same training as four others would write it: a scalar tape, plain numpy, and PyTorch in two ways.

Each is a generator, `rival(documents, weights, steps)`, of the loss of each step: it reads one document of ids at a
time, both ends included, and moves its own copy of the weights with Adam, whose rate falls to 0.
"""

import math
from itertools import pairwise

import numpy as np

N_HEADS, EPSILON = 4, 1e-5
RATE, BETA1, BETA2, TINY = 0.01, 0.85, 0.99, 1e-8
ATTN, MLP = "blocks.0.attn.", "blocks.0.mlp."


def rate_of(step, steps):
    return RATE * (1 - step / steps)


# ---- plain numpy: forward, backward and Adam by hand


def by_hand(documents, weights, steps):
    """All weights and all gradients each lie in one row; w and d are views of its parts."""
    row, (g, m, v) = np.concatenate([w.ravel() for w in weights.values()]), np.zeros((3, 4192))
    w, d = (parts(array, weights) for array in (row, g))
    for step in range(steps):
        yield forward_and_back(documents[step % len(documents)], w, d)
        m += (1 - BETA1) * (g - m)
        v += (1 - BETA2) * (g * g - v)
        rate, n = rate_of(step, steps), step + 1
        row -= rate / (1 - BETA1**n) * m / (np.sqrt(v / (1 - BETA2**n)) + TINY)


def parts(row, weights):
    """The row as arrays of the weights' names and shapes."""
    named, start = {}, 0
    for name, w in weights.items():
        named[name] = row[start : start + w.size].reshape(w.shape)
        start += w.size
    return named


def forward_and_back(ids, w, d):
    """The loss; its gradients are written into d."""
    read, target = ids[:-1], ids[1:]
    n, d_head = len(read), 4
    x0, r0 = rms_norm(w["W_E"][read] + w["W_pos"][:n])
    u1, r1 = rms_norm(x0)
    q, k, v = (heads(u1 @ w[ATTN + name]) for name in ("W_Q", "W_K", "W_V"))
    pattern = np.exp(q @ k.mT / math.sqrt(d_head)) * BEFORE[:n, :n]
    pattern /= pattern.sum(-1, keepdims=True)
    z = side_by_side(pattern @ v)
    x1 = x0 + z @ w[ATTN + "W_O"]
    u2, r2 = rms_norm(x1)
    post = np.maximum(u2 @ w[MLP + "W_in"], 0)
    x2 = x1 + post @ w[MLP + "W_out"]
    probs = np.exp(x2 @ w["W_U"])
    probs /= probs.sum(-1, keepdims=True)
    rows = np.arange(n)
    loss = -np.log(probs[rows, target]).mean()

    probs[rows, target] -= 1  # now d loss / d logits, but for the n
    probs /= n
    np.matmul(x2.T, probs, out=d["W_U"])
    dx = probs @ w["W_U"].T
    np.matmul(post.T, dx, out=d[MLP + "W_out"])
    d_pre = dx @ w[MLP + "W_out"].T * (post > 0)
    np.matmul(u2.T, d_pre, out=d[MLP + "W_in"])
    dx += rms_back(d_pre @ w[MLP + "W_in"].T, u2, r2)
    np.matmul(z.T, dx, out=d[ATTN + "W_O"])
    dz = heads(dx @ w[ATTN + "W_O"].T)
    d_pattern = dz @ v.mT
    d_scores = pattern * (d_pattern - (d_pattern * pattern).sum(-1, keepdims=True)) / math.sqrt(d_head)
    du = 0
    for name, share in (("W_Q", d_scores @ k), ("W_K", d_scores.mT @ q), ("W_V", pattern.mT @ dz)):
        share = side_by_side(share)
        np.matmul(u1.T, share, out=d[ATTN + name])
        du = du + share @ w[ATTN + name].T
    dx += rms_back(du, u1, r1)
    dx = rms_back(dx, x0, r0)
    d["W_E"][:] = 0
    np.add.at(d["W_E"], read, dx)
    d["W_pos"][:n], d["W_pos"][n:] = dx, 0
    return loss


BEFORE = np.tri(16)


def rms_norm(x):
    r = np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON)
    return x / r, r


def rms_back(g, out, r):
    return (g - out * (g * out).mean(-1, keepdims=True)) / r


def heads(x):
    return x.reshape(len(x), N_HEADS, -1).swapaxes(0, 1)


def side_by_side(x):
    return x.swapaxes(0, 1).reshape(x.shape[1], -1)


# ---- PyTorch


def in_torch(documents, weights, steps, fused):
    """Written out, or with the parts that PyTorch has fused: RMSNorm, attention, the loss and Adam."""
    import torch
    from torch.nn import functional as F

    torch.set_num_threads(1)
    w = {name: torch.tensor(array, requires_grad=True) for name, array in weights.items()}  # float64, as the arrays are
    adam = torch.optim.Adam(w.values(), RATE, (BETA1, BETA2), TINY, fused=fused)
    future = torch.full((16, 16), -math.inf, dtype=torch.float64).triu(1)

    def written_out(x):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + EPSILON)

    def attention(q, k, v):
        n, d_head = q.shape[1:]
        return (q @ k.mT / math.sqrt(d_head) + future[:n, :n]).softmax(-1) @ v

    def surprise(logits, target):
        return -logits.log_softmax(-1)[range(len(target)), target].mean()

    norm = written_out
    if fused:

        def norm(x):
            return F.rms_norm(x, (16,), eps=EPSILON)

        def attention(q, k, v):
            return F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]

        surprise = F.cross_entropy

    for step in range(steps):
        ids = torch.tensor(documents[step % len(documents)])
        n = len(ids) - 1
        x = norm(w["W_E"][ids[:-1]] + w["W_pos"][:n])
        u = norm(x)
        q, k, v = ((u @ w[ATTN + name]).view(n, N_HEADS, -1).transpose(0, 1) for name in ("W_Q", "W_K", "W_V"))
        x = x + attention(q, k, v).transpose(0, 1).reshape(n, -1) @ w[ATTN + "W_O"]
        x = x + (norm(x) @ w[MLP + "W_in"]).relu() @ w[MLP + "W_out"]
        loss = surprise(x @ w["W_U"], ids[1:])
        adam.zero_grad()
        loss.backward()
        adam.param_groups[0]["lr"] = rate_of(step, steps)
        adam.step()
        yield loss.item()


# ---- a scalar tape


class Value:
    """One number, what it was computed from, and how it moves with each of these: an object for each + and each ×.

    As one writes it after Karpathy's micrograd (2020), whose own, with a function made for each object, takes about
    twice as long; stripped to the least that this model needs, it would take about half as long.
    """

    __slots__ = ("data", "grad", "inputs", "slopes")

    def __init__(self, data, inputs=(), slopes=()):
        self.data, self.grad, self.inputs, self.slopes = data, 0.0, inputs, slopes

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def __pow__(self, n):
        return Value(self.data**n, (self,), (n * self.data ** (n - 1),))

    __radd__ = __add__

    def exp(self):
        return Value(math.exp(self.data), (self,), (math.exp(self.data),))

    def log(self):
        return Value(math.log(self.data), (self,), (1 / self.data,))

    def relu(self):
        return Value(max(0.0, self.data), (self,), (float(self.data > 0),))

    def backward(self):
        order, seen = [], set()

        def visit(value):
            if value not in seen:
                seen.add(value)
                for x in value.inputs:
                    visit(x)
                order.append(value)

        visit(self)
        self.grad = 1.0
        for value in reversed(order):
            for x, slope in zip(value.inputs, value.slopes, strict=True):
                x.grad += slope * value.grad


def scalar_tape(documents, weights, steps):
    w = {name: [[Value(x) for x in column] for column in array.T.tolist()] for name, array in weights.items()}
    w |= {name: [[Value(x) for x in row] for row in weights[name].tolist()] for name in ("W_E", "W_pos")}
    everything = [x for table in w.values() for column in table for x in column]
    m, v = ([0.0] * len(everything) for _ in range(2))
    for step in range(steps):
        loss = tape_loss(documents[step % len(documents)], w)
        loss.backward()
        rate, n = rate_of(step, steps), step + 1
        for i, x in enumerate(everything):
            m[i] = BETA1 * m[i] + (1 - BETA1) * x.grad
            v[i] = BETA2 * v[i] + (1 - BETA2) * x.grad**2
            x.data -= rate * (m[i] / (1 - BETA1**n)) / (math.sqrt(v[i] / (1 - BETA2**n)) + TINY)
            x.grad = 0.0
        yield loss.data


def tape_loss(ids, w):
    """One position after the other; the keys and values of those before are kept."""
    keys, values, losses = [], [], []
    for pos, (i, target) in enumerate(pairwise(ids)):
        x = tape_norm(plus(w["W_E"][i], w["W_pos"][pos]))
        u = tape_norm(x)
        q, k, v = (through(u, w[ATTN + name]) for name in ("W_Q", "W_K", "W_V"))
        keys.append(k)
        values.append(v)
        z = []
        for head in range(0, 16, 4):
            part = slice(head, head + 4)
            pattern = tape_softmax([dot(q[part], k[part]) * 0.5 for k in keys])
            z += [dot(pattern, [v[j] for v in values]) for j in range(head, head + 4)]
        x = plus(x, through(z, w[ATTN + "W_O"]))
        post = [a.relu() for a in through(tape_norm(x), w[MLP + "W_in"])]
        x = plus(x, through(post, w[MLP + "W_out"]))
        losses.append(tape_softmax(through(x, w["W_U"]))[target].log())
    return sum(losses) * (-1 / len(losses))


def tape_norm(x):
    scale = (dot(x, x) * (1 / len(x)) + EPSILON) ** -0.5
    return [a * scale for a in x]


def tape_softmax(x):
    e = [a.exp() for a in x]
    share = sum(e) ** -1
    return [a * share for a in e]


def through(x, columns):
    return [dot(x, column) for column in columns]


def dot(a, b):
    return sum(p * q for p, q in zip(a, b, strict=True))


def plus(a, b):
    return [p + q for p, q in zip(a, b, strict=True)]
