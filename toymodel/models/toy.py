"""The toy: a pre-LayerNorm decoder with one block, small enough to be worked through by hand."""

import math
from numbers import Real

from ..language import _
from ..ops import gather, power_of_e, row_sum, softmax
from ..tokenizer import longest_match, text_of
from ..trace import Recorder, Trace, UnknownStep, checked_numbers
from .layers import attention, layer_norm, mlp
from .toy_weights import TOY_WEIGHTS, VOCAB


def decoder(step, ids, n_heads, causal, temperature):
    """The path from token ids to the probabilities of what comes next: (pos) -> (pos, d_vocab)."""
    embed = step("embed", gather(step.weight("W_E"), ids=ids))  # (pos, d_model)
    pos_embed = step("pos_embed", gather(step.weight("W_pos"), ids=range(len(ids))))
    y = block(step.within("blocks.0"), embed + pos_embed, n_heads, causal)
    f = layer_norm(step.within("ln_final"), y)
    logits = step("logits", f @ step.weight("W_U"))  # (pos, d_vocab)
    exp_logits = step("exp_logits", power_of_e(logits))
    step("exp_logits_sum", row_sum(exp_logits))
    return step("probs", softmax(logits, temperature=temperature))


def block(step, x, n_heads, causal):
    """Attention, then the MLP; each reads a LayerNorm of the residual stream and adds to the stream itself."""
    x = step("resid_pre", x)  # (pos, d_model)
    attn_out = attention(step.within("attn"), layer_norm(step.within("ln1"), x), n_heads, causal)
    h = step("resid_mid", x + attn_out)
    return step("resid_post", h + mlp(step.within("mlp"), layer_norm(step.within("ln2"), h)))


def run(text, n_heads=2, causal=True, temperature=1.0, weights=None, replace=None):
    """Run the toy on `text` and keep every step: a Trace.

    n_heads is 1, 2 or 4; `causal` is the mask; `temperature` (from 0 up, 0 being the limit) acts on the last step only.
    `weights` are weights of your own, in place of `toy_weights()`. `replace` maps a step to numbers of its shape, or to
    an earlier step of that shape, which is then used in its place: replace={"blocks.0.ln1.out": "blocks.0.resid_pre"}.
    Raises ValueError with a sentence that says what was wrong and what is allowed.
    """
    return run_ids(encode(text), n_heads, causal, temperature, weights, replace)


def run_ids(ids, n_heads=2, causal=True, temperature=1.0, weights=None, replace=None):
    """`run`, for a list of token ids."""
    weights = checked_weights(weights)
    n_ctx = len(weights["W_pos"])
    if len(ids) > n_ctx:
        raise ValueError(_("the text has {n} tokens; the toy's context holds {n_ctx}.", n=len(ids), n_ctx=n_ctx))
    if n_heads not in (1, 2, 4) or isinstance(n_heads, bool):
        raise ValueError(_("n_heads must be 1, 2 or 4 (it has to divide d_model = 4), not {given!r}.", given=n_heads))
    if causal not in (True, False):
        raise ValueError(_("causal must be True or False, not {given!r}.", given=causal))
    settings = {"n_heads": n_heads, "causal": bool(causal), "temperature": checked_temperature(temperature)}
    step = Recorder(weights, replace)
    decoder(step, ids, **settings)
    for key in step.replace:
        if key not in step.steps:
            raise UnknownStep(key, step.steps)
    return Trace(step, [VOCAB[i] for i in ids], list(ids), VOCAB, settings)


def encode(text):
    """The ids of the toy's tokens in `text`: encode("o gato") == [0, 2]. Raises ValueError for any other text."""
    return longest_match(text, VOCAB)


def decode(ids):
    """The text that toy token ids spell: decode([0, 2]) == "o gato"."""
    return text_of(ids, VOCAB)


def checked_temperature(temperature):
    """The temperature as a float from 0 up. One so near 0 that 1/T would be infinite is 0. Raises ValueError."""
    if not isinstance(temperature, Real) or isinstance(temperature, bool) or not 0 <= temperature < math.inf:
        raise ValueError(
            _(
                "temperature must be a number from 0 up (0 picks the most likely token), not {given!r}.",
                given=temperature,
            )
        )
    return 0.0 if temperature < 2.3e-308 else float(temperature)


def checked_weights(weights):
    """A copy of the weights, float64 arrays of the toy's shapes. Raises ValueError naming the one that is wrong."""
    if weights is None:
        return TOY_WEIGHTS
    if not hasattr(weights, "keys"):
        raise ValueError(
            _("weights must be a dict of named arrays, like tm.toy_weights(), not {kind}.", kind=type(weights).__name__)
        )
    for name in [*TOY_WEIGHTS, *weights]:
        if name not in weights:
            raise ValueError(
                _("weights has no `{name}`: start from tm.toy_weights() and change what you like.", name=name)
            )
        if name not in TOY_WEIGHTS:
            raise ValueError(
                _(
                    "weights has an unknown name, {name!r}. The toy has {known}.",
                    name=name,
                    known=", ".join(TOY_WEIGHTS),
                )
            )
    mine = {name: checked_numbers(weights[name], f"weights[{name!r}]") for name in TOY_WEIGHTS}
    for name, array in mine.items():
        if array.shape != TOY_WEIGHTS[name].shape:
            raise ValueError(
                _(
                    "weights[{name!r}] has the shape {given}; the toy needs {expected}.",
                    name=name,
                    given=array.shape,
                    expected=TOY_WEIGHTS[name].shape,
                )
            )
    return mine
