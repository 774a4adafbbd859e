"""The toy: a pre-LayerNorm decoder with one block, small enough to be worked through by hand."""

from ..core.arguments import within_float64
from ..core.asides import power_of_e, row_sum
from ..core.ops import gather, softmax
from ..core.trace import Recorder, Trace, require_trace
from ..language import _
from ..text.tokenizer import longest_match, text_of, token_id
from .layers import attention, layer_norm, mlp
from .sizes import TOY
from .toy_arguments import checked_settings, checked_weights
from .toy_weights import TOY_WEIGHTS, VOCAB


def decoder(step, ids, n_heads, causal, temperature):
    """From token ids to the probabilities of what comes next (Radford et al. 2019): (pos) -> (pos, d_vocab)."""
    embed = step("embed", gather(step.weight("W_E"), ids=ids))  # (pos, d_model)
    pos_embed = step("pos_embed", gather(step.weight("W_pos"), ids=range(step.start, step.start + len(ids))))
    y = block(step.within("blocks.0"), embed + pos_embed, n_heads, causal)
    f = layer_norm(step.within("ln_final"), y)
    logits = step("logits", f @ step.weight("W_U"))  # (pos, d_vocab)
    exp_logits = step("exp_logits", power_of_e(logits))  # these two only show how the softmax comes about
    step("exp_logits_sum", row_sum(exp_logits))
    return step("probs", softmax(logits, temperature=temperature))


def block(step, x, n_heads, causal):
    """Attention, then the MLP; each reads a LayerNorm of the residual stream and adds to it: (pos, d_model) -> same."""
    x = step("resid_pre", x)
    attn_out = attention(step.within("attn"), layer_norm(step.within("ln1"), x), n_heads, causal)
    h = step("resid_mid", x + attn_out)
    mlp_out = mlp(step.within("mlp"), layer_norm(step.within("ln2"), h))
    return step("resid_post", h + mlp_out)


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
    step = Recorder(TOY_WEIGHTS if weights is None else checked_weights(weights), replace)
    return _recorded(step, ids, checked_settings(n_heads, causal, temperature))


def extend(trace, token):
    """Read one more token after a run: a Trace of one row, that of `token`.

    The keys and values of the tokens before are not worked out again: they are those of `trace` (a key-value cache).
    Raises ValueError without the causal mask, after steps set by hand, for what is no token, and where the context is
    full.
    """
    require_run(trace)
    if trace.replaced:
        raise ValueError(_("a run with steps set by hand cannot be extended: they would be missing in the new row."))
    require_causal(trace)
    kept = {key: trace[key] for key in trace if key.endswith((".attn.k", ".attn.v"))}
    step = Recorder(trace.weights, before=kept, start=trace.length)
    return _recorded(step, [token_id(token, VOCAB)], trace.settings, [*trace.earlier, *trace.tokens])


def require_run(trace):
    """Raise ValueError for anything but a run of the toy."""
    require_trace(trace)
    if "n_heads" not in trace.settings:
        raise ValueError(_("this needs a run of the toy, t = tm.run('o gato'), not {it!r}.", it=trace))


def require_causal(trace):
    """Raise ValueError for a run without the causal mask."""
    if not trace.settings["causal"]:
        raise ValueError(_("a cache needs the causal mask: without it, earlier rows change with each new token."))


def _recorded(step, ids, settings, earlier=()):
    n = len(earlier) + len(ids)
    if n > TOY.n_ctx:
        raise ValueError(_("the text has {n} tokens; the toy's context holds {n_ctx}.", n=n, n_ctx=TOY.n_ctx))
    with within_float64():
        decoder(step, ids, **settings)
    step.finish()
    return Trace(step, [VOCAB[i] for i in ids], list(ids), VOCAB, settings, earlier)


def encode(text):
    """The ids of the toy's tokens in `text`: encode("o gato") == [0, 2]. Raises ValueError for any other text."""
    return longest_match(text, VOCAB)


def decode(ids):
    """The text that toy token ids spell: decode([0, 2]) == "o gato"."""
    return text_of(ids, VOCAB)
