"""The encoder-decoder once more, written from the formulas alone, for the tests to compare with: nothing is toymodel's.

`steps` is every step of a run; `loss` what training minimises. With `np=autograd.numpy`, something to differentiate.
"""

import numpy

WAVE = numpy.zeros((9, 16))
for _place in range(9):
    for _pair in range(8):
        _angle = _place / 10000.0 ** (_pair / 8)
        WAVE[_place, 2 * _pair : 2 * _pair + 2] = numpy.sin(_angle), numpy.cos(_angle)


def steps(w, source, target, np=numpy, n_heads=2, by_hand=None):
    """{step: array} from the ids of the source, and those of the target with the start before them.

    `by_hand` is {step: array}, put in the place of what the formula gives.
    """
    found, by_hand = {}, by_hand or {}

    def record(name, array):
        found[name] = by_hand.get(name, array)
        return found[name]

    def embedded(side, ids):
        one_hot = numpy.array([[float(i == j) for j in range(len(w["W_E"]))] for i in ids])
        embed = record(f"{side}.embed", one_hot @ w["W_E"])
        return record(f"{side}.0.resid_pre", embed + record(f"{side}.pos_embed", WAVE[: len(ids)]))

    def attention(at, x, read, causal=False):
        width = w[f"{at}.W_Q"].shape[1] // n_heads
        rows, parts = (x, read, read), {name: [] for name in (*"qkv", *PATTERN, "z", "result")}
        for h in range(n_heads):
            cut = slice(h * width, (h + 1) * width)
            q, k, v = (x @ w[f"{at}.W_{name}"][:, cut] for x, name in zip(rows, "QKV", strict=True))
            dots = q @ np.transpose(k)
            scores = dots / numpy.sqrt(width)
            hidden = numpy.triu(numpy.ones(dots.shape), 1) * causal > 0
            e = np.where(hidden, 0.0, np.exp(scores))
            pattern = e / np.sum(e, axis=1, keepdims=True)
            masked = np.where(hidden, -numpy.inf, scores)
            z = pattern @ v
            head = (q, k, v, dots, scores, masked, e, np.sum(e, axis=1), pattern, z, z @ w[f"{at}.W_O"][cut])
            for name, it in zip(parts, head, strict=True):
                parts[name].append(it)
        for name in parts:
            record(f"{at}.{name}", np.stack(parts[name]))
        concat = record(f"{at}.concat", np.concatenate(list(found[f"{at}.z"]), axis=1))
        return record(f"{at}.out", concat @ w[f"{at}.W_O"])

    def mlp(at, x):
        pre = record(f"{at}.pre", x @ w[f"{at}.W_in"] + w[f"{at}.b_in"])
        post = record(f"{at}.post", pre * (pre > 0))
        return record(f"{at}.out", post @ w[f"{at}.W_out"] + w[f"{at}.b_out"])

    def add_and_norm(at, x, out):
        total = record(f"{at}.sum", x + out)
        mean = record(f"{at}.mean", np.mean(total, axis=1))
        away = total - np.reshape(mean, (-1, 1))
        std = record(f"{at}.std", np.sqrt(np.mean(away * away, axis=1) + 1e-5))
        normed = record(f"{at}.normed", away / np.reshape(std, (-1, 1)))
        return record(f"{at}.out", normed * w[f"{at}.gain"] + w[f"{at}.bias"])

    x = embedded("encoder", source)
    x = add_and_norm("encoder.0.ln1", x, attention("encoder.0.self", x, x))
    memory = add_and_norm("encoder.0.ln2", x, mlp("encoder.0.mlp", x))
    x = embedded("decoder", target)
    x = add_and_norm("decoder.0.ln1", x, attention("decoder.0.self", x, x, causal=True))
    x = add_and_norm("decoder.0.ln2", x, attention("decoder.0.cross", x, memory))
    x = add_and_norm("decoder.0.ln3", x, mlp("decoder.0.mlp", x))
    logits = record("logits", x @ w["W_U"] + w["b_U"])
    e = record("exp_logits", np.exp(logits))
    sums = record("exp_logits_sum", np.sum(e, axis=1))
    record("probs", e / np.reshape(sums, (-1, 1)))
    return found


PATTERN = ("dots", "scores", "masked_scores", "exp_scores", "exp_scores_sum", "pattern")
ASIDES = {"mean", "std", "exp_scores", "exp_scores_sum", "result", "exp_logits", "exp_logits_sum"}  # read by nothing


def loss(w, source, target, end, np=numpy, by_hand=None):
    """The mean of -ln p of each next word, the end after the last one."""
    logits = steps(w, source, target, np, by_hand=by_hand)["logits"]
    losses = [np.log(np.sum(np.exp(row))) - row[i] for row, i in zip(logits, [*target[1:], end], strict=True)]
    return sum(losses) / len(losses)


def greedy(w, source, start, end, most=8):
    """The ids that are written: each time the likeliest, up to the end."""
    ids = [start]
    while len(ids) <= most:
        best = int(numpy.argmax(steps(w, source, ids)["logits"][-1]))
        if best == end:
            break
        ids.append(best)
    return ids[1:]
