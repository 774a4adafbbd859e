"""Whatever is given to a public call: it is answered, or refused in a sentence, which quotes little of it."""

import inspect
import traceback
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import toymodel as tm
from toymodel.models.toy import TOY

t = tm.run("o gato subiu no")
g = tm.gradients(t)
EYE = np.eye(2)
USUAL = {"wte": np.ones((3, 16)), "wpe": np.ones((16, 16)), "lm_head": np.ones((3, 16)), "vocab": ["a", "b"]}
USUAL |= {f"layer0.attn_w{it}": np.ones((16, 16)) for it in "qkvo"}
USUAL |= {"layer0.mlp_fc1": np.ones((64, 16)), "layer0.mlp_fc2": np.ones((16, 64))}

# Each public call with arguments that it takes.
CALLS = {
    "adam_step": {
        "weights": t.weights, "gradients": g, "before": None, "learning_rate": 0.1, "beta1": 0.9, "beta2": 0.9,
        "epsilon": 1e-8,
    },
    "attend": {"X": EYE, "W_Q": EYE, "W_K": EYE, "W_V": EYE, "causal": True},
    "candidates": {"trace": t, "top_k": 3, "top_p": 0.5},
    "central_difference": {"trace": t, "key": "W_E", "index": (0, 0), "target": "␣no", "h": 1e-5},
    "check": {"name": "attention.score", "answer": 1},
    "corpus": {},
    "cosines": {"vectors": {"a": [1, 2], "b": [2, 1]}},
    "decode": {"ids": [0, 2]},
    "draws": {"trace": t, "n": 10, "seed": 0, "top_k": 3, "top_p": 0.5},
    "encode": {"text": "o gato"},
    "ends": {"branches": tm.tree("o")},
    "explain": {"source": t, "key": "logits", "index": (0, 0)},
    "extend": {"trace": t, "token": "␣muro"},
    "fresh_table": {"seed": 0},
    "fresh_weights": {"seed": 0, "model": TOY},
    "generate": {
        "text": "o", "temperature": 1, "seed": 0, "n_heads": 2, "causal": True, "weights": t.weights, "top_k": 3,
        "top_p": 0.5, "cache": True, "model": TOY,
    },
    "gradients": {"trace": t, "target": "␣muro"},
    "guess": {"mine": 1, "truth": 2},
    "learned_tables": {"texts": ["o gato"], "n_steps": 1, "learning_rate": 0.1},
    "ledger": {"trace": t, "pos": 0},
    "lens": {"trace": t, "pos": 0},
    "likelihood": {"trace": t},
    "multiplications": {"trace": t},
    "next_probs": {"trace": t, "top_k": 3, "top_p": 0.5},
    "open_guesses": {},
    "parameters": {},
    "path": {"trace": t},
    "predictions": {"trace": t},
    "ranking": {"trace": t, "pos": 0},
    "run": {
        "text": "o", "n_heads": 2, "causal": True, "temperature": 1, "weights": t.weights, "replace": {},
        "model": TOY,
    },
    "sgd_step": {"weights": t.weights, "gradients": g, "learning_rate": 0.1},
    "sinusoids": {"n_ctx": 2, "d_model": 2},
    "sizes": {},
    "source": {"thing": tm.run},
    "stack": {"text": "o gato", "n_blocks": 2, "residual": True, "spread": 0.3},
    "table": {"trace": t, "key": "blocks.0.attn.q", "head": 0},
    "toy_weights": {},
    "train": {
        "texts": ["o gato"], "learning_rate": 0.1, "optimizer": "adam", "seed": 0, "n_heads": 2, "causal": True,
        "model": TOY,
    },
    "train_bpe": {"corpus": "o gato", "n_merges": 2},
    "tree": {
        "text": "o", "width": 2, "depth": 2, "n_heads": 2, "causal": True, "temperature": 1, "weights": t.weights,
        "model": TOY,
    },
    "Words": {"corpus": "o gato"},
}  # fmt: skip
# The parts that a model is put together from take what a model hands them; the classes are what calls return.
PARTS = {"attention", "layer_norm", "mlp", "scaled_dot_product_attention"}
CLASSES = {"Table", "Trace", "UnknownStep"}

# The methods of what they return, but for BPE.split, whose few lines lesson 1 shows.
bpe, words = tm.train_bpe("o gato o gato", 3), tm.Words("o gato")
METHODS = {
    "BPE.with_merges": (bpe.with_merges, {"n_merges": 1}),
    "BPE.tokens": (bpe.tokens, {"text": "o gato"}),
    "BPE.encode": (bpe.encode, {"text": "o gato"}),
    "BPE.decode": (bpe.decode, {"ids": [0]}),
    "Words.tokens": (words.tokens, {"text": "o gato"}),
    "Words.encode": (words.encode, {"text": "o gato"}),
    "Words.decode": (words.decode, {"ids": [0]}),
    "Trace[]": (t.__getitem__, {"key": "logits"}),
    "Gradients[]": (g.__getitem__, {"key": "logits"}),
    "translation.run": (tm.translation.run, {"source": "the cat", "target": "el", "weights": None, "replace": None}),
    "translation.translate": (tm.translation.translate, {"source": "the cat", "weights": None}),
    "translation.score": (tm.translation.score, {"pairs": tm.translation.held_out[:1], "weights": None}),
    "translation.train": (
        tm.translation.train,
        {"pairs": tm.translation.pairs, "steps": 2, "seed": 0, "weight_decay": 0.5},
    ),
    "translation.weights": (tm.translation.weights, {"decay": True}),
    "names.run": (tm.names.run, {"text": "ana", "weights": None, "replace": None, "temperature": 1}),
    "names.samples": (tm.names.samples, {"n": 2, "weights": None, "temperature": 1, "seed": 0}),
    "names.train": (
        tm.names.train,
        {"documents": ["ana"], "steps": 2, "seed": 0, "weights": None, "shuffle": True},
    ),
    "names.load": (tm.names.load, {"source": USUAL}),
    "names.read": (tm.names.read, {"path": Path(tm.__file__).parent / "data" / "names.txt"}),
}
ALL = {name: (getattr(tm, name), arguments) for name, arguments in CALLS.items()} | METHODS
PLACES = [(call, argument) for call, (_function, arguments) in ALL.items() for argument in arguments]


def test_every_public_call_and_each_of_its_arguments_is_here():
    public = {name for name in dir(tm) if getattr(getattr(tm, name), "__module__", "").startswith("toymodel.")}
    assert public == CALLS.keys() | PARTS | CLASSES
    for name, arguments in CALLS.items():
        parameters = inspect.signature(getattr(tm, name)).parameters.values()
        named = [it.name for it in parameters if it.kind in (it.POSITIONAL_OR_KEYWORD, it.KEYWORD_ONLY)]
        assert named == list(arguments)


@pytest.mark.parametrize("call", ALL)
def test_what_is_right_is_taken(call):
    function, arguments = ALL[call]
    answered(function, arguments)


def answered(function, arguments):
    """Call it; of what yields, take the first."""
    result = function(**arguments)
    return next(result) if isinstance(result, Iterator) else result


class Unspeakable:
    """An object of a reader's that cannot even be written."""

    def __repr__(self):
        raise RuntimeError("not now")


WRONG = {
    "None": None,
    "5": 5,
    "-5": -5,
    "0.5": 0.5,
    "nan": float("nan"),
    "True": True,
    "x": "x",
    "empty text": "",
    "bytes": b"o",
    "a list": [],
    "a list of lists": [[]],
    "a list of things": [object(), None],
    "a tuple": (),
    "a dict": {},
    "a dict of things": {"a": object(), None: 1},
    "a set": {1},
    "a number in an array": np.array(2),
    "a row": np.arange(3.0),
    "an object": object(),
    "an unspeakable object": Unspeakable(),
    "a class": int,
    "a run": t,
    "one head": tm.attend(EYE, EYE, EYE, EYE),
    "cosines": tm.cosines({"a": [1, 2]}),
    "MLPs": tm.stack("o", 1),
    "an extended run": tm.extend(tm.run("o"), "␣gato"),
    "gradients": g,
}
HUGE = {
    "a list of many numbers": list(range(10**5)),
    "a large array": np.zeros((300, 300)),
    "a long text": "é" * 20_000,
    "a list of a long text": ["é" * 20_000],
    "a long name": {"é" * 20_000: 1},
    "a long row": {"a": range(10**5)},
    "a number of 5,001 digits": 10**5000,
    "a number of 310 digits": 10**309,
    "a list of a number of 5,001 digits": [10**5000],
}


@pytest.mark.parametrize(("call", "argument"), PLACES, ids=map("-".join, PLACES))
def test_whatever_is_given_is_answered_or_refused_in_a_short_sentence(call, argument):
    function, arguments = ALL[call]
    for what, it in (WRONG | HUGE).items():
        try:
            answered(function, arguments | {argument: it})
        except ValueError as error:
            assert 10 < len(str(error)) <= 1000, (what, str(error)[:2000])
            assert "toymodel" in traceback.extract_tb(error.__traceback__)[-1].filename, (what, error)
        except Exception as error:
            raise AssertionError(f"{what}: {error!r}") from error
