"""Learning names: against a scalar tape in plain Python, whose sums are each an object; what is stored; own names."""

import io
import json
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import toymodel as tm
from toymodel.models.names import VOCAB, Weights, drawn

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import rivals

pytestmark = pytest.mark.filterwarnings("error")

NAMES = tm.names.documents
FEW = ["ana", "bia", "o", "maria clara", "joão"]


def in_ids(name, vocab=VOCAB):
    return [len(vocab) - 1, *map(vocab.index, name), len(vocab) - 1]


def test_the_losses_are_those_of_a_scalar_tape():
    first, names = drawn(np.random.RandomState(3), VOCAB), ["anna", "maximilian", "bo", "leonore"]
    expected = list(islice(rivals.scalar_tape([in_ids(it) for it in names], first, 1000), 6))
    made = list(islice(tm.names.train(names, weights=first, shuffle=False), 6))
    np.testing.assert_allclose([it.loss for it in made], expected, rtol=0, atol=1e-9)
    assert [it.n for it in made] == [1, 2, 3, 4, 5, 6]


def test_a_whole_training_is_that_of_plain_numpy():
    """Forward, backward and Adam by hand, to the last of its steps: the rate falls as it should."""
    first, names = drawn(np.random.RandomState(4), VOCAB), NAMES[100:130]
    expected = list(rivals.by_hand([in_ids(it) for it in names], first, 80))
    made = list(tm.names.train(names, 80, weights=first, shuffle=False))
    np.testing.assert_allclose([it.loss for it in made], expected, rtol=0, atol=1e-9)


def test_what_is_stored_is_what_1000_steps_make_of_the_names():
    made = list(tm.names.train(NAMES))
    assert len(made) == 1000 and made[-1].n == 1000
    stored = tm.names.weights()
    assert stored.keys() == made[-1].weights.keys() and sum(w.size for w in stored.values()) == 4192
    for name, w in made[-1].weights.items():
        np.testing.assert_allclose(w, stored[name], rtol=0, atol=1e-6, err_msg=name)
    assert made[0].loss == pytest.approx(np.log(27), abs=0.15)  # at first, all are as likely
    assert 2.18 < np.mean([it.loss for it in made[-100:]]) < 2.32


def test_the_same_seed_gives_the_same_numbers_and_another_others():
    first, again, other = ([it.loss for it in tm.names.train(NAMES, 4, seed)] for seed in (0, 0, 1))
    assert first == again and not set(first) & set(other)


def test_it_goes_on_from_weights_that_it_is_given_and_leaves_them_alone():
    *_before, half = tm.names.train(NAMES, 5)
    kept = half.weights.copy()
    *_before, whole = tm.names.train(NAMES, 5, weights=half.weights)
    assert all((half.weights[name] == w).all() for name, w in kept.items())
    assert not np.allclose(whole.weights["W_E"], half.weights["W_E"]) and whole.weights.vocab == VOCAB


def test_names_may_come_in_any_alphabet_with_spaces_and_accents():
    *_before, last = tm.names.train(FEW, steps=400)
    assert last.weights.vocab == ("␣", *sorted(set("anabiaomariaclarajoão")), "•")
    assert set(tm.names.samples(20, last.weights, temperature=0.1)) <= set(FEW)
    t = tm.names.run("joa\u0303o", last.weights)  # decomposed
    assert t.tokens == ["•", "j", "o", "ã", "o"]
    assert tm.names.run("maria clara", last.weights).tokens[6] == "␣"
    ideographs = [chr(0x4E00 + i) for i in range(300)]
    assert next(tm.names.train(ideographs)).weights["W_E"].shape == (301, 16)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(({"documents": it}, "names must be a list of texts") for it in (None, 3, "ana")),
        *(({"documents": it}, "there must be at least one name") for it in ([], ["", "  "])),
        ({"documents": ["ana", 5]}, "the text must be a string, not int"),
        ({"documents": ["ana", "a" * 16]}, "`a{16}` has 16 characters; a name can have 15 at most"),
        ({"documents": ["a•b"]}, r"`a•b` has `•` \(U\+2022 BULLET\), which the model uses itself"),
        ({"documents": ["a␣b"]}, "`a␣b` has `␣`"),
        ({"documents": [*map(chr, range(0x4E00, 0x4E00 + 501))]}, "these names have 501 different characters"),
        *(({"steps": it}, "steps must be a whole number from 1 to 20,000") for it in (0, 1.5, None, 10**6)),
        *(({"seed": it}, "seed must be a whole number") for it in (-1, 0.5, None)),
        *(({"shuffle": it}, "shuffle must be True or False") for it in (1, None, "no")),
        ({"weights": {"W_E": np.zeros((3, 16))}}, "W_E has 3 rows, the alphabet 27 signs"),
        ({"weights": {"W_E": np.zeros((27, 16))}}, "weights has no `W_pos`"),
        ({"weights": 5}, "weights must be a dict"),
        ({"documents": ["çedilla"], "weights": tm.names.weights()}, "`çedilla` is not in the vocabulary"),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_learned_from_is_refused_before_the_first_step(arguments, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        tm.names.train(**{"documents": ["ana"]} | arguments)


# ---- files of names


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_file_may_have_either_line_end_a_mark_and_empty_lines(tmp_path, end, mark):
    file = tmp_path / "names.txt"
    file.write_bytes((mark + end.join(["ana", "", " bia ", "joão", ""])).encode())
    assert tm.names.read(file) == tm.names.read(str(file)) == ["ana", "bia", "joão"]


def test_a_file_that_cannot_be_read_is_told_why(tmp_path):
    (tmp_path / "latin.txt").write_bytes("ana\njo\u00e3o".encode("latin-1"))
    (tmp_path / "empty.txt").write_bytes(b"\n\n")
    with open(tmp_path / "large.txt", "wb") as file:
        file.truncate(10_000_001)
    wrong = {
        "none.txt": "cannot be read: No such file",
        ".": "cannot be read",
        "latin.txt": "is not UTF-8: see byte 6. Save it as UTF-8",
        "empty.txt": "there must be at least one name",
        "large.txt": "has 10,000,001 bytes; 10,000,000 can be read",
    }
    for name, message in wrong.items():
        with pytest.raises(ValueError, match=message):
            tm.names.read(tmp_path / name)
    with pytest.raises(ValueError, match="the path must be a text"):
        tm.names.read(5)
    for path in ("a\0b", "\ud800", ""):
        with pytest.raises(ValueError, match=r"^('a\\x00b'|'\\ud800') is no path|^'' cannot be read"):
            tm.names.read(path)


# ---- weights of others


USUAL = ["wte", "wpe", "layer0.attn_wq", "layer0.attn_wk", "layer0.attn_wv", "layer0.attn_wo"]
USUAL += ["layer0.mlp_fc1", "layer0.mlp_fc2", "lm_head"]


def usual(weights):
    """As others write them: each row an output, but for the two tables."""
    return {a: (w if a in ("wte", "wpe") else w.T) for a, w in zip(USUAL, weights.values(), strict=True)}


def test_weights_of_others_are_read_from_json_from_npz_and_from_a_dict(tmp_path):
    mine = drawn(np.random.RandomState(5), VOCAB)
    as_lists = {name: w.tolist() for name, w in usual(mine).items()} | {"_note": "mine", "_bos_id": 26}
    (tmp_path / "w.json").write_text(json.dumps(as_lists | {"vocab": [*VOCAB[:-1]]}), encoding="utf-8-sig")
    np.savez(tmp_path / "w.npz", **usual(mine), _vocab=np.array([*VOCAB[:-1]]))
    for source in (tmp_path / "w.json", str(tmp_path / "w.npz"), as_lists, usual(mine)):
        loaded = tm.names.load(source)
        assert loaded.vocab == VOCAB and isinstance(loaded, Weights)
        assert all((loaded[name] == w).all() and loaded[name].shape == w.shape for name, w in mine.items())


def test_the_end_may_stand_anywhere_in_the_alphabet():
    first = drawn(np.random.RandomState(6), ("•", "a", "b"))
    loaded = tm.names.load(usual(first) | {"_vocab": ["a", "b"], "_bos_id": 0})
    t = tm.names.run("ab", loaded)
    assert loaded.vocab == ("•", "a", "b") and t.ids == [0, 1, 2] and t.next_ids == [1, 2, 0]
    moved = {"W_E": first["W_E"][[1, 2, 0]], "W_U": first["W_U"][:, [1, 2, 0]]}
    other = tm.names.run("ab", Weights(first, ("a", "b", "•")) | moved)
    np.testing.assert_allclose(t["probs"][:, [1, 2, 0]], other["probs"], rtol=1e-12)


GOOD = usual(drawn(np.random.RandomState(0), ("a", "b", "•"))) | {"vocab": ["a", "b"]}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({it: w for it, w in GOOD.items() if it != "wpe"}, "these weights have no wpe. Needed: wte wpe"),
        (GOOD | {"layer1.attn_wq": 3}, "these weights have an unknown layer1.attn_wq. Known: wte wpe"),
        (GOOD | {"layer0.mlp_fc1": np.zeros((16, 64))}, r"layer0.mlp_fc1 has the shape \(16, 64\); needed is \(64,"),
        (GOOD | {"wte": np.zeros((27, 16))}, r"wte has the shape \(27, 16\); needed is \(3, 16\)"),
        (GOOD | {"lm_head": np.full((3, 16), np.nan)}, "lm_head must be finite"),
        *((GOOD | {"vocab": it}, "vocab must be a list of single") for it in (5, [], ["ab"], ["a", "a"], ["•", "a"])),
        *((GOOD | {"vocab": it}, "vocab must be a list of single") for it in ([1, 2], {"a": 1}, ["\u212b", "\u00c5"])),
        *((GOOD | {"_bos_id": it}, "_bos_id must be a whole number from 0 to 2") for it in (3, -1, 0.5, None)),
        *((GOOD | {"_bos_id": it}, "_bos_id must be a whole number from 0 to 2") for it in ([1], True)),
        (GOOD | {"_bos_id": [[1], [1, 2]]}, "_bos_id must be a whole number"),
        (GOOD | {"wte": [[1], [1, 2]]}, "wte must be a rectangle of numbers"),
        (GOOD | {"lm_head": np.full((3, 16), np.finfo(np.longdouble).max)}, "lm_head must be finite"),
        *((it, "load needs a path or a dict") for it in (None, 5)),
        ("none.json", "none.json cannot be read"),
        ("weights.txt", "weights.txt must end in .json or .npz"),
    ],
    ids=lambda it: str(it)[-60:] if isinstance(it, str) else "",
)  # fmt: skip
def test_weights_that_do_not_fit_are_refused_in_words(source, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        tm.names.load(source)


def test_a_damaged_file_is_told_as_one(tmp_path):
    good = io.BytesIO()
    np.savez_compressed(good, **usual(drawn(np.random.RandomState(0), VOCAB)))
    corrupt = bytearray(good.getvalue())
    corrupt[200:260] = bytes(60)
    array = io.BytesIO()
    np.save(array, np.eye(2))
    held = {"a.json": b"{", "b.json": b"\xff\xff", "c.json": b"[" * 200_000, "d.json": b"[1]", "e.npz": b"PK nothing"}
    held |= {"f.npz": b"", "g.npz": bytes(corrupt), "h.npz": array.getvalue()}
    for name, numbers in held.items():
        (tmp_path / name).write_bytes(numbers)
        with pytest.raises(ValueError, match=r"is damaged|must hold names"):
            tm.names.load(tmp_path / name)


def test_an_alphabet_is_composed_as_texts_are():
    w = tm.names.load(GOOD | {"vocab": ["a\u0303", "\u212b"]})
    assert w.vocab == ("ã", "Å", "•") and tm.names.run("a\u0303\u212b", w).tokens == ["•", "ã", "Å"]
