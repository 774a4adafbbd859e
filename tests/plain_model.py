"""The toy once more, written from the formulas alone, for the tests to compare with: nothing here is toymodel's."""

import numpy

SCORES = ("dots", "scores", "masked_scores", "exp_scores", "exp_scores_sum", "pattern")
HEAD_PARTS = ("q", "k", "v", *SCORES, "z", "result")
# the steps that nothing reads: they only show how another came about
ASIDES = {f"{place}.{name}" for place in ("blocks.0.ln1", "blocks.0.ln2", "ln_final") for name in ("mean", "std")} | {
    *("blocks.0.attn.exp_scores", "blocks.0.attn.exp_scores_sum", "blocks.0.attn.result"),
    *("exp_logits", "exp_logits_sum"),
}


def three_decimals(x):
    """A number below a million as it is shown everywhere: rounded at the ninth decimal first, and no -0.000."""
    return f"{round(round(float(x), 9), 3) + 0.0:.3f}"


def random_weights(seed, spread=0.5):
    """Weights of the toy's names and shapes, drawn from a normal distribution."""
    draw = numpy.random.RandomState(seed)
    shapes = {"W_E": (12, 4), "W_pos": (8, 4), "W_U": (4, 12)}
    shapes |= {f"blocks.0.attn.{name}": (4, 4) for name in ("W_Q", "W_K", "W_V", "W_O")}
    shapes |= {"blocks.0.mlp.W_in": (4, 8), "blocks.0.mlp.W_out": (8, 4)}
    return {name: spread * draw.standard_normal(shape) for name, shape in shapes.items()}


def forward(weights, ids, n_heads=2, causal=True, temperature=1.0, np=numpy):
    """Every step by its name. With `np=autograd.numpy`, something to differentiate."""
    steps = {}
    steps["embed"] = np.array([[float(j == i) for j in range(12)] for i in ids]) @ weights["W_E"]
    steps["pos_embed"] = np.stack([weights["W_pos"][place] for place in range(len(ids))])

    def layer_norm(name, x):
        means = np.einsum("pi->p", x) / 4
        away = np.stack([row - m for row, m in zip(x, means, strict=True)])
        stds = np.sqrt(np.einsum("pi,pi->p", away, away) / 4 + 1e-5)
        out = np.stack([row / s for row, s in zip(away, stds, strict=True)])
        steps.update({f"{name}.mean": means, f"{name}.std": stds, f"{name}.out": out})
        return out

    def head(u, columns):
        q, k, v = (np.einsum("pi,ij->pj", u, weights[f"blocks.0.attn.W_{name}"][:, columns]) for name in "QKV")
        dots = np.einsum("qi,ki->qk", q, k)
        scores = dots / (4 // n_heads) ** 0.5
        masked, powers, sums, pattern = [], [], [], []
        for query in range(len(ids)):
            seen = query + 1 if causal else len(ids)  # a softmax over the keys that may be seen, and nothing else
            unseen = len(ids) - seen
            e = np.exp(scores[query][:seen])
            masked.append(np.concatenate([scores[query][:seen], [-numpy.inf] * unseen]))
            powers.append(np.concatenate([e, [0.0] * unseen]))
            sums.append(np.sum(e))
            pattern.append(powers[-1] / sums[-1])
        pattern = np.stack(pattern)
        z = np.einsum("qk,kj->qj", pattern, v)
        result = z @ weights["blocks.0.attn.W_O"][columns]
        return q, k, v, dots, scores, np.stack(masked), np.stack(powers), np.stack(sums), pattern, z, result

    x = steps["blocks.0.resid_pre"] = steps["embed"] + steps["pos_embed"]
    u = layer_norm("blocks.0.ln1", x)
    d_head = 4 // n_heads
    heads = [head(u, slice(h * d_head, (h + 1) * d_head)) for h in range(n_heads)]
    for part, name in enumerate(HEAD_PARTS):
        steps[f"blocks.0.attn.{name}"] = np.stack([parts[part] for parts in heads])
    steps["blocks.0.attn.concat"] = np.concatenate([parts[HEAD_PARTS.index("z")] for parts in heads], axis=1)
    steps["blocks.0.attn.out"] = sum(parts[HEAD_PARTS.index("result")] for parts in heads)
    h = steps["blocks.0.resid_mid"] = x + steps["blocks.0.attn.out"]
    pre = steps["blocks.0.mlp.pre"] = layer_norm("blocks.0.ln2", h) @ weights["blocks.0.mlp.W_in"]
    bend = (2 / numpy.pi) ** 0.5 * (pre + 0.044715 * pre**3)
    post = steps["blocks.0.mlp.post"] = pre / (1 + np.exp(-2 * bend))  # (1 + tanh b) / 2 is 1 / (1 + e^-2b)
    m = steps["blocks.0.mlp.out"] = np.einsum("pn,ni->pi", post, weights["blocks.0.mlp.W_out"])
    y = steps["blocks.0.resid_post"] = h + m
    logits = steps["logits"] = np.einsum("pi,it->pt", layer_norm("ln_final", y), weights["W_U"])
    steps["exp_logits"] = np.exp(logits)
    steps["exp_logits_sum"] = np.einsum("pt->p", steps["exp_logits"])
    steps["probs"] = np.stack([_chances(row, temperature, np) for row in logits])
    return steps


def _chances(row, temperature, np):
    best = max(row)
    e = np.exp((row - best) / temperature) if temperature else np.array([float(z == best) for z in row])
    return e / sum(e)


def loss(logits, ids, target=None, np=numpy):
    """-ln p(target) at the last position, or the mean of -ln p(next id) over all that have a next one."""
    pairs = zip(logits[:-1], ids[1:], strict=True) if target is None else [(logits[-1], target)]
    losses = [np.log(np.sum(np.exp(row))) - row[i] for row, i in pairs]
    return sum(losses) / len(losses)


def kept(logits, p, top_k=12, top_p=1.0):
    """Of a row of probabilities those that top-k and then top-p leave, as shares of what is left."""
    order = sorted(range(len(p)), key=lambda i: (-round(float(logits[i]), 9), i))[:top_k]
    total, so_far, left = sum(p[i] for i in order), 0.0, []
    for i in order:
        if top_p < 1 and so_far >= top_p - 1e-12:
            break
        left.append(i)
        so_far += p[i] / total
    return [p[i] / sum(p[j] for j in left) if i in left else 0.0 for i in range(len(p))]


def pick(p, number):
    """The place on which a number from 0 to 1 falls, if each takes as much of that line as is probable."""
    end = 0.0
    for i, share in enumerate(p):
        end += share
        if number < end:
            return i
    return max(i for i, share in enumerate(p) if share)


def written(weights, ids, temperature=0.0, seed=0, top_k=12, top_p=1.0):
    """The ids that are written after these, one random number for each, to `<eot>` or one past the full context."""
    numbers, new = numpy.random.RandomState(seed).random_sample(8), []
    while len(ids) + len(new) < 9 and new[-1:] != [11]:
        steps = forward(weights, [*ids, *new], temperature=temperature)
        logits, p = steps["logits"][-1], steps["probs"][-1]
        new.append(pick(kept(logits, p, top_k, top_p), numbers[len(new)]))
    return new
