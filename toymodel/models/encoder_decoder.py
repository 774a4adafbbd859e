"""An encoder-decoder that translates: the Transformer as it was in 2017, with one block on each side."""

from pathlib import Path

import numpy as np

from ..core.arguments import read_only
from ..core.moves import gather, given
from ..language import _
from ..text.pairs import MOST_WORDS, WORDS, words_of
from .encoder_decoder_glosses import ABOUT, SOURCE_AXES
from .layers import add_and_norm, attention, cross_attention, feed_forward
from .model import Model
from .positions import sinusoids

START, END = "SOS", "EOS"  # of what is written; the source has neither
VOCAB = (START, END, *WORDS)
D_MODEL, N_HEADS, D_MLP, N_BLOCKS = 16, 2, 32, 1
N_CTX = 1 + MOST_WORDS
WAVES = read_only(sinusoids(N_CTX, D_MODEL))


def encoder_decoder(step, ids, source):
    """From what is written so far to the logits of the next word, the source being read besides (Vaswani et al. 2017).

    ids (pos), a text -> (pos, d_vocab). After a step whose rows were kept, the source is not read again.
    """
    words = source.split()
    step.label(words, *SOURCE_AXES)
    nothing_new = given(numbers=np.empty((0, D_MODEL)))  # then keys and values of the source are those that were kept
    memory = nothing_new if step.start else encoder(step, [VOCAB.index(word) for word in words])
    x = embedding(step, "decoder", ids, step.start)
    for i in range(N_BLOCKS):
        x = decoder_block(step.within(f"decoder.{i}"), x, memory, N_HEADS)
    return step("logits", x @ step.weight("W_U") + step.weight("b_U"))  # (pos, d_vocab)


def encoder(step, ids):
    """What the decoder reads of the source: (source pos) -> (source pos, d_model)."""
    x = embedding(step, "encoder", ids)
    for i in range(N_BLOCKS):
        x = encoder_block(step.within(f"encoder.{i}"), x, N_HEADS)
    return x


def embedding(step, side, ids, start=0):
    """The row of each word, from one table for both languages, plus waves for its place: (pos) -> (pos, d_model)."""
    here = step.within(side)
    embed = here("embed", gather(step.weight("W_E"), ids=ids))
    waves = given(numbers=WAVES[start : start + len(ids)])
    waves.note = _("a wave: nothing is learned here")
    return embed + here("pos_embed", waves)


def encoder_block(step, x, n_heads):
    """Self-attention, add & norm, MLP, add & norm: (pos, d_model) -> (pos, d_model)."""
    x = step("resid_pre", x)
    x = add_and_norm(step.within("ln1"), x, attention(step.within("self"), x, n_heads, causal=False))
    return add_and_norm(step.within("ln2"), x, feed_forward(step.within("mlp"), x))


def decoder_block(step, x, memory, n_heads):
    """Masked self-attention, cross-attention to the encoder's memory, MLP, each with add & norm: (pos, d_model) -> same."""
    x = step("resid_pre", x)
    x = add_and_norm(step.within("ln1"), x, attention(step.within("self"), x, n_heads, causal=True))
    x = add_and_norm(step.within("ln2"), x, cross_attention(step.within("cross"), x, memory, n_heads))
    return add_and_norm(step.within("ln3"), x, feed_forward(step.within("mlp"), x))


class Translator(Model):
    """A Model that writes words with a space between each two. The start before them and the end stay unwritten."""

    def encode(self, text):
        """The start, then the ids of the words. Raises ValueError for an unknown word, and for more than 8."""
        return [VOCAB.index(word) for word in (START, *words_of(text, "target"))]

    def decode(self, ids):
        """The words, without start and end."""
        return " ".join(self.vocab[i] for i in ids if self.vocab[i] not in (START, END))

    def next_ids(self, ids):
        """What comes after each word: the one behind it, and last the end."""
        return [*ids[1:], VOCAB.index(END)]


def checked_source(source):
    """A text of 1 to 8 known words, as it is to be read. Raises ValueError for any other."""
    if source is None:
        raise ValueError(_("this model translates: give it a source, such as source='the cat'."))
    return " ".join(words_of(source, "source", least=1))


def drawn(draw):
    """Weights as training finds them, from a RandomState: name -> array.

    Matrices from N(0, 1) over the root of their rows, W_E from N(0, 1), gains 1, biases 0.
    """
    weights = {"W_E": draw.standard_normal((len(VOCAB), D_MODEL))}
    for side, norms, parts in (("encoder", 2, ["self"]), ("decoder", 3, ["self", "cross"])):
        for i in range(N_BLOCKS):
            shapes = {f"{part}.W_{name}": (D_MODEL, D_MODEL) for part in parts for name in "QKVO"}
            shapes |= {"mlp.W_in": (D_MODEL, D_MLP), "mlp.b_in": (D_MLP,)}
            shapes |= {"mlp.W_out": (D_MLP, D_MODEL), "mlp.b_out": (D_MODEL,)}
            shapes |= {f"ln{n}.{name}": (D_MODEL,) for n in range(1, norms + 1) for name in ("gain", "bias")}
            weights |= {f"{side}.{i}.{name}": begun(draw, name, shape) for name, shape in shapes.items()}
    return weights | {name: begun(draw, name, shape) for name, shape in {"W_U": (D_MODEL, len(VOCAB)), "b_U": (len(VOCAB),)}.items()}


def begun(draw, name, shape):
    if len(shape) == 2:
        return draw.standard_normal(shape) / np.sqrt(shape[0])
    return np.ones(shape) if name.endswith("gain") else np.zeros(shape)


def stored():
    """The weights that 1,500 steps made from the draws of seed 0: name -> array."""
    with np.load(Path(__file__).parents[1] / "data" / "translation.npz") as file:
        return dict(file)


TRANSLATOR = Translator(encoder_decoder, stored(), {"source": checked_source}, ABOUT, VOCAB, N_CTX, END)
