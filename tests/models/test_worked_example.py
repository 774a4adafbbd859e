"""The worked example: each figure that its page prints, from the parts that the translator is made of."""

import json
from pathlib import Path

import numpy as np
import plain_encoder_decoder as plain
import pytest

import toymodel as tm
from toymodel.models import worked_example as page

pytestmark = pytest.mark.filterwarnings("error")

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "encoder_decoder.json").read_text(encoding="utf-8"))
PRINTED = REFERENCE["expected"]
SELF = "encoder.0.self."
t = page.encoded()
by_30 = page.encoded(replace={SELF + "scores": t[SELF + "dots"] / 30})


def same(array, printed, atol=1e-8):
    np.testing.assert_allclose(array, printed, rtol=0, atol=atol)


def test_the_matrices_are_those_of_the_pages_code():
    for name in ("W_Q", "W_K", "W_V"):
        same(t.weights[SELF + name], np.concatenate(REFERENCE[name], axis=1))
    same(t.weights[SELF + "W_O"], REFERENCE["W_O"])
    same(page.X, REFERENCE["X_as_printed"])
    same(page.POSITIONS, REFERENCE["positions_as_printed"])
    same(page.MEMORY, REFERENCE["encoder_output_example"])
    assert list(page.VOCAB) == REFERENCE["vocabulary"]


def test_its_second_row_of_positions_is_not_that_of_the_formula():
    rows = REFERENCE["positions_by_the_formula"]
    same(tm.sinusoids(2, 4), rows, 5e-4)
    assert np.abs(page.POSITIONS - rows).max() > 0.4


@pytest.mark.parametrize(
    ("step", "name"), {"q": "Q1", "k": "K1", "v": "V1", "dots": "scores1", "scores": "scaled1"}.items()
)
def test_the_first_head_is_as_printed(step, name):
    same(t[SELF + step][0], PRINTED[name])


def test_the_softmax_saturates_and_both_rows_read_the_second_word():
    assert (t[SELF + "pattern"][:, :, 1] > 0.999).all()
    same(t[SELF + "z"], PRINTED["head_outputs_sqrt3"])


def test_by_thirty_the_softmax_is_softer_and_the_rest_follows_as_printed():
    same(by_30[SELF + "z"], PRINTED["head_outputs_div30"])
    same(by_30[SELF + "concat"], np.concatenate(PRINTED["head_outputs_div30"], axis=1))
    same(by_30[SELF + "out"], PRINTED["Z_div30"])
    same(by_30["encoder.0.ln1.normed"], PRINTED["norm_X_plus_Z"], 1e-6)  # the page adds its epsilon elsewhere
    same(by_30["encoder.0.ln1.out"], by_30["encoder.0.ln1.normed"], 0)  # its gains are 1, its biases 0
    assert tm.explain(by_30, SELF + "scores", (0, 0, 0)).note == "set by hand"
    assert tm.explain(by_30, SELF + "pattern", (0, 0, 1)).text.splitlines()[-1].strip() == "= 0.776"


def test_68_is_a_sum():
    s = tm.explain(t, SELF + "dots", (0, 0, 0))
    assert s.value == 68 == 8 * 4 + 3 * 8 + 3 * 4
    assert "8.000·4.000 + 3.000·8.000 + 3.000·4.000" in s.text and "source key hello" in s.place


def test_heads_may_be_wider_than_their_share_and_words_label_the_tables():
    assert t[SELF + "q"].shape == (2, 2, 3) and t[SELF + "concat"].shape == (2, 6)
    table = tm.table(t, SELF + "pattern", head=0)
    assert [*table.index] == [*table.columns] == ["hello", "world"]


def test_other_rows_may_be_read_but_not_of_another_shape():
    assert t.again(page.X + 1)["encoder.0.resid_pre"][0, 0] == 2
    with pytest.raises(ValueError, match=r"^X has the shape \(3, 4\); needed is \(2, 4\)\.$"):
        t.again(np.ones((3, 4)))


def test_the_first_step_of_the_decoder_begins_as_printed_and_is_that_of_the_formulas(monkeypatch):
    d = page.decoded()
    assert d.tokens == ["SOS"]
    same(d["decoder.0.resid_pre"], [REFERENCE["SOS_input"]])
    wave = np.array([[0, 1, 0, 1]])
    monkeypatch.setattr(plain, "WAVE", np.repeat(wave, 2, axis=0))
    weights = {**d.weights, **page.encoded().weights}
    expected = plain.steps(weights, [0, 2], d.ids, by_hand={"encoder.0.ln2.out": page.MEMORY})
    for key in d:
        np.testing.assert_allclose(d[key], expected[key], rtol=1e-12, atol=1e-12, err_msg=key)
    assert [*tm.table(d, "decoder.0.cross.pattern", head=1).columns] == ["hello", "world"]
    assert sum(tm.ranking(d)["p"]) == pytest.approx(1, abs=0.005)


def test_its_random_weights_babble_with_and_without_a_cache():
    without, kept = ([d.chosen for d in tm.generate("", model=page.DECODER, cache=cache)] for cache in (False, True))
    assert without == kept and set(without) <= set(page.VOCAB)
    one_more = tm.extend(page.decoded("hola"), "mundo")
    np.testing.assert_allclose(one_more["logits"][0], page.decoded("hola mundo")["logits"][-1], rtol=1e-12, atol=1e-12)


def test_the_example_embeddings_point_nearly_the_same_way():
    cosines = tm.cosines({word: page.EMBEDDINGS[word] for word in page.WORDS})["cosines"]
    assert cosines[0, 1] == pytest.approx(REFERENCE["cosine_hello_world"], abs=5e-5)
