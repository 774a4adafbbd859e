"""toymodel: a transformer small enough to check by hand. Every number of a run has a name, a derivative and a sum.

`import toymodel` loads numpy only; what needs pandas or widgets is imported when it is first used. Where the terminal
cannot write every token (an old Windows one has no ␣), printing shows its code instead of failing.
"""

import io
import sys
from importlib import import_module

from .backprop import central_difference, gradients
from .bpe import corpus, train_bpe
from .branches import tree
from .checks import check
from .embeddings import cosines, fresh_table, learned_tables
from .generation import generate, next_probs
from .learning import adam_step, fresh_weights, sgd_step, train
from .listing import source
from .models.head import attend
from .models.layers import attention, layer_norm, mlp, scaled_dot_product_attention
from .models.positions import sinusoids
from .models.stack import stack
from .models.toy import decode, encode, extend, run
from .models.toy_weights import toy_weights
from .sums import explain
from .tokenizer import Words
from .trace import Trace, UnknownStep

_TABLES = {  # where what shows tables is: pandas takes a while to load
    **dict.fromkeys(
        ["Table", "candidates", "draws", "ends", "likelihood", "path", "predictions", "ranking", "table"], "tables"
    ),
    **dict.fromkeys(["ledger", "lens"], "stream"),
    **dict.fromkeys(["multiplications", "parameters", "sizes"], "counts"),
}

if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
    sys.stdout.reconfigure(errors="backslashreplace")


def __getattr__(name):
    if name == "views":
        return import_module(".views", __name__)
    if name in _TABLES:
        return getattr(import_module(f".{_TABLES[name]}", __name__), name)
    raise AttributeError(f"toymodel has no {name!r}")


def __dir__():
    return sorted([*globals(), *_TABLES, "views"])
