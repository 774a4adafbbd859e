"""A small character model that only the tests have: nothing in toymodel knows it, yet every call must work on it.

Two blocks, RMSNorm, ReLU, biases, no last normalisation, and an end that stands at both ends of each text: all that
the toy is not. `plain_loss` is the same once more, from the formulas alone.
"""

import numpy

from toymodel.core.ops import add, relu
from toymodel.core.steps import Step, under
from toymodel.models.glosses import ATTENTION, EMBEDDING, ENDING, MLP, POS
from toymodel.models.layers import attention, embedding, rms_norm
from toymodel.models.model import Model

VOCAB = ("a", "b", "c", "n", "o", "·")  # the last one is the end
N_LAYERS, D_MODEL, D_MLP, N_CTX = 2, 4, 6, 7
SHAPES = {"W_E": (len(VOCAB), D_MODEL), "W_pos": (N_CTX, D_MODEL), "W_U": (D_MODEL, len(VOCAB)), "b_U": (len(VOCAB),)}
for _i in range(N_LAYERS):
    SHAPES |= {f"blocks.{_i}.attn.W_{name}": (D_MODEL, D_MODEL) for name in "QKVO"}
    SHAPES |= {f"blocks.{_i}.mlp.W_in": (D_MODEL, D_MLP), f"blocks.{_i}.mlp.b_in": (D_MLP,)}
    SHAPES |= {f"blocks.{_i}.mlp.W_out": (D_MLP, D_MODEL), f"blocks.{_i}.mlp.b_out": (D_MODEL,)}


def forward(step, ids, n_heads):
    x = rms_norm(step.within("ln_embed"), embedding(step, ids))
    for i in range(N_LAYERS):
        x = block(step.within(f"blocks.{i}"), x, n_heads)
    return step("logits", add(x @ step.weight("W_U"), step.weight("b_U")))


def block(step, x, n_heads):
    x = step("resid_pre", x)
    h = step("resid_mid", x + attention(step.within("attn"), rms_norm(step.within("ln1"), x), n_heads, True))
    inside = step.within("mlp")
    u = rms_norm(step.within("ln2"), h)
    pre = inside("pre", u @ inside.weight("W_in") + inside.weight("b_in"))
    post = inside("post", relu(pre))
    return step("resid_post", h + inside("out", post @ inside.weight("W_out") + inside.weight("b_out")))


def norm(name, rms):
    return {"rms": Step(rms, ("pos",), "The root of each row's mean square."), "out": Step(name, POS, "Row over rms.")}


BLOCK = {"resid_pre": Step("x", POS, "In."), "resid_mid": Step("h", POS, "Mid."), "resid_post": Step("y", POS, "Out.")}
BLOCK |= under("ln1", norm("u", "ρ")) | under("ln2", norm("u′", "ρ′")) | under("attn", ATTENTION) | under("mlp", MLP)
ABOUT = EMBEDDING | under("ln_embed", norm("e", "ρ″")) | ENDING  # nothing is said of biases
for _i in range(N_LAYERS):
    ABOUT |= under(f"blocks.{_i}", BLOCK)


def weights(seed=0, spread=0.7):
    draw = numpy.random.RandomState(seed).standard_normal
    return {name: spread * draw(shape) for name, shape in SHAPES.items()}


MODEL = Model(forward, weights(), {"n_heads": (2, 1, 4)}, ABOUT, VOCAB, N_CTX, end="·", ends_every_text=True)


def bare(step, ids):
    """As little as a model may be: one block of one head, and no setting, gloss, bias, mask or normalisation."""
    block = step.within("blocks.0")
    x = block("resid_pre", embedding(step, ids))
    y = block("resid_post", x + attention(block.within("attn"), x, 1, False))
    return step("logits", y @ step.weight("W_U"))


BARE_SHAPES = {name: SHAPES[name] for name in ("W_E", "W_pos", "W_U", *(f"blocks.0.attn.W_{it}" for it in "QKVO"))}
BARE_WEIGHTS = {name: (3 * w).astype(int).tolist() for name, w in weights(1).items() if name in BARE_SHAPES}
BARE = Model(bare, BARE_WEIGHTS, {}, {}, VOCAB, N_CTX, "·")


def plain_bare(w, ids, np=numpy):
    """Its logits."""
    w = {name: numpy.array(it, float) for name, it in w.items()}
    x = w["W_E"][ids] + w["W_pos"][: len(ids)]
    q, k, v = (x @ w[f"blocks.0.attn.W_{name}"] for name in "QKV")
    e = np.exp(q @ k.T / 2)
    return (x + e / e.sum(axis=1, keepdims=True) @ v @ w["blocks.0.attn.W_O"]) @ w["W_U"]


# ---- once more, from the formulas alone


def plain_forward(w, ids, n_heads=2, np=numpy):
    """The logits, in plain numpy; or in autograd's, with `np`."""

    def normed(rows):
        return rows / np.sqrt(np.mean(rows * rows, axis=1, keepdims=True) + 1e-5)

    n, d = len(ids), D_MODEL // n_heads
    hidden = numpy.triu(numpy.full((n, n), -1e30), 1)
    x = normed(w["W_E"][numpy.array(ids)] + w["W_pos"][:n])
    for i in range(N_LAYERS):
        p = f"blocks.{i}."
        u, read = normed(x), []
        for cut in [slice(h * d, (h + 1) * d) for h in range(n_heads)]:
            q, k, v = (u @ w[f"{p}attn.W_{name}"][:, cut] for name in "QKV")
            e = np.exp(q @ k.T / d**0.5 + hidden)
            read.append(e / np.sum(e, axis=1, keepdims=True) @ v)
        x = x + np.concatenate(read, axis=1) @ w[p + "attn.W_O"]
        pre = normed(x) @ w[p + "mlp.W_in"] + w[p + "mlp.b_in"]
        x = x + (pre * (pre > 0)) @ w[p + "mlp.W_out"] + w[p + "mlp.b_out"]
    return x @ w["W_U"] + w["b_U"]


def plain_loss(w, ids, n_heads=2, np=numpy):
    """The mean of -ln p over every next character, the end after the last one among them."""
    logits, targets = plain_forward(w, ids, n_heads, np), [*ids[1:], len(VOCAB) - 1]
    losses = [np.log(np.sum(np.exp(row))) - row[i] for row, i in zip(logits, targets, strict=True)]
    return sum(losses) / len(losses)
