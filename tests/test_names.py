"""tm.names: what a run is, against the formulas once more; every sum; a letter a call; what it writes."""

import autograd
import autograd.numpy
import numpy as np
import pytest

import toymodel as tm

pytestmark = pytest.mark.filterwarnings("error")

VOCAB = tm.names.weights().vocab
ATTN, MLP = "blocks.0.attn.", "blocks.0.mlp."


def plain(w, ids, np=np):
    """The logits, from the formulas alone."""
    import numpy

    def normed(x):
        return x / np.sqrt(np.mean(x * x, axis=1, keepdims=True) + 1e-5)

    n = len(ids)
    x = normed(w["W_E"][numpy.array(ids)] + w["W_pos"][:n])
    u, read = normed(x), []
    for h in range(4):
        q, k, v = (u @ w[f"{ATTN}W_{name}"][:, 4 * h : 4 * h + 4] for name in "QKV")
        e = np.exp(q @ k.T / 2 + numpy.triu(numpy.full((n, n), -1e30), 1))
        read.append(e / np.sum(e, axis=1, keepdims=True) @ v)
    x = x + np.concatenate(read, axis=1) @ w[ATTN + "W_O"]
    pre = normed(x) @ w[MLP + "W_in"]
    return (x + (pre * (pre > 0)) @ w[MLP + "W_out"]) @ w["W_U"]


def surprise(w, ids, np=np):
    targets = [*ids[1:], 26]
    rows = plain(w, ids, np)
    return sum(np.log(np.sum(np.exp(row))) - row[i] for row, i in zip(rows, targets, strict=True)) / len(ids)


@pytest.mark.parametrize("text", ["", "a", "anna", "maximilianarosa"])
def test_a_run_is_what_the_formulas_say(text):
    t, w = tm.names.run(text), tm.names.weights()
    assert t.tokens == ["•", *text] and t.ids == [26, *map(VOCAB.index, text)]
    np.testing.assert_allclose(t["logits"], plain(w, t.ids), rtol=0, atol=1e-12)
    np.testing.assert_allclose(tm.gradients(t).loss, surprise(w, t.ids), rtol=1e-12)
    assert t.model.decode(t.ids) == text


def test_its_gradients_are_those_of_an_independent_library():
    t, w = tm.names.run("anna"), dict(tm.names.weights())
    g, expected = tm.gradients(t), autograd.grad(lambda w: surprise(w, t.ids, autograd.numpy))(w)
    for name in w:
        np.testing.assert_allclose(g[name], expected[name], rtol=0, atol=1e-12, err_msg=name)


def test_every_number_of_every_step_is_its_sum():
    t = tm.names.run("an")
    for key in t:
        for index in np.ndindex(t[key].shape):
            assert tm.explain(t, key, index).value == pytest.approx(t[key][index], abs=1e-12)


def test_no_symbol_means_two_things():
    t = tm.names.run("an")
    symbols = [t.about(key).symbol for key in [*t, *t.weights]]
    assert all(it.gloss for it in map(t.about, [*t, *t.weights]))
    repeated = {it for it in symbols if symbols.count(it) > 1}
    assert not repeated


def test_a_letter_a_call_is_the_run_at_once():
    whole, t = tm.names.run("leonora"), tm.names.run("")
    for pos, letter in enumerate("leonora", start=1):
        t = tm.extend(t, letter)
        np.testing.assert_allclose(t["logits"][0], whole["logits"][pos], rtol=0, atol=1e-12)
    one, all_ = (sum(tm.multiplications(it).values()) for it in (t, whole))
    assert all_ == 8 * (4 * 256 + 2 * 1024 + 16 * 27 + 2 * 8 * 16) and one == all_ // 8


def test_a_reader_may_call_the_usual_calls_with_its_model():
    t = tm.run("anna", model=tm.names.model_of())
    np.testing.assert_array_equal(t["logits"], tm.names.run("anna")["logits"])
    assert list(tm.generate("", model=tm.names.model_of()))[-1].chosen == "•"


def test_samples_are_drawn_from_what_it_says_is_likely():
    """By inverting the sums of probabilities with numpy's own draws: no call of the package writes a letter here."""
    w, draw, names = tm.names.weights(), np.random.RandomState(7), []
    for _name in range(4):
        ids = [26]
        while len(ids) < 17 and (len(ids) == 1 or ids[-1] != 26):
            row = plain(w, ids)[-1] / 0.5
            p = np.exp(row - row.max())
            ids.append(int(np.searchsorted(np.cumsum(p), draw.random_sample() * p.sum(), side="right")))
        names.append("".join(VOCAB[i] for i in ids if i != 26))
    assert tm.names.samples(4, seed=7) == names


def test_at_temperature_0_it_writes_the_likeliest_and_the_same_seed_the_same():
    assert len(set(tm.names.samples(5, temperature=0))) == 1
    assert tm.names.samples(5) == tm.names.samples(5) != tm.names.samples(5, seed=1)
    babble = {name: 5 * w for name, w in tm.names.weights().items()}
    assert max(map(len, tm.names.samples(30, babble, 5.0))) <= 16


def test_unseen_names_surprise_it_as_little_as_those_that_it_read():
    """A model of 4,192 weights learns what names are like, and none of them by heart."""
    names = tm.names.documents
    *_before, last = tm.names.train(names[::2])
    read, unseen = ([[26, *map(VOCAB.index, name), 26] for name in names[k:2000:2]] for k in (0, 1))
    read, unseen = (np.concatenate([losses(last.weights, it) for it in ids]).mean() for ids in (read, unseen))
    assert abs(unseen - read) < 0.05 and max(read, unseen) < 2.4 < np.log(27)


def losses(w, ids):
    rows = plain(w, ids[:-1])
    return [np.log(np.exp(row).sum()) - row[i] for row, i in zip(rows, ids[1:], strict=True)]


def test_weights_are_a_fresh_copy_that_knows_its_alphabet():
    tm.names.weights()["W_E"][:] = 0
    w = tm.names.weights()
    assert np.abs(w["W_E"]).max() > 0.3 and w.vocab == (*"abcdefghijklmnopqrstuvwxyz", "•")
    other = w | {"W_U": np.zeros((16, 27))}
    assert other.vocab == w.vocab and (tm.names.run("a", other)["probs"] == 1 / 27).all()


def test_weights_keep_their_alphabet_whichever_side_a_change_stands_on():
    *_before, last = tm.names.train(["да", "нет"], steps=300)
    w = last.weights
    for other in (w | {"W_pos": w["W_pos"]}, {"W_pos": w["W_pos"]} | w, w.copy()):
        assert other.vocab == w.vocab and tm.names.run("да", other).tokens == ["•", "д", "а"]
    t = tm.names.run("да", w)
    assert t.again(weights={"W_U": 0 * t["W_U"]}).vocab == w.vocab
    with pytest.raises(ValueError, match=r"^W_E has 6 rows, the alphabet 27 signs: .* t\.again\(weights=\.\.\.\)"):
        tm.names.run("да", dict(w))


def test_the_model_of_weights_runs_with_these_weights():
    *_before, last = tm.names.train(["да", "нет"], steps=300)
    model = tm.names.model_of(last.weights)
    np.testing.assert_array_equal(tm.run("да", model=model)["probs"], tm.names.run("да", last.weights)["probs"])
    assert model.decode(list(tm.generate("", model=model))[-1].ids) in ("да", "нет")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("João", "`João` is not in the vocabulary: see position 0, `J`"),
        ("a b", "`␣b` is not in the vocabulary|there is a space"),
        ("a•", "`•` stands before and after each text by itself"),
        ("a" * 16, "`a{16}` has 16 characters; a name can have 15 at most"),
        (None, "the text must be a string, not NoneType"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(text, message):
    with pytest.raises(ValueError, match=f"^({message})"):
        tm.names.run(text)


@pytest.mark.parametrize("n", [0, 1001, 2.5, None])
def test_a_number_of_samples_that_is_none_is_refused(n):
    with pytest.raises(ValueError, match=r"^n must be a whole number from 1 to 1,000"):
        tm.names.samples(n)


def test_the_names_are_those_of_the_census():
    """5,163: the union of 4,275 and 1,219, in small letters, as toymodel/data/README.md says."""
    names = tm.names.documents
    assert len(names) == len(set(names)) == 5163 and names == sorted(names)
    assert set("".join(names)) == set("abcdefghijklmnopqrstuvwxyz") and max(map(len, names)) == 11
    assert {"anna", "maria", "ana", "pedro"} <= set(names) and "joao" not in names
    assert len(VOCAB) == 27
