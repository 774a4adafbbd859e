"""How large a decoder is, and where its weights are: the toy beside GPT-2 small."""

from typing import NamedTuple

from ..language import _


class Sizes(NamedTuple):
    """The sizes that fix a decoder's shape, under the field's usual names."""

    d_vocab: int
    d_model: int
    n_ctx: int
    n_heads: int
    d_head: int
    d_mlp: int
    n_layers: int

    def parameters(self, tied=False):
        """How many weights stand where, without biases and LayerNorms; `tied`: W_U is W_E again and costs nothing."""
        heads = self.d_model * self.n_heads * self.d_head
        return {
            "W_E": self.d_vocab * self.d_model,
            "W_pos": self.n_ctx * self.d_model,
            "W_Q, W_K, W_V": self.n_layers * 3 * heads,
            "W_O": self.n_layers * heads,
            "W_in, W_out": self.n_layers * 2 * self.d_model * self.d_mlp,
            "W_U": 0 if tied else self.d_model * self.d_vocab,
        }


TOY_SIZES = Sizes(d_vocab=12, d_model=4, n_ctx=8, n_heads=2, d_head=2, d_mlp=8, n_layers=1)
GPT2_SMALL = Sizes(
    d_vocab=50257, d_model=768, n_ctx=1024, n_heads=12, d_head=64, d_mlp=3072, n_layers=12
)  # Radford et al. 2019

SIZE_GLOSSES = Sizes(
    d_vocab=_("how many tokens there are"),
    d_model=_("how many numbers stand for a token"),
    n_ctx=_("how many tokens it can read"),
    n_heads=_("how many heads a block has"),
    d_head=_("how wide a head is"),
    d_mlp=_("how many neurons the MLP has"),
    n_layers=_("how many blocks stand on each other"),
)
