"""toymodel: a transformer small enough to check by hand. Every number of a run has a name, a derivative and a sum.

`import toymodel` loads numpy only; what needs pandas or widgets is imported when it is first used. Where the terminal
cannot write every token (an old Windows one has no ␣), printing shows its code instead of failing.
"""

import importlib
import io
import sys

from .calls import fresh_weights, generate, run, train, tree
from .core.trace import Trace, UnknownStep
from .learning.backprop import central_difference, gradients
from .learning.embeddings import cosines, fresh_table, learned_tables
from .learning.optimizers import adam_step, sgd_step
from .listing import source
from .models.head import attend
from .models.layers import attention, layer_norm, mlp, scaled_dot_product_attention
from .models.positions import sinusoids
from .models.stack import stack
from .models.toy import decode, encode
from .models.toy_weights import toy_weights
from .reading.sums import explain
from .replies.checks import check
from .replies.guesses import guess, open_guesses
from .text.bpe import corpus, train_bpe
from .text.tokenizer import Words
from .writing.generation import extend, next_probs

_TABLES = {  # what shows tables, and where it is: pandas takes a while to load
    "tables": ["Table", "candidates", "draws", "ends", "likelihood", "path", "predictions", "ranking", "table"],
    "stream": ["ledger", "lens"],
    "counts": ["multiplications", "parameters", "sizes"],
}
_MODULES = ("names", "translation", "views")
_LATER = {name: f".reading.{module}" for module, names in _TABLES.items() for name in names}

if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
    sys.stdout.reconfigure(errors="backslashreplace")


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name in _LATER:
        return getattr(importlib.import_module(_LATER[name], __name__), name)
    raise AttributeError(f"toymodel has no {name!r}")


def __dir__():
    """What is offered: no module but those that gather what belongs together."""
    here = {name for name, it in globals().items() if getattr(it, "__module__", "").startswith(f"{__name__}.")}
    return sorted(here | {*_LATER, *_MODULES})
