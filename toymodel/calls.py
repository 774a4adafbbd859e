"""The calls that begin with a text or with weights. They are about the toy, unless they are given another model.

A setting that is left out (`...`) is what the model usually has: of the toy, n_heads is 2 and causal True. A model with
other settings is given them by name.
"""

from .core.arguments import checked_count, dice
from .language import _
from .learning.training import loss_for, random_weights, to_learn, trained
from .models.model import Model
from .models.toy import TOY
from .writing.branches import grown
from .writing.generation import next_probs, require_causal, write_on


def run(text, n_heads=..., causal=..., temperature=1.0, weights=None, replace=None, model=TOY, **settings):
    """Run a model, the toy, on `text` and keep every step: a Trace.

    n_heads is 1, 2 or 4; `causal` is the mask; `temperature` (from 0 up, 0 being the limit) acts on the last step only.
    `weights` are weights of your own, in place of `toy_weights()`. `replace` maps a step to numbers of its shape, or to
    an earlier step of that shape, which is then used in its place: replace={"blocks.0.ln1.out": "blocks.0.resid_pre"}.
    Raises ValueError with a sentence that says what was wrong and what is allowed.
    """
    ids = checked_model(model).encode(text)
    return model.run(ids, weights, replace, temperature=temperature, **chosen(n_heads, causal, settings))


def generate(
    text,
    temperature=0.0,
    seed=0,
    n_heads=...,
    causal=...,
    weights=None,
    top_k=None,
    top_p=None,
    cache=False,
    model=TOY,
    **settings,
):
    """Let a model, the toy, go on with `text`, one token at a time: yields the Trace that each token was chosen from.

    `trace.chosen` is the new token; the next Trace has it at its end. Stops after choosing the end (`<eot>`), or when
    the context is full. Temperature 0 is greedy (the most likely token, the lowest id on ties); above, tokens are drawn
    from `next_probs(trace, top_k, top_p)`, the same ones for the same seed. With `cache` each Trace after the first has
    one row, that of the new token (see `extend`). Raises ValueError as `run` does, before the first token.
    """
    first = run(text, n_heads, causal, temperature, weights, model=model, **settings)
    next_probs(first, top_k, top_p)
    if cache:
        require_causal(first)
    return write_on(first, dice(seed), top_k, top_p, cache)


def tree(text, width=3, depth=3, n_heads=..., causal=..., temperature=1.0, weights=None, model=TOY, **settings):
    """The `width` likeliest next tokens, for each of them those that may follow, `depth` tokens deep: [Branch, ...].

    A branch ends at the end (`<eot>`), and where the context is full. Raises ValueError as `run` does, and for a tree
    that could have more than 5,000 ends.
    """
    width, depth = checked_count("width", width), checked_count("depth", depth)
    return grown(run(text, n_heads, causal, temperature, weights, model=model, **settings), width, depth)


def train(texts, learning_rate=0.01, optimizer="adam", seed=0, n_heads=..., causal=..., model=TOY, **settings):
    """Learn to write `texts`, from random weights: yields a Progress before the first step, and one after each.

    A step reads one text, each in its turn. It goes on for as long as it is asked: itertools.islice takes some.
    `optimizer` is "adam" or "sgd". Raises ValueError for what cannot be learned from, before the first step; and later,
    where a rate is so large that float64 ends.
    """
    weights = fresh_weights(seed, model)
    settings, losses = chosen(n_heads, causal, settings), []
    for ids in to_learn(model, texts):
        model.run(ids, weights=weights, **settings)  # refuses a text that is too long
        losses.append(loss_for(model, ids, **settings))
    return trained(losses, weights, learning_rate, optimizer)


def fresh_weights(seed=0, model=TOY):
    """A model's weights as training finds them, the toy's: drawn around 0, the same for a seed with every numpy.

    Raises ValueError for a seed that is no whole number from 0 up.
    """
    return random_weights(checked_model(model), dice(seed))


def chosen(n_heads, causal, others):
    """The settings that were not left out."""
    return {name: it for name, it in {"n_heads": n_heads, "causal": causal}.items() if it is not ...} | others


def checked_model(model):
    """The model. Raises ValueError for what is none, and for one that reads no text."""
    if not isinstance(model, Model):
        raise ValueError(_("model must be a Model, not {it!r}.", it=model))
    if not model.vocab:
        raise ValueError(_("this model has no vocabulary, so it reads no text."))
    return model
