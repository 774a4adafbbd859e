"""The blocks of the picture: which steps open in each, its numbers as shades, and the rows that have changed."""

from typing import NamedTuple

import numpy as np

from ...language import _
from ...shown import rounded
from ..shared.grids import largest
from .path_steps import ATTN, HOME, PATH_STEPS


class Block(NamedTuple):
    """A block of the picture, the steps that open in it, and the part that switches it off."""

    name: str
    kind: str  # "stream", "qkv", "heads", "mlp", "bars", or "" for what is drawn like all others
    steps: list
    part: str
    keys: tuple = ()  # the arrays that it shows, where they are several


BLOCKS = [
    Block(_("Embed"), "", ["embed", "pos_embed"], "", ("embed", "pos_embed")),
    Block(_("Stream x"), "stream", ["resid_pre"], ""),
    Block(_("LayerNorm 1"), "", ["ln1"], "ln1"),
    Block(_("Q K V"), "qkv", ["qkv"], "attention", (ATTN + "q", ATTN + "k", ATTN + "v")),
    Block(_("Heads"), "heads", ["dots", "scores", "masked_scores", "pattern"], "attention"),
    Block(_("Mix"), "", ["z", "concat"], "attention"),
    Block(_("W_O"), "", ["attn_out"], "attention"),
    Block(_("Stream h"), "stream", ["resid_mid"], ""),
    Block(_("LayerNorm 2"), "", ["ln2"], "ln2"),
    Block(_("MLP"), "mlp", ["mlp_pre", "mlp_post"], "mlp"),
    Block(_("W_out"), "", ["mlp_out"], "mlp"),
    Block(_("Stream y"), "stream", ["resid_post"], ""),
    Block(_("LayerNorm 3"), "", ["ln_final"], "ln_final"),
    Block(_("Logits"), "", ["logits"], ""),
    Block(_("Next token"), "bars", ["probs"], ""),
]


def block(t, before, it, where, off):
    """One block of the picture: its name, its numbers as shades from -100 to 100, and the rows that have changed."""
    step = where.opened if where.opened in it.steps else it.steps[0 if it.name == BLOCKS[0].name else -1]
    keys = [key for key in it.keys if where.opened not in it.steps or HOME[key] == step] or [PATH_STEPS[step].key]
    arrays = [t[key][where.head] if t.about(key).axes[0] == "head" else t[key] for key in keys]
    finite = [np.where(np.isfinite(array), array, 0) for array in arrays]
    full = largest(np.concatenate([array.ravel() for array in arrays]))
    return {
        "name": it.name,
        "kind": it.kind,
        "label": PATH_STEPS[step].name,
        "steps": it.steps,
        "keys": keys,
        "symbol": ", ".join(t.about(key).symbol for key in keys),
        "shape": " × ".join(map(str, arrays[0].shape)),
        "shades": [np.round(100 * array / full).astype(int).tolist() for array in finite],
        "changed": sorted({i for key in keys for i in changed_rows(t, before, key)}),
        "off": it.part in off or (it.kind == "heads" and f"head {where.head}" in off),
    }


def changed_rows(t, before, key):
    """The positions at which a step shows other numbers than before, or another token."""
    if before is None:
        return []
    new, old = (np.moveaxis(rounded(it[key]), -2, 0) for it in (t, before))
    width = min(new.shape[-1], old.shape[-1])  # a new key to the right changes no old row

    def stayed(i):
        same_token = i < len(old) and t.tokens[i] == before.tokens[i]
        return same_token and np.array_equal(new[i][..., :width], old[i][..., :width])

    return [i for i in range(len(new)) if not stayed(i)]
