"""The steps of the path as data: what each is called, its formula, and the matrices that are shown when it is open."""

from itertools import chain
from typing import NamedTuple

from ...language import _
from ..shared.grids import step_grid

ATTN, MLP = "blocks.0.attn.", "blocks.0.mlp."
PER_HEAD = (ATTN + "W_Q", ATTN + "W_K", ATTN + "W_V")  # tables whose columns are shared out among the heads
TRANSPOSED = "ᵀ"  # after a key


class PathStep(NamedTuple):
    """One step. Its lines are matrices by their keys, with signs between them."""

    name: str
    key: str  # whose numbers stand on the lanes
    formula: str
    gloss: str
    lines: list


def layer_norm(place, x):
    return [(x, "→", f"{place}.mean", f"{place}.std", "→", f"{place}.out")]


PATH_STEPS = {
    "embed": PathStep(
        _("Token embedding"),
        "embed",
        "tok = W_E[id]",
        _("Each token's id picks its row of W_E."),
        [("W_E", "→", "embed")],
    ),
    "pos_embed": PathStep(
        _("Position embedding"),
        "pos_embed",
        "place = W_pos[n]",
        _("Each place has a row of W_pos, whatever token stands there."),
        [("W_pos", "→", "pos_embed")],
    ),
    "resid_pre": PathStep(
        _("Residual stream x"),
        "blocks.0.resid_pre",
        "x = tok + place",
        _("The two are added: here the residual stream begins, one lane for each token."),
        [("embed", "+", "pos_embed", "=", "blocks.0.resid_pre")],
    ),
    "ln1": PathStep(
        _("LayerNorm"),
        "blocks.0.ln1.out",
        "u = (x − μ) / σ",
        _("Each row is brought to mean 0 and the same spread."),
        layer_norm("blocks.0.ln1", "blocks.0.resid_pre"),
    ),
    "qkv": PathStep(
        _("Queries, keys, values"),
        ATTN + "q",
        "q = u·W_Q, k = u·W_K, v = u·W_V",
        _("What each token looks for, what it can be found by, what it hands on. Each head has columns of its own."),
        [
            ("blocks.0.ln1.out", "·", ATTN + "W_Q", "=", ATTN + "q"),
            ("u ·", ATTN + "W_K", "=", ATTN + "k"),
            ("u ·", ATTN + "W_V", "=", ATTN + "v"),
        ],
    ),
    "dots": PathStep(
        _("Dots"),
        ATTN + "dots",
        "d = q·kᵀ",
        _("Each query times each key, in every head: a large number says, this is what I was looking for."),
        [(ATTN + "q", "·", ATTN + "k" + TRANSPOSED, "=", ATTN + "dots")],
    ),
    "scores": PathStep(
        _("Scores"),
        ATTN + "scores",
        "s = d / √d_head",
        _("Divided by the root of a head's width, so that wide heads do not saturate the softmax."),
        [(ATTN + "dots", "→", ATTN + "scores")],
    ),
    "masked_scores": PathStep(
        _("Mask"),
        ATTN + "masked_scores",
        "ŝ = s + M",
        _("With the causal mask, keys in a query's future get minus infinity."),
        [(ATTN + "scores", "→", ATTN + "masked_scores")],
    ),
    "pattern": PathStep(
        _("Attention weights"),
        ATTN + "pattern",
        "a = softmax(ŝ)",
        _("E is e to the power of each score, ΣE the sum of its row; a = E / ΣE, so each row sums to 1."),
        [
            (ATTN + "masked_scores", "→", ATTN + "exp_scores"),
            ("÷", ATTN + "exp_scores_sum", "=", ATTN + "pattern"),
        ],
    ),
    "z": PathStep(
        _("Values, mixed"),
        ATTN + "z",
        "mix = a·v",
        _("Each row of weights mixes the values: what this head reads for this token."),
        [(ATTN + "pattern", "·", ATTN + "v", "=", ATTN + "z")],
    ),
    "concat": PathStep(
        _("Heads side by side"),
        ATTN + "concat",
        "c = [mix₀ | mix₁ | …]",
        _("What the heads have read, next to each other."),
        [(ATTN + "z", "→", ATTN + "concat")],
    ),
    "attn_out": PathStep(
        _("Through W_O"),
        ATTN + "out",
        "att = c·W_O",
        _("What attention adds to the stream. r is this head's part of it: the parts of all heads add up to att."),
        [(ATTN + "concat", "·", ATTN + "W_O", "=", ATTN + "out"), (ATTN + "result",)],
    ),
    "resid_mid": PathStep(
        _("Residual stream h"),
        "blocks.0.resid_mid",
        "h = x + att",
        _("The arc brings x past attention; what attention found is added."),
        [("blocks.0.resid_pre", "+", ATTN + "out", "=", "blocks.0.resid_mid")],
    ),
    "ln2": PathStep(
        _("LayerNorm"),
        "blocks.0.ln2.out",
        "u′ = (h − μ′) / σ′",
        _("The same once more, for the MLP."),
        layer_norm("blocks.0.ln2", "blocks.0.resid_mid"),
    ),
    "mlp_pre": PathStep(
        _("Neurons"),
        MLP + "pre",
        "pre = u′·W_in",
        _("Each token by itself: from its numbers to twice as many neurons."),
        [("blocks.0.ln2.out", "·", MLP + "W_in"), ("=", MLP + "pre")],
    ),
    "mlp_post": PathStep(
        _("GELU"),
        MLP + "post",
        "post = GELU(pre)",
        _("What is far below 0 becomes 0, what is far above stays: the bend."),
        [(MLP + "pre",), ("→", MLP + "post")],
    ),
    "mlp_out": PathStep(
        _("Through W_out"),
        MLP + "out",
        "m = post·W_out",
        _("Back to the width of the stream: what the MLP adds."),
        [(MLP + "post",), ("·", MLP + "W_out", "=", MLP + "out")],
    ),
    "resid_post": PathStep(
        _("Residual stream y"),
        "blocks.0.resid_post",
        "y = h + m",
        _("The second arc: h passes the MLP by, and m is added."),
        [("blocks.0.resid_mid", "+", MLP + "out", "=", "blocks.0.resid_post")],
    ),
    "ln_final": PathStep(
        _("Last LayerNorm"),
        "ln_final.out",
        "f = (y − μ″) / σ″",
        _("Once more to the same scale, before it is read off."),
        layer_norm("ln_final", "blocks.0.resid_post"),
    ),
    "logits": PathStep(
        _("Logits"),
        "logits",
        "z = f·W_U",
        _("One number for each token that could come next: the row's product with that token's column of W_U."),
        [("ln_final.out", "·", "W_U"), ("=", "logits")],
    ),
    "probs": PathStep(
        _("Probabilities"),
        "probs",
        "p = softmax(z / T)",
        _("e to each logit over the temperature, over the sum of the row: what comes next."),
        [("logits",), ("→", "probs")],
    ),
}


def is_key(part):
    """Whether a part of a line is the key of a matrix, and no sign."""
    return part.replace(".", "").isidentifier()


# Where a number is shown: in the first step that has its matrix, which is the one that makes it or reads this weight.
HOME = {}
for _name, _step in PATH_STEPS.items():
    for _part in filter(is_key, chain(*_step.lines)):
        HOME.setdefault(_part.removesuffix(TRANSPOSED), _name)


def columns_of(t, head):
    """The columns of W_Q, W_K and W_V that a head has."""
    d_head = t[ATTN + "q"].shape[2]
    return slice(head * d_head, (head + 1) * d_head)


def lines_of(t, step, head):
    """The lines of a step: grids whose numbers can be picked (one head of what has heads), and signs between them."""

    def part(it):
        if not is_key(it):
            return it
        key, is_transposed = it.removesuffix(TRANSPOSED), it.endswith(TRANSPOSED)
        more = {"only": columns_of(t, head)} if key in PER_HEAD else {}
        if is_transposed:
            more = {"caption": [t.about(key).symbol + TRANSPOSED], "transposed": True}
        return step_grid(t, key, head if t.about(key).axes[0] == "head" else None, pickable=True, exact=True, **more)

    return [[part(it) for it in line] for line in step.lines]
