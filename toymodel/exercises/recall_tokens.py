"""Questions on lessons 1 and 2, asked again at the beginning of lessons 3 to 5."""

import numpy as np

from ..language import _
from ..text.tokenizer import longest_match
from . import Item


def dealt():
    V, by, ids = 12, 3, np.array([1, 10, 4])
    return Item(
        _(
            "The {V} ids of a vocabulary are dealt anew: each grows by {by}, and the last {by} begin again at 0. A "
            "text had the ids `{ids}`. Which has it now?",
            V=V,
            by=by,
            ids=ids.tolist(),
        ),
        ((ids + by) % V).tolist(),
        _("The text is the same: only its tokens have other names now."),
        {
            _("The last id of the vocabulary is {last}. What comes after it begins again.", last=V - 1): (
                ids + by
            ).tolist(),
            _("That is the way back, from new ids to old ones."): ((ids - by) % V).tolist(),
            _("These are the old ids. The text stays, but its tokens have other names now."): ids.tolist(),
        },
        (
            _("Go through the text, token by token. What is the new id of each?"),
            _("{i} + {by} is {j}, and there are only {V} ids.", i=ids[1], by=by, j=ids[1] + by, V=V),
            _("{ids} + {by}, less {V} where there is no such id: {new}.", ids=ids, by=by, V=V, new=(ids + by) % V),
        ),
    )


def merged():
    tokens, vocabulary, pairs = 20, 30, 5
    return Item(
        _(
            "A text of {tokens} tokens is cut by a vocabulary of {vocabulary}. One merge more joins a pair that stands "
            "in it {pairs} times, never overlapping. How many tokens has the text then, and how many the vocabulary?",
            tokens=tokens,
            vocabulary=vocabulary,
            pairs=pairs,
        ),
        np.array([tokens - pairs, vocabulary + 1]),
        _("Each pair becomes one token of two, and one token is new in the list. Its two parts stay there."),
        {
            _("A pair is two tokens, but one is put in their place: each makes the text shorter by one."): np.array(
                [tokens - 2 * pairs, vocabulary + 1]
            ),
            _("The text is right. But the joined token is a new one, and belongs to the vocabulary."): np.array(
                [tokens - pairs, vocabulary]
            ),
            _("The two parts stay in the vocabulary: other words need them."): np.array(
                [tokens - pairs, vocabulary - 1]
            ),
            _("The vocabulary is right. But the text has become shorter."): np.array([tokens, vocabulary + 1]),
        },
        (
            _("What stands in the text in the place of a pair? And does any token leave the vocabulary?"),
            _("One token in the place of two. No token leaves the vocabulary, and one comes."),
            _(
                "{tokens} - {pairs} = {left} tokens in the text, {vocabulary} + 1 = {grown} in the vocabulary.",
                tokens=tokens,
                pairs=pairs,
                left=tokens - pairs,
                vocabulary=vocabulary,
                grown=vocabulary + 1,
            ),
        ),
    )


def fewest():
    vocab, text, best = ["a", "b", "c", "d", "e", "ab", "abc", "cde"], "abcde", ["ab", "cde"]
    cut = [vocab[i] for i in longest_match(text, vocab)]
    return Item(
        _(
            "A vocabulary holds `{tokens}`. Into how many tokens does the longest match cut `{text}`, and how few "
            "would do?",
            tokens=" ".join(vocab),
            text=text,
        ),
        np.array([len(cut), len(best)]),
        _("It takes `{first}` because it is longest, and is left with single letters.", first=cut[0]),
        {
            _("So few would do. But longest match never looks beyond the next token."): np.array([len(best)] * 2),
            _("It takes more than a letter where a token fits."): np.array([len(text), len(best)]),
            _("That is the longest match. Is there really no shorter way?"): np.array([len(cut)] * 2),
            _("These two have changed places."): np.array([len(best), len(cut)]),
        },
        (
            _("First take the longest token that fits, from the left. Then try another first token."),
            _("What is left after `{first}`? And what would be left after `{other}`?", first=cut[0], other=best[0]),
            _(
                "Longest match: `{cut}`, {n} tokens. Fewest: `{best}`, {m} tokens.",
                cut=" ".join(cut),
                n=len(cut),
                best=" ".join(best),
                m=len(best),
            ),
        ),
    )


def scaled():
    cosine, factor = 0.6, 2
    return Item(
        _(
            "Two rows have the cosine {cosine}. One is doubled, the other's sign is turned. What is it now?",
            cosine=cosine,
        ),
        -cosine,
        _("How long a row is does not matter; a turned sign points the other way."),
        {
            _("The sign is right. But a cosine is divided by the lengths, so doubling changes nothing."): -factor
            * cosine,
            _("The doubled row points where it did. But the other one was turned round."): cosine,
            _("A cosine is never above 1. And which way does a row point whose sign is turned?"): factor * cosine,
            _("The doubling is not divided out: it is in the dot product and in a length."): -cosine / factor,
        },
        (
            _("What do the two changes do to the dot product, and what to the lengths?"),
            _("The dot product is multiplied by -{factor}, one length by {factor}.", factor=factor),
            _("-{factor} × {cosine} / {factor} = {answer}.", factor=factor, cosine=cosine, answer=-cosine),
        ),
    )


def wider():
    rows, width = 0.5, 3
    return Item(
        _(
            "A model gets a vocabulary half as large, and rows three times as wide; its context stays. How many times "
            "as many numbers has W_E then, and how many times as many W_pos?"
        ),
        np.array([rows * width, width]),
        _("W_E is tokens times width, W_pos places times width: the places are as many as before."),
        {
            _("W_pos is right. But W_E has only half as many rows now."): np.array([width, width]),
            _("W_E is right. W_pos has a row for each place, not for each token."): np.array([rows * width] * 2),
            _("The rows of W_E are wider, too."): np.array([rows, width]),
            _("These two have changed places."): np.array([width, rows * width]),
        },
        (
            _("How many rows has each table, and how wide are they?"),
            _("Both have wider rows. Which of them has fewer?"),
            _("W_E: {rows} × {width} = {W_E}. W_pos: 1 × {width} = {width}.", rows=rows, width=width, W_E=rows * width),
        ),
    )
