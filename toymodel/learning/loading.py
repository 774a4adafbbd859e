"""Reading weights of a names model that others have trained, from JSON or npz, by the names that they usually have."""

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from ..core.arguments import checked_numbers, whole_number
from ..language import _
from ..models.names import Weights, shapes
from ..quoted import listed
from ..text.names import END, NAMES, characters
from ..text.tokenizer import SPACE, composed

USUAL = {  # there a row is an output, so all but the two tables are turned round
    "wte": "W_E",
    "wpe": "W_pos",
    "layer0.attn_wq": "blocks.0.attn.W_Q",
    "layer0.attn_wk": "blocks.0.attn.W_K",
    "layer0.attn_wv": "blocks.0.attn.W_V",
    "layer0.attn_wo": "blocks.0.attn.W_O",
    "layer0.mlp_fc1": "blocks.0.mlp.W_in",
    "layer0.mlp_fc2": "blocks.0.mlp.W_out",
    "lm_head": "W_U",
}
TABLES = ("W_E", "W_pos")


def load(source):
    """Weights from a file (.json or .npz), or from a dict of the same names: a Weights, with its `vocab`.

    The names are wte, wpe, lm_head, layer0.attn_wq, attn_wk, attn_wv, attn_wo, mlp_fc1 and mlp_fc2; rows are outputs.
    `vocab` or `_vocab` lists the characters without the end; without it they are a to z. The end has the id `_bos_id`,
    or else comes last. Other keys that begin with _ are ignored. Raises ValueError for what is missing, unknown or of
    another shape, and for a file that cannot be read.
    """
    given = dict(source) if isinstance(source, Mapping) else from_file(source)
    vocab = vocab_of(given)
    arrays = {name: it for name, it in given.items() if name != "vocab" and not str(name).startswith("_")}
    if missing := [name for name in USUAL if name not in arrays]:
        raise ValueError(_("these weights have no {names}. Needed: {all}.", names=listed(missing), all=listed(USUAL)))
    if unknown := [str(name) for name in arrays if name not in USUAL]:
        raise ValueError(
            _("these weights have an unknown {names}. Known: {all}.", names=listed(unknown), all=listed(USUAL))
        )
    needed, weights = shapes(len(vocab)), {}
    for usual, name in USUAL.items():
        is_turned = name not in TABLES
        shape = needed[name][::-1] if is_turned else needed[name]
        array = checked_numbers(arrays[usual], usual, shape)
        weights[name] = array.T.copy() if is_turned else array
    return Weights(weights, vocab)


def vocab_of(given):
    """The characters, and the end in its place. Raises ValueError for what is no alphabet."""
    found = next((given[name] for name in ("_vocab", "vocab") if name in given), characters(NAMES))
    try:
        signs = [composed(it).replace(" ", SPACE) for it in (() if isinstance(found, Mapping) else found)]
    except (TypeError, ValueError):
        signs = []
    if not signs or any(len(it) != 1 for it in signs) or len({*signs, END}) != len(signs) + 1:
        raise ValueError(
            _("vocab must be a list of single, different characters, without the end, not {it!r}.", it=found)
        )
    at = given.get("_bos_id", len(signs))
    try:
        at = whole_number(at.item() if isinstance(at, np.ndarray) else at)  # as npz holds it
    except (TypeError, ValueError):
        at = -1
    if not 0 <= at <= len(signs):
        it = given["_bos_id"]
        raise ValueError(_("_bos_id must be a whole number from 0 to {n}, not {it!r}.", n=len(signs), it=it))
    return (*signs[:at], END, *signs[at:])


def from_file(source):
    """What a file holds, by name. Raises ValueError for one that cannot be read."""
    try:
        path = Path(source)
    except TypeError:
        raise ValueError(_("load needs a path or a dict of arrays, not {it!r}.", it=source)) from None
    if path.suffix.lower() not in (".json", ".npz"):
        raise ValueError(_("{path!s} must end in .json or .npz.", path=path))
    try:
        if path.suffix.lower() == ".npz":
            return arrays_in(path)
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ValueError(_("{path!s} cannot be read: {why!s}.", path=path, why=error.strerror or error)) from None
    except (ValueError, BadZipFile, EOFError, RecursionError, zlib.error):
        raise ValueError(_("{path!s} is damaged, or of another kind than its name says.", path=path)) from None
    if not isinstance(found, dict):
        raise ValueError(_("{path!s} must hold names and their weights: an object.", path=path))
    return found


def arrays_in(path):
    """The arrays of an npz file, by name. Raises ValueError for another kind of file."""
    found = np.load(path, allow_pickle=False)
    if isinstance(found, np.ndarray):
        raise ValueError(_("this is one array, not several with names."))
    with found:
        return dict(found)
