"""An encoder-decoder that translates: the Transformer as it was in 2017, with one block on each side."""

from pathlib import Path

import numpy as np

from ..core.moves import gather, given
from ..language import _
from ..text.pairs import MOST_WORDS, WORDS, words_of
from .encoder_decoder_glosses import ABOUT, SOURCE_AXES
from .layers import add_and_norm, attention, feed_forward
from .model import Model
from .positions import waves

START, END = "SOS", "EOS"  # of what is written; the source has neither
VOCAB = (START, END, *WORDS)
N_CTX, N_HEADS = 1 + MOST_WORDS, 2


def encoder_decoder(step, ids, source):
    """From what is written so far to the logits of the next word, the source being read besides (Vaswani et al. 2017).

    ids (pos), a text of 1 to 8 words -> (pos, d_vocab). The source is read once: after a run whose rows were kept, its
    keys and values are theirs, and nothing of it is new.
    """
    words = source.split()
    step.label(words, *SOURCE_AXES)
    memory = given(numbers=step.weight("W_E").value[:0]) if step.start else encoder(step, words)
    return decoder(step, ids, memory)


def encoder(step, words):
    """What the decoder reads of the source: a text -> (source pos, d_model)."""
    x = embedding(step.within("encoder"), step.weight("W_E"), [VOCAB.index(word) for word in words])
    return encoder_block(step.within("encoder.0"), x, N_HEADS)


def decoder(step, ids, memory):
    """What may be written next: (pos), (source pos, d_model) -> (pos, d_vocab)."""
    x = embedding(step.within("decoder"), step.weight("W_E"), ids, step.start)
    x = decoder_block(step.within("decoder.0"), x, memory, N_HEADS)
    return step("logits", x @ step.weight("W_U") + step.weight("b_U"))


def embedding(step, W_E, ids, start=0):
    """The row of each word, from one table for both languages, plus waves for its place: (pos) -> (pos, d_model)."""
    embed = step("embed", gather(W_E, ids=ids))
    places = waves(start=start, end=start + len(ids), d_model=W_E.value.shape[1])
    return embed + step("pos_embed", places)


def encoder_block(step, x, n_heads):
    """Self-attention, add & norm, MLP, add & norm: (pos, d_model) -> (pos, d_model)."""
    x = step("resid_pre", x)
    u = add_and_norm(step.within("ln1"), x, attention(step.within("self"), x, n_heads, causal=False))
    return add_and_norm(step.within("ln2"), u, feed_forward(step.within("mlp"), u))


def decoder_block(step, x, memory, n_heads):
    """The same, but with a mask, and with cross-attention to the encoder's memory before the MLP: shapes as above."""
    x = step("resid_pre", x)
    u = add_and_norm(step.within("ln1"), x, attention(step.within("self"), x, n_heads, causal=True))
    u = add_and_norm(step.within("ln2"), u, attention(step.within("cross"), u, n_heads, causal=False, memory=memory))
    return add_and_norm(step.within("ln3"), u, feed_forward(step.within("mlp"), u))


class Translator(Model):
    """A Model that writes words with a space between each two. The start before them and the end stay unwritten."""

    def encode(self, text):
        """The start, then the ids of the words. Raises ValueError for an unknown word, and for more than 8."""
        known = [word for word in self.vocab if word not in (START, END)]
        return [self.vocab.index(word) for word in (START, *words_of(text, known, "target"))]

    def decode(self, ids):
        """The words, without start and end."""
        return " ".join(self.vocab[i] for i in ids if self.vocab[i] not in (START, END))

    def next_ids(self, ids):
        """What comes after each word: the one behind it, and last the end."""
        return [*ids[1:], self.vocab.index(END)]


def checked_source(source):
    """A text of 1 to 8 known words, as it is to be read. Raises ValueError for any other."""
    if source is None:
        raise ValueError(_("this model translates: give it a source, such as source='the cat'."))
    return " ".join(words_of(source, WORDS, "source", least=1))


# ---- weights


def shapes(d_vocab, d_model=16, width=16, d_mlp=32):
    """The shape of each weight, by its name. `width` is n_heads * d_head."""
    found = {"W_E": (d_vocab, d_model)}
    for block, norms, parts in (("encoder.0", 2, ["self"]), ("decoder.0", 3, ["self", "cross"])):
        for part in parts:
            found |= {f"{block}.{part}.{name}": (d_model, width) for name in ("W_Q", "W_K", "W_V")}
            found |= {f"{block}.{part}.W_O": (width, d_model)}
        found |= {f"{block}.mlp.W_in": (d_model, d_mlp), f"{block}.mlp.b_in": (d_mlp,)}
        found |= {f"{block}.mlp.W_out": (d_mlp, d_model), f"{block}.mlp.b_out": (d_model,)}
        found |= {f"{block}.ln{n}.{it}": (d_model,) for n in range(1, norms + 1) for it in ("gain", "bias")}
    return found | {"W_U": (d_model, d_vocab), "b_U": (d_vocab,)}


def drawn(draw, shapes):
    """Weights as training finds them, from a RandomState: name -> array.

    W_E is drawn from N(0, 1), the other matrices from N(0, 1) over the root of their rows, in the order of their names;
    gains are 1, biases 0.
    """
    weights = {name: np.full(shape, float(name.endswith("gain"))) for name, shape in shapes.items()}
    for name in sorted(name for name, shape in shapes.items() if len(shape) == 2):
        weights[name] = draw.standard_normal(shapes[name]) / (1 if name == "W_E" else np.sqrt(shapes[name][0]))
    return weights


def stored(decay=True):
    """The weights that 1,500 steps made from the draws of seed 0, with weight decay or without: name -> array."""
    name = "translation" if decay else "translation_no_decay"
    with np.load(Path(__file__).parents[1] / "data" / f"{name}.npz") as file:
        return dict(file)


TRANSLATOR = Translator(encoder_decoder, stored(), {"source": checked_source}, ABOUT, VOCAB, N_CTX, END)
