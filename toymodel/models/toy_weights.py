"""The toy's 256 weights, picked by hand so that "o gato subiu no" goes on with "telhado" and sums fit on paper."""

import numpy as np

# the token, its row of W_E (what it says), its column of W_U (what asks for it)
_TOKENS = [
    ("o", [-0.5, -0.5, 0, 1], [0, 0, 0, 0]),
    ("␣no", [-0.5, 0, -0.5, 1], [1, 1, -1, -0.5]),
    ("␣gato", [1, -0.5, 0, -0.5], [-0.5, -1, 0, 1]),
    ("␣cão", [1, -0.5, -0.5, 0], [-0.5, -0.5, 0, 0.5]),
    ("␣sub", [-0.5, 1, 0, -0.5], [1, -0.5, -0.5, 0]),
    ("iu", [0, 0.5, -0.5, 0], [-0.5, 1, 1, 0]),
    ("␣telhado", [0, -0.5, 1, -0.5], [-0.5, 1, 0, 1]),
    ("␣muro", [1, 0, -1, 0], [-0.5, 0.5, -0.5, 0]),
    ("␣sofá", [0.5, -0.5, -0.5, 0.5], [-0.5, 0, -0.5, 0]),
    ("␣chão", [0.5, 0, -0.5, 0], [0, 0.5, -0.5, 0]),
    (".", [0, 0, 1, -1], [1, 0, 0, -1]),
    ("<eot>", [0.5, -0.5, 0.5, -0.5], [-0.5, 0, 1, 0]),
]

VOCAB = tuple(token for token, _row, _column in _TOKENS)

_W_POS = [
    [0, 0, 0, 0],
    [0.5, 0, -0.5, 0],
    [0, 0.5, 0, -0.5],
    [-0.5, 0, 0.5, 0],
    [0, -0.5, 0, 0.5],
    [0.5, 0, 0, -0.5],
    [-0.5, 0, 0, 0.5],
    [0, 0.5, -0.5, 0],
]


_EYE = np.eye(4)

TOY_WEIGHTS = {
    "W_E": np.array([row for _token, row, _column in _TOKENS], float),  # (d_vocab, d_model)
    "W_pos": np.array(_W_POS, float),  # (n_ctx, d_model)
    "blocks.0.attn.W_Q": _EYE[:, [3, 1, 3, 0]],  # each query is four numbers of u, picked out: u4, u2, u4, u1
    "blocks.0.attn.W_K": _EYE[:, [1, 3, 0, 3]],  # u2, u4, u1, u4
    "blocks.0.attn.W_V": _EYE,
    "blocks.0.attn.W_O": _EYE,
    "blocks.0.mlp.W_in": np.hstack([_EYE, -_EYE]) + 0.0,  # (d_model, d_mlp): each number and its opposite; + 0.0: no -0
    "blocks.0.mlp.W_out": np.vstack([_EYE, _EYE]),  # (d_mlp, d_model)
    "W_U": np.array([column for _token, _row, column in _TOKENS], float).T,  # (d_model, d_vocab)
}


def toy_weights():
    """The toy's weights, a fresh copy: name -> float64 array. Change what you like; pass it to `run(weights=...)`."""
    return {name: array.copy() for name, array in TOY_WEIGHTS.items()}
