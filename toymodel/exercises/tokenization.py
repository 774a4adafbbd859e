"""Lesson 1."""

import unicodedata

from ..language import _
from ..models.sizes import GPT2_SMALL
from ..text.bpe import BPE, Merge, train_bpe
from ..text.tokenizer import Words, longest_match
from . import Item, in_a_row


def unknown():
    known, new, text = "the dog sleeps", "and today", "the dog and the dogs sleep today"
    ids = Words(known).encode(text)
    n_unknown = ids.count(0)
    return Item(
        _(
            "A vocabulary of words holds `{known}` and `<unk>`. How often is `<unk>` in what it makes of `{text}`?",
            known=known,
            text=text,
        ),
        n_unknown,
        _("Whatever differs in a letter is another word, and all unknown words become the same token."),
        {
            _("That is how many words it knows."): len(ids) - n_unknown,
            _("A known word with another ending is unknown, too."): len(new.split()),
            _("That is how many words the text has. Some of them it knows."): len(ids),
        },
        (
            _("Go from word to word: does the vocabulary hold exactly these letters?"),
            _("Mind the plural, and the verb without its ending."),
            _(
                "{unknown} are unknown: {n} of {words} words.",
                unknown=in_a_row(it for it in text.split() if it not in known.split()),
                n=n_unknown,
                words=len(ids),
            ),
        ),
    )


# A vocabulary in which tokens begin alike, and the merges that made it.
_TEXT, _BPE = "into", BPE(["into"], [Merge("i", "n", 4), Merge("t", "o", 3), Merge("in", "t", 2)])


def longest():
    ids, vocab = longest_match(_TEXT, _BPE.vocab), " ".join(_BPE.vocab)
    return Item(
        _(
            "A vocabulary holds `{vocab}`, with ids from 0 in this order. Which ids does the longest match give for "
            "`{text}`?",
            vocab=vocab,
            text=_TEXT,
        ),
        ids,
        _(
            "At the beginning `{token}` is the longest token that fits, whatever is left for later.",
            token=_BPE.vocab[ids[0]],
        ),
        {
            _("That is two halves. At the beginning a longer token fits."): _BPE.encode(_TEXT),
            _("Ids count from 0."): [i + 1 for i in ids],
            _("The right tokens, from right to left."): ids[::-1],
        },
        (
            _("Which tokens does the text begin with? Take the longest of them, then go on with the rest."),
            _("Take as much as one token can, from the left. A single letter is left for the second."),
            _(
                "`{text}` = {tokens}, and their ids are {ids}.",
                text=_TEXT,
                tokens=" + ".join(f"`{_BPE.vocab[i]}`" for i in ids),
                ids=ids,
            ),
        ),
    )


def in_order():
    ids, vocab = _BPE.encode(_TEXT), " ".join(_BPE.vocab)
    return Item(
        _(
            "Byte-pair encoding has learned the merges {merges}, in this order, so its vocabulary is `{vocab}`, with "
            "ids from 0. Which ids does it give for `{text}`?",
            merges=", ".join(f"`{left}` + `{right}`" for left, right, _count in _BPE.merges),
            vocab=vocab,
            text=_TEXT,
        ),
        ids,
        _("When the third merge has its turn, its second half is already part of another token."),
        {
            _("That is the longest match. Here the earlier merge goes first, even if its token is shorter."): (
                longest_match(_TEXT, _BPE.vocab)
            ),
            _("Ids count from 0."): [i + 1 for i in ids],
            _("The right tokens, from right to left."): ids[::-1],
        },
        (
            _("Write the letters apart. Then make the merges one after the other, wherever the pair is found."),
            _("After the first merge, is there still a letter for the second, and is one left for the third?"),
            _(
                "Letters: {letters}. After each merge: {steps}. The ids of these are {ids}.",
                letters=" ".join(_TEXT),
                steps=", ".join(
                    "`" + " ".join(_BPE.with_merges(k + 1).tokens(_TEXT)) + "`" for k in range(len(_BPE.merges))
                ),
                ids=ids,
            ),
        ),
    )


def next_merge():
    corpus = "ana banana bandana"
    bpe = train_bpe(corpus, 3)
    first, second, third = [merge.count for merge in bpe.merges]
    return Item(
        _("Byte-pair encoding learns from `{corpus}`. How often is the pair of its second merge found?", corpus=corpus),
        second,
        _("The first merge takes letters away from other pairs, so all is counted again."),
        {
            _("That is the pair of the first merge."): first,
            _("So often it was found before the first merge. Now some of its letters are in another token."): (
                bpe.with_merges(0).pair_counts()["n", "a"]
            ),
            _("That is the pair of the third merge."): third,
        },
        (
            _("Make the first merge everywhere. Then count the pairs anew, each of them in all words."),
            _("After the first merge, the most frequent pair begins with its token."),
            _(
                "First `{a}` + `{b}`, found {first} times. Then `{c}` + `{d}`, found {second} times.",
                a=bpe.merges[0].left,
                b=bpe.merges[0].right,
                first=first,
                c=bpe.merges[1].left,
                d=bpe.merges[1].right,
                second=second,
            ),
        ),
    )


def vocabulary():
    size, n_bytes, end = GPT2_SMALL.d_vocab, 256, 1
    merges = size - n_bytes - end
    return Item(
        _(
            "GPT-2 begins with the {n_bytes} values of a byte, makes {merges} merges, and adds {end} token for the end "
            "of a text. How many tokens does its vocabulary hold?",
            n_bytes=n_bytes,
            merges=merges,
            end=end,
        ),
        size,
        _("Each merge adds a token, and takes none away: its two halves stay in the vocabulary."),
        {
            _("Those are the merges. What they begin with stays in the vocabulary."): merges,
            _("The token for the end of a text is missing."): size - end,
            _("The bytes are tokens, too."): size - n_bytes,
            _("A merge takes no token away: its halves are still needed elsewhere."): merges - n_bytes + end,
        },
        (
            _("What is in the vocabulary before the first merge, and what does each merge do to it?"),
            _("Add up the beginning, the merges, and what comes at last."),
            _("{n_bytes} + {merges} + {end} = {size}.", n_bytes=n_bytes, merges=merges, end=end, size=size),
        ),
    )


def decomposed():
    word = "ação"
    apart = unicodedata.normalize("NFD", word)
    return Item(
        _(
            "In the word `{word}` each accent and each hook is typed as a symbol of its own. How many symbols?",
            word=word,
        ),
        len(apart),
        _("Letters and marks are counted apart. NFC puts them together again, so both ways give the same tokens."),
        {
            _("That is with composed letters, as NFC has them."): len(word),
            _("Those are the marks. The letters count as well."): len(apart) - len(word),
            _("Those are the bytes in UTF-8: there each mark takes two."): len(apart.encode()),
        },
        (
            _("How many letters, and how many marks stand above or below them?"),
            _("The second and the third letter carry a mark."),
            _(
                "{letters} letters and {marks} marks: {n} symbols.",
                letters=len(word),
                marks=len(apart) - len(word),
                n=len(apart),
            ),
        ),
    )
