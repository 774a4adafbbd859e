"""What the view of the path should show: each step, the picture with its blocks, marks and bars, parts switched off."""

import json
from contextlib import suppress
from functools import cache

import numpy as np
import plain_model
import traitlets
from drawn import by_name, columns, labels, marked, part, send, texts, written

import toymodel as tm
from toymodel.views import Path

about = tm.run("o").about

ATTN, MLP = "blocks.0.attn.", "blocks.0.mlp."
QKV = [ATTN + "q", ATTN + "k", ATTN + "v"]
TEXT = "o gato subiu no"
START = (TEXT, 2, True, 1.0)
ALL = {
    "start": START,
    "one token, one head, no mask": ("o", 1, False, 1.0),
    "four heads": ("iu<eot> muro.", 4, True, 0.7),
    "full context, no mask, no temperature": ("o gato subiu no telhado.<eot>", 4, False, 0.0),
}

# the blocks, what stands on their lanes while they are closed, and the part that switches them off
BLOCKS = [
    ("Embed", ["embed", "pos_embed"], ""),
    ("Stream x", ["blocks.0.resid_pre"], ""),
    ("LayerNorm 1", ["blocks.0.ln1.out"], "ln1"),
    ("Q K V", QKV, "attention"),
    ("Heads", [ATTN + "pattern"], "attention"),
    ("Mix", [ATTN + "concat"], "attention"),
    ("W_O", [ATTN + "out"], "attention"),
    ("Stream h", ["blocks.0.resid_mid"], ""),
    ("LayerNorm 2", ["blocks.0.ln2.out"], "ln2"),
    ("MLP", [MLP + "post"], "mlp"),
    ("W_out", [MLP + "out"], "mlp"),
    ("Stream y", ["blocks.0.resid_post"], ""),
    ("LayerNorm 3", ["ln_final.out"], "ln_final"),
    ("Logits", ["logits"], ""),
    ("Next token", ["probs"], ""),
]

run = cache(tm.run)


def opened_at(settings, **more):
    return Path(**dict(zip(("text", "n_heads", "causal", "temperature"), settings, strict=True)), **more)


def keys_of(step):
    """The keys that a step's name means: "q", "k" and "v", or the one that ends so ("ln1": what leaves it)."""
    end = step.replace("mlp_", "mlp.").replace("attn_", "attn.")
    ends = (f".{end}", f".{end}.out")
    return [it for it in run(*START) if it in (end, f"{end}.out") or it.endswith(ends)] or QKV


def has_heads(key):
    return key.startswith(ATTN) and key.removeprefix(ATTN) in plain_model.HEAD_PARTS


SHARED_OUT = [ATTN + "W_Q", ATTN + "W_K", ATTN + "W_V"]  # of these a head has some columns


def in_front(t, key, head):
    if key in SHARED_OUT:
        return np.split(t[key], t.settings["n_heads"], axis=1)[head]
    array = t[key][head] if has_heads(key) else t[key]
    return array.reshape(len(array), -1)


def cell(view, place):
    """Where a number is drawn: its grid, row and column."""
    key, *index = place
    i, j = [*index[has_heads(key) :], 0][:2]
    if key in SHARED_OUT:
        j %= 4 // view.n_heads
    return (key, j, i) if key == ATTN + "k" and view.opened == "dots" else (key, i, j)  # the keys are columns there


def grids(view):
    return [it for line in view.state["panel"]["lines"] for it in line if isinstance(it, dict)]


def keys(view):
    return list(by_name(grids(view)))


def inputs(view):
    return [it["place"] for it in view.state["panel"]["inputs"]]


def named(t, place):
    key, *index = place
    (value,) = written([[t[key][tuple(index)]]])[0]
    return f"{about(key).symbol}[{','.join(map(str, index))}] = {value}"


def pictured(view):
    """All that is drawn, but for what is said of the last change."""
    return json.dumps(view.state | {"changes": ""})


def go(view, place):
    """Choose a number, as path.js does: an input of the one that is written out leads on, any other begins anew."""
    send(view, trail=[*view.trail, place] if place in inputs(view) else [place])


def assert_shows(view, t):
    """The open step: every number of its matrices, and the last number of the trail, written out."""
    assert view.problem == "" and set(keys_of(view.opened)) <= set(keys(view))
    for grid in grids(view):
        key = grid["key"]
        array = in_front(t, key, view.head)
        rows, across, symbol = labels(grid), columns(grid), about(key).symbol
        if key == ATTN + "k" and view.opened == "dots":
            array, rows, across, symbol = array.T, across, rows, "kᵀ"
        assert texts(grid) == written(array)
        assert [row["exact"] for row in grid["rows"]] == [[repr(float(x)) for x in row] for row in array]
        assert grid["caption"] == [symbol, f"({len(array)} × {len(array[0])})"] and grid["pickable"]
        places = list(map(str, range(len(rows))))
        assert rows == {"W_E": list(t.vocab)}.get(key, places if key in t.weights else t.tokens)
        if key in ("W_U", "logits", "probs") or about(key).axes[-2:] == ("query", "key"):
            assert across == (t.tokens if has_heads(key) else list(t.vocab))
        if key in SHARED_OUT:
            width = 4 // t.settings["n_heads"]
            assert across == [str(view.head * width + j) for j in range(width)]
        assert grid["full"] == (np.abs(array[np.isfinite(array)]).max() or 1)

    panel, (key, *index) = view.state["panel"], view.trail[-1]
    s = tm.explain(t, key, tuple(index))
    used = [[name, *place] for name, place, _value in s.inputs]
    drawn = [it for it in used if it[0] in keys(view) and (not has_heads(it[0]) or it[1] == view.head)]
    if key == ATTN + "pattern":
        drawn += [[ATTN + "exp_scores", *index], [ATTN + "exp_scores_sum", *index[:-1]]]
    assert marked(grids(view), "picked") == {cell(view, view.trail[-1])}
    assert marked(grids(view), "used") == {cell(view, it) for it in drawn}
    assert (panel["sum"]["math"], panel["sum"]["note"], panel["digits"]) == (s.mathml, s.note, repr(s.value))
    place = " ".join(map(part, panel["sum"]["place"]))
    assert place.startswith(f"{key}: ") and place.endswith(f" {named(t, view.trail[-1]).split(' ', 1)[1]}")
    assert panel["inputs"] == [{"place": it, "text": named(t, it)} for it in used]
    assert panel["trail"] == [named(t, it) for it in view.trail[:-1]]
    assert panel["weight"] == (written([[s.value]])[0][0] if key in t.weights else "")
    return s


def assert_pictures(view, t, before=None):
    """The blocks, the ribbons' weights and the bars; `before` is the run before the last change."""
    state, off, row = view.state, view.off, view.state["row"]
    assert view.problem == "" and state["tokens"] == t.tokens and state["opened"] == view.opened
    assert (state["head"], row) == (view.head, len(t.tokens) - 1 if view.row == -1 else view.row)
    for block, (name, at_rest, its_part) in zip(state["blocks"], BLOCKS, strict=True):
        shown = keys_of(view.opened) if view.opened in block["steps"] else at_rest
        arrays = [in_front(t, key, view.head) for key in shown]
        full = max(np.abs(it[np.isfinite(it)]).max() for it in arrays) or 1
        assert (block["name"], block["keys"]) == (name, shown)
        for shades, array in zip(block["shades"], arrays, strict=True):
            percent = 100 * np.where(np.isfinite(array), array, 0) / full
            assert np.shape(shades) == percent.shape and np.abs(shades - percent).max() < 0.5 + 1e-9
        assert block["symbol"] == ", ".join(about(key).symbol for key in shown)
        assert block["shape"] == " × ".join(map(str, arrays[0].shape))
        assert block["off"] == (its_part in off or (name == "Heads" and f"head {view.head}" in off))
    assert state["weights"] == written(t[ATTN + "pattern"][view.head])
    was = run(view.text, view.n_heads, view.causal, view.temperature) if off or view.edits else before or t
    was = was if was.tokens[: row + 1] == t.tokens[: row + 1] else t  # after other words there is nothing to compare
    numbers = zip(*written([t["probs"][row], was["probs"][row]]), strict=True)
    assert state["bars"]["rows"] == [[token, *both] for token, both in zip(t.vocab, numbers, strict=True)]
    assert state["bars"]["before"] == ("all on:" if off or view.edits else "was")
    assert state["bars"]["best"] == np.argmax(t["probs"][row] > t["probs"][row].max() - 1e-9)


def assign(view, trait, value):
    """What a cell does. A value that a trait cannot hold is refused there, in a sentence of its own."""
    with suppress(traitlets.TraitError):
        setattr(view, trait, value)


# ---- what a change reaches


def rows(t, key):
    """What stands in each row, in every head."""
    arrays = t[key] if has_heads(key) else [t[key]]
    return list(zip(*map(written, arrays), strict=True))


def changed_rows(t, before, block_keys):
    """Rows of another token, or with another number where there was one."""

    def is_same(i, new, old):
        if len(old) <= i or t.tokens[i] != before.tokens[i] or len(new[i]) != len(old[i]):
            return False
        pairs = zip(new[i], old[i], strict=True)
        return all(a == b for x, y in pairs for a, b in zip(x, y, strict=False))

    both = [(rows(t, key), rows(before, key)) for key in block_keys]
    return [i for i in range(len(t.tokens)) if not all(is_same(i, *pair) for pair in both)]


def assert_marks(view, t, before):
    """The rows that are marked in the blocks; returns them."""
    assert_pictures(view, t, before)
    marks = [block["changed"] for block in view.state["blocks"]]
    assert marks == [changed_rows(t, before, block["keys"]) for block in view.state["blocks"]]
    return marks


# ---- without some parts

STREAM_BEFORE = {
    "ln1": ("blocks.0.ln1.out", "blocks.0.resid_pre"),
    "ln2": ("blocks.0.ln2.out", "blocks.0.resid_mid"),
    "ln_final": ("ln_final.out", "blocks.0.resid_post"),
}
OUTPUT = {"positions": "pos_embed", "attention": ATTN + "out", "mlp": MLP + "out"}
EVERYTHING = [*OUTPUT, *STREAM_BEFORE]


def without(off, text, n_heads=2, causal=True, temperature=1.0, weights=None):
    """A run without some parts: no head's columns, no output, and in place of a LayerNorm what it reads."""
    settings, n, d_head = (text, n_heads, causal, temperature, weights), len(tm.encode(text)), 4 // n_heads
    replace = {OUTPUT[it]: np.zeros((n, 4)) for it in off if it in OUTPUT}
    replace |= {STREAM_BEFORE[it][0]: STREAM_BEFORE[it][1] for it in off if it in STREAM_BEFORE}
    c = tm.run(*settings, replace=replace)[ATTN + "concat"].copy()
    for h in range(n_heads):
        if f"head {h}" in off:
            c[:, h * d_head : (h + 1) * d_head] = 0
            replace[ATTN + "concat"] = c
    return tm.run(*settings, replace=replace)
