"""Hello world, hola mundo: an encoder-decoder worked through on paper, with two heads that are wider than their share.

Its matrices are those of a published page, whose tokens have 4 numbers and whose heads 3 each. What the page draws
at random (the MLPs, the decoder) is drawn here from a seed.
"""

import numpy as np

from ..core.arguments import checked_numbers
from ..core.moves import given
from .encoder_decoder import N_HEADS, START, Translator, decoder, drawn, encoder_block, shapes
from .encoder_decoder_glosses import ABOUT, SOURCE_AXES
from .model import Model

WORDS, VOCAB = ("hello", "world"), ("hello", "mundo", "world", "how", "?", "EOS", "SOS", "a", "hola", "c")
N_CTX, SEED = 9, 0

# the page's second row is not that of the formula, `sinusoids(2, 4)`; its figures are built on this one
POSITIONS = np.array([[0, 1, 0, 1], [0.84, 0.99, 0, 1]])
EMBEDDINGS = {"hello": [1, 2, 3, 4], "world": [2, 3, 4, 5], START: [1, 0, 0, 0]}
X = np.array([EMBEDDINGS[word] for word in WORDS]) + POSITIONS
MEMORY = np.array([[-1.5, 1, -0.8, 1.5], [1, -1, -0.5, 1]])  # the page's example of what an encoder hands over

HEADS = {  # each head's own columns, (d_model, d_head)
    "W_Q": ([[0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 0, 0]], [[1, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 1]]),
    "W_K": ([[1, 0, 1], [0, 1, 0], [1, 0, 1], [0, 1, 0]], [[0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 1, 0]]),
    "W_V": ([[0, 1, 1], [1, 0, 0], [1, 0, 1], [0, 1, 0]], [[1, 0, 0], [0, 1, 1], [0, 0, 1], [1, 0, 0]]),
}
W_O = [
    [0.79445237, 0.1081456, 0.27411536, 0.78394531],
    [0.29081936, -0.36187258, -0.32312791, -0.48530339],
    [-0.36702934, -0.76471963, -0.88058366, -1.73713022],
    [-0.02305587, -0.64315981, -0.68306653, -1.25393866],
    [0.29077448, -0.04121674, 0.01509932, 0.13149906],
    [0.57451867, -0.08895355, 0.02190485, 0.24535932],
]


def one_block(step, x):
    """One encoder block on the two rows of the source: (2, 4) -> (2, 4)."""
    step.label(WORDS, *SOURCE_AXES)
    return encoder_block(step.within("encoder.0"), given(numbers=checked_numbers(x, "X", X.shape)), N_HEADS)


def reader(step, ids):
    """A decoder that reads MEMORY, and the words' logits: (pos) -> (pos, d_vocab)."""
    step.label(WORDS, *SOURCE_AXES)
    memory = MEMORY[:0] if step.start else MEMORY  # later, its keys and values are those that were kept
    return decoder(step, ids, given(numbers=memory))


def _weights():
    weights = drawn(np.random.RandomState(SEED), shapes(len(VOCAB), d_model=4, width=6, d_mlp=8))
    weights |= {f"encoder.0.self.{name}": np.hstack(heads) for name, heads in HEADS.items()}
    weights["encoder.0.self.W_O"] = np.array(W_O)
    for word, row in EMBEDDINGS.items():
        weights["W_E"][VOCAB.index(word)] = row
    return weights


_ALL = _weights()
_OF_ENCODER = {name: w for name, w in _ALL.items() if name.startswith("encoder")}
ENCODER = Model(one_block, _OF_ENCODER, {}, ABOUT)
DECODER = Translator(
    reader, {name: w for name, w in _ALL.items() if name not in _OF_ENCODER}, {}, ABOUT, VOCAB, N_CTX, "EOS"
)


def encoded(replace=None):
    """The run of one encoder block on `hello world`: a Trace. `replace` is as in `toymodel.run`."""
    return ENCODER.run(X, replace=replace)


def decoded(target=""):
    """The decoder's run on what is written so far, at first the start alone: a Trace."""
    return DECODER.run(DECODER.encode(target))
