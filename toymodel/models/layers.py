"""The parts that models are put together from. Each takes the recorder first, placed inside its part of the path."""

from ..core.asides import mean, per_head, power_of_e, root_mean_square, row_sum, std
from ..core.expression import sqrt
from ..core.moves import causal_mask, gather, merge_heads, split_heads
from ..core.ops import gelu, normalize, relu, scale, softmax


def embedding(step, ids):
    """The row of each token plus the row of its place: (pos) -> (pos, d_model)."""
    embed = step("embed", gather(step.weight("W_E"), ids=ids))
    places = range(step.start, step.start + len(ids))
    return embed + step("pos_embed", gather(step.weight("W_pos"), ids=places))


def layer_norm(step, x):
    """Subtract each row's mean and divide by its standard deviation: (pos, d_model) -> (pos, d_model)."""
    mu = step("mean", mean(x))  # (pos)
    sigma = step("std", std(x, mu))  # (pos)
    return step("out", normalize(x, mu, sigma))


def rms_norm(step, x):
    """Divide each row by the root of its mean square: (pos, d_model) -> (pos, d_model)."""
    rms = step("rms", root_mean_square(x))  # (pos)
    return step("out", scale(x, rms))


def scaled_dot_product_attention(step, q, k, v, causal):
    """softmax(QK^T / sqrt(d_k) + mask) V (Vaswani et al. 2017): for each query, its mixture of the values.

    q and k are (..., pos, d_k), v and what is returned (..., pos, d_v).
    """
    dots = step("dots", q @ k.T)  # (..., query, key)
    d_k = q.value.shape[-1]
    scores = step("scores", dots / sqrt(d_k))
    masked_scores = step("masked_scores", causal_mask(scores) if causal else scores)
    exp_scores = step("exp_scores", power_of_e(masked_scores))  # these two only show how the softmax comes about
    step("exp_scores_sum", row_sum(exp_scores))
    pattern = step("pattern", softmax(masked_scores))  # each row sums to 1
    return step("z", pattern @ v)


def attention(step, x, n_heads, causal, memory=None):
    """Every head by itself, then side by side through W_O: (pos, d_model) -> (pos, d_model).

    In cross-attention (lesson 8) keys and values come from another text, the rows of `memory`: (source pos, d_model).
    """
    read = x if memory is None else memory
    q = step("q", split_heads(x @ step.weight("W_Q"), n_heads=n_heads))  # (head, pos, d_head)
    k = step("k", split_heads(read @ step.weight("W_K"), n_heads=n_heads))
    v = step("v", split_heads(read @ step.weight("W_V"), n_heads=n_heads))
    z = scaled_dot_product_attention(step, q, k, v, causal)  # (head, pos, d_head)
    concat = step("concat", merge_heads(z))  # (pos, n_heads * d_head)
    W_O = step.weight("W_O")
    step("result", per_head(z, W_O))  # what each head adds by itself: (head, pos, d_model)
    return step("out", concat @ W_O)


def add_and_norm(step, x, out):
    """LayerNorm of x + out, times a gain, plus a bias (post-LayerNorm, Vaswani et al. 2017): (pos, d_model) -> same."""
    added = step("sum", x + out)
    mu = step("mean", mean(added))  # (pos)
    sigma = step("std", std(added, mu))  # (pos)
    normed = step("normed", normalize(added, mu, sigma))
    return step("out", normed * step.weight("gain") + step.weight("bias"))


def feed_forward(step, x):
    """The MLP of 2017, with ReLU and biases: (pos, d_model) -> (pos, d_model)."""
    pre = step("pre", x @ step.weight("W_in") + step.weight("b_in"))  # (pos, d_mlp)
    post = step("post", relu(pre))
    return step("out", post @ step.weight("W_out") + step.weight("b_out"))


def mlp(step, x, activation=gelu):
    """Each position by itself, through d_mlp neurons: (pos, d_model) -> (pos, d_model)."""
    pre = step("pre", x @ step.weight("W_in"))  # (pos, d_mlp)
    post = step("post", activation(pre))
    return step("out", post @ step.weight("W_out"))


def next_token(step, logits, temperature):
    """From logits to the probabilities of what comes next: (pos, d_vocab) -> (pos, d_vocab)."""
    exp_logits = step("exp_logits", power_of_e(logits))  # these two only show how the softmax comes about
    step("exp_logits_sum", row_sum(exp_logits))
    return step("probs", softmax(logits, temperature=temperature))
