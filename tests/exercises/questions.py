"""The questions of the lessons: the answer to each and what each mistake comes to, computed from the question alone."""

import numpy as np

E = np.e
# For each question, its answer; and what each mistake comes to, under a few words of what is said of it.
QUESTIONS = {
    "attention.score": (
        5 / 2,  # (1, 3, 0, 2) times (0, 1, 2, 1), over the root of 4
        {"the dot product": 5, "by d_k, not": 5 / 4, "query 0 with key 1": 7 / 2, "query 1 with key 1": 8 / 2}
        | {"root of the number of keys": 5 / 3**0.5, "by the number of keys": 5 / 3, "first query with the": 3 / 2},
    ),
    "attention.weights": (
        [E**2 / (E**2 + 1), 1 / (E**2 + 1), 0],
        {
            "without the mask": np.array([E**2, 1, E]) / (E**2 + 1 + E),
            "was set to 0": np.array([E**3, E, 1]) / (E**3 + E + 1),
            "after the softmax": np.array([E**2, 1, 0]) / (E**2 + 1 + E),
            "shares of the scores": [0.75, 0.25, 0],
            "powers of 2": [0.8, 0.2, 0],
            "another order": [1 / (E**2 + 1), E**2 / (E**2 + 1), 0],
            "per cent": [100 * E**2 / (E**2 + 1), 100 / (E**2 + 1), 0],
        },
    ),
    "attention.divisor": (
        8,  # 768 / 12 is 64
        {"That is d_head": 64, "root of d_model": 768**0.5, "d_model itself": 768, "root of the number": 12**0.5}
        | {"That is the number of heads": 12},
    ),
    "attention.identical_keys": (
        3.5,  # (1 + 6) / 2
        {"all three": 5, "its own value": 6, "the first value": 1, "the sum": 7},
    ),
    "attention.changed_rows": (
        4,  # the second of five, and the three after it
        {"Without the mask": 5, "Its own row, yes": 1, "come after it, yes": 3, "before it cannot": 2},
    ),
    "attention.mixture": (
        [1.5, 1.6],  # 0.5 (1, 0) + 0.3 (0, 2) + 0.2 (5, 5)
        {
            "plain mean": [2, 7 / 3],
            "largest weight": [1, 0],
            "without their weights": [6, 7],
            "last value is missing": [0.5, 0.6],
        },
    ),
    "embeddings.read_rows": (
        [9, 5, -1],  # (1, 3, -1) and twice (4, 1, 0)
        {"once each": [5, 4, -1], "rows 0 and 2": [2, 4, 5], "all rows added": [7, 6, 2], "row only": [1, 3, -1]},
    ),
    "embeddings.add_place": (
        [1.25, 2.5, 0.5],  # (1, 3, -1) and (0.25, -0.5, 1.5)
        {"Its place is missing": [1, 3, -1], "not multiplied": [0.25, -1.5, -1.5]}
        | {"by the token's id": [1.5, 3, -1.5], "row by its place": [0.25, 1.5, 3.5], "first row of X": [4, 1.5, 0]},
    ),
    "embeddings.cosine": (
        63 / 65,  # 15 + 48, over 5 times 13
        {"the dot product": 63, "without their roots": 63 / 4225, "by the first length only": 63 / 5}
        | {"by the second length only": 63 / 13, "the distance": 68**0.5, "the angle": 14.250033},
    ),
    "embeddings.waves": (
        [0.909297, -0.416147, 0.019999, 0.999800],  # sin 2, cos 2, sin 0.02, cos 0.02
        {
            "in degrees": [0.034899, 0.999391, 0.000349, 1],
            "have changed places": [-0.416147, 0.909297, 0.999800, 0.019999],
            "The column's number": [0.909297, 0.999800, 0.000200, 1],
            "That is place 1": [0.841471, 0.540302, 0.010000, 0.999950],
            "both sines first": [0.909297, 0.019999, -0.416147, 0.999800],
        },
    ),
    "embeddings.noticed": (3, {"has read nothing but": 4, "Those two hold": 2, "does change": 0, "with positions": 5}),
    "embeddings.parameters": (
        38_597_376,  # 50,257 times 768
        {"W_pos: a row": 786_432, "together": 39_383_808, "counts the table twice": 77_194_752, "an addition": 51_025},
    ),
    "encoder_decoder.positions": (
        2,  # three of the texts are a third of each word
        {"With positions": 4, "weight is halved": 3, "Which words there are": 1},
    ),
    "encoder_decoder.cross_attention": (
        46,  # 25, and 1 + 2 + 3, and 15
        {"on the cross-attention": 37, "on the encoder": 36, "lies on the decoder's": 49, "SOS is a row": 38}
        | {"cross-attention is missing": 31},
    ),
    "encoder_decoder.heads": (
        384,  # six matrices of 8 times 6, and one of 12 times 8
        {"of width d_model": 256, "W_O is missing": 288, "not square": 352, "a single head": 240, "not added": 336},
    ),
    "encoder_decoder.feed_forward": (
        2_099_712,  # twice 1,048,576, and 2,560
        {
            "biases are missing": 2_097_152,
            "the way up": 1_050_624,
            "number made": 2_101_248,
            "down, too": 2_099_200,
            "All words": 20_997_120,
        },
    ),
    "encoder_decoder.one_by_one": (
        [7, 28],  # SOS alone; in the end SOS and six words
        {"EOS takes": [6, 21], "kept keys": [7, 7], "in training": [1, 7], "not written yet": [7, 49]}
        | {"SOS is a row": [7, 21], "The encoder's": [8, 33]},
    ),
    "encoder_decoder.six_blocks": (
        1.5**0.5,  # (-3, 0, 3); the squares 9, 0, 9 have the mean 6
        {"without residual": 384e6, "without LayerNorms": 514_596_726, "by n - 1": 1, "mean was not": 6**0.5}
        | {"not before the block": 6 + 120 * 1.5**0.5},
    ),
    "encoder_decoder.to_probabilities": (
        E**3 / (E**3 + E**2 + 1),  # (1, 3, -1) and the biases (2, -1, 1)
        {"without b_U": E / (E + E**3 + 1 / E), "added before": E / (E + E**3 + 1 / E) + 2, "is the logit": 3}
        | {"share of the logits": 3 / 5, "powers of 2": 8 / 13, "what blanco has": E**2 / (E**3 + E**2 + 1)},
    ),
    "encoder_decoder.greedy": (
        1.2,  # 0.3 times 0.8, over 0.5 times 0.4
        {"not the likeliest": 1, "one's probability": 0.24, "turn it round": 5 / 6, "second word alone": 0.95}
        | {"not on one branch": 2.375, "not added": 1.15 / 0.9},
    ),
    "end_to_end.layer_norm": (
        3 / 5**0.5,  # (0, 2, 4, 6) less 3; the squares 9, 1, 1, 9 have the mean 5
        {"divides by the variance": 3 / 5, "by n - 1": 3 / (20 / 3) ** 0.5, "not subtracted": 6 / 5**0.5}
        | {"only the first half": 3, "not divided by n": 3 / 20**0.5},
    ),
    "end_to_end.temperature": (
        E / (E + E**0.5 + 1),
        {"at temperature 1": E**2 / (E**2 + E + 1), "multiplied": E**4 / (E**4 + E**2 + 1)}
        | {"divides the probability": E**2 / (E**2 + E + 1) / 2, "powers of 2": 2 / (2 + 2**0.5 + 1)},
    ),
    "end_to_end.loss": (
        1.3862943611,  # twice ln 2, which is 0.6931471806
        {"to base 2": 2, "to base 10": 0.6020599913, "sign": -1.3862943611, "itself": 0.25, "1 - p": 0.75},
    ),
    "end_to_end.between_positions": ("attention", {"The MLP works": "MLP", "LayerNorm takes": "LayerNorm"}),
    "end_to_end.smallest_change": (
        0.9612810892,  # ahead by 1.0279062371, over the largest number of f, 1.0693087055: see test_smallest_change.py
        {"ahead of ␣muro": 1.0279062371, "Divide by it": 1.0991490878},
    ),
    "generation.temperature": (
        0.75,  # 9 to 1 becomes 3 to 1
        {"The order does not": 0.9, "divides the probability": 0.45, "were multiplied": 81 / 82}
        | {"softmax of the prob": 1 / (1 + E**-0.4), "The roots are right": 0.9**0.5, "very high": 0.5}
        | {"second token's": 0.25},
    ),
    "generation.top_k": (
        5 / 13,  # 0.25 of 0.65
        {"before the cut": 0.25, "not given out": 0.425, "do not get equal": 0.5, "one token more": 5 / 17}
        | {"a softmax of": 1 / (1 + E**0.15), "the first token has": 8 / 13},
    ),
    "generation.top_p": (
        3,  # 0.35 and 0.3 and 0.2
        {"stay below": 2, "as they stand": 4, "all of them": 5, "likeliest alone": 1},
    ),
    "generation.likeliest": (
        0.36,  # B: 0.4 times 0.9
        {"greedy's text": 0.3, "not on one branch": 0.54, "not added": 1.3, "two branches": 0.66}
        | {"second step alone": 0.9, "first step alone": 0.6},
    ),
    "generation.cache": (
        80,  # one query, ten keys, eight numbers each
        {"all queries meet": 800, "reads itself": 72, "counts the dots": 10, "one dot product": 8}
        | {"mixing of values": 160, "without the new token": 648},
    ),
    "generation.lens": (
        1 / (1 + E ** -(8**0.5)),  # the mean of 4, 0, 0, 4 is 2: over its root, the logits are √2 and -√2
        {"LayerNorm is missing": 1 / (1 + E**-4), "by the variance": 1 / (1 + E**-2)}
        | {"n - 1": 1 / (1 + E ** -(6**0.5)), "That is the logit": 2**0.5, "second token's": 1 / (1 + E ** (8**0.5))}
        | {"second logit is not 0": 1 / (1 + E ** -(2**0.5))},
    ),
    "mlp.gain": (
        2 * 3**0.5 - 1,  # (1, 1, 1, 5) less 2; the squares 1, 1, 1, 9 have the mean 3
        {
            "without gain and bias": 3**0.5,
            "bias is missing": 2 * 3**0.5,
            "gain is missing": 3**0.5 - 1,
            "before the gain": 2 * (3**0.5 - 1),
        }
        | {"by n - 1": 2, "by the variance": 1, "not divided by its": 5, "after it was normalised": 9},
    ),
    "mlp.neuron": (
        1.3995715,  # GELU of 1.5, in the tanh form
        {"before GELU": 1.5, "the share": 0.9330477, "tanh of the product": 0.9051483, "not halved": 2.7991431}
        | {"sign turned": -0.1004285},
    ),
    "mlp.opposites": (
        1.9091954,  # GELU of 2 and of -2: 1.9545977 - 0.0454023
        {"the neuron that is on": 1.9545977, "With ReLU": 2, "do not cancel": 0, "that is off": -0.0454023},
    ),
    "mlp.share": (
        1.25 / 2**0.5,  # the row is (2, 4, 2, 0): mean 2, std the root of 2; the part less its mean (1.5, -0.5, ...)
        {
            "own standard deviation": 1.25 / 1.25**0.5,
            "mean was not subtracted": 2 / 2**0.5,
            "mean of the whole": -(0.5**0.5),
        }
        | {"not divided by the standard": 1.25, "the second part": -0.25 / 2**0.5, "the logit": 1 / 2**0.5},
    ),
    "mlp.without_attention": (
        2,  # two last tokens at two places
        {"with attention": 4, "its place, too": 1, "So does a third": 3},
    ),
    "mlp.residual": (
        1.4641,  # 1.1 four times
        {
            "without residual": 0.0001,
            "slopes do not add up": 1.4,
            "Blocks do not": 4.4,
            "not one around all": 1.0001,
            "one block": 1.1,
        },
    ),
    "names.parameters": (
        4320,  # 4,192 at 27 signs; four signs more, 32 numbers each
        {"end is a sign": 4288, "not tied": 3824, "places have rows": 4064, "two matrices": 3296},
    ),
    "names.rms_norm": (
        3**0.5,  # the squares 9, 1, 1, 1 have the mean 3
        {"That is LayerNorm": 2**0.5, "mean square": 1, "root of the sum": 3 / 12**0.5, "mean of the numbers": 3},
    ),
    "names.loss": (
        1.25 * 0.6931471806,  # ln 2, twice that, the same once more, and 0, over 4
        {"the sum": 5 * 0.6931471806, "end is predicted": 5 / 3 * 0.6931471806, "-ln of the mean": 0.6931471806}
        | {"to base 2": 1.25},
    ),
    "names.mask": (
        E**2 / (E**2 + 2),
        {"comes later": E**2 / (E**2 + 2 + E**5), "score 0": E**2 / (E**2 + 3), "powers of 2": 4 / 6}
        | {"scores themselves": 1, "all alike": 1 / 3},
    ),
    "names.after_the_heads": (
        5,  # 2 times 4, less 1 times 3
        {"first head alone": 8, "second head alone": -3, "not a row": 7, "second number": 0, "not added up": 1},
    ),
    "recall_block.moved_value": (
        2,  # 0.2 of 10
        {"So much grows the value": 10, "plain mean": 10 / 3, "what is mixed has": 0, "by the first weight": 5},
    ),
    "recall_block.slope": (
        0.1049935854,  # 0.8807970780 times 0.1192029220
        {"the weight itself": 0.8807970780, "the other weight": 0.1192029220, "the square": 0.7758034926}
        | {"both scores are equal": 0.25},
    ),
    "recall_block.relu": (6, {"without the bend": 4, "does not turn a sign": 8, "as they are": 5}),  # 1, -2, 4
    "recall_block.turned": (
        0.8,
        {"turns the row round": 1.3, "doubles, too": 1.6, "in the mean, too": 6.6, "never below 0": -0.8},
    ),
    "recall_block.ratio": (
        9,  # e to twice ln 3
        {"at temperature 1": 3, "doubles, not the ratio": 6, "at temperature 2": 3**0.5, "divides the ratio": 1.5},
    ),
    "recall_block.surprise": (
        2.302585093,  # ln 10: 0.5 times 0.8 times 0.25 is 0.1
        {"That is the mean": 0.5756462732, "probability of the sentence": 0.1, "sign is turned": -2.302585093}
        | {"base 2": 3.321928095, "base 10": 1, "of their sum": -0.9360933592},
    ),
    "recall_block.step": (
        0.7,  # 0.4 and 0.3
        {"loss larger": 0.1, "rate is missing": 1.9, "how far it moves": 0.3, "rate alone": 0.6, "by the weight": 0.52},
    ),
    "recall_paths.moved_logit": (
        -0.6,
        {"Mind the sign": 0.6, "Divide where": -0.5 / 1.2, "So far moves": 0.5, "number of the row": -1.2},
    ),
    "recall_paths.adam": (
        0.45,
        {"divides the slope": 0.55, "with the slope: a step": 0.35, "and with the slope": 0.25, "is not 0": 0.4},
    ),
    "recall_tokens.dealt": (
        [4, 1, 7],
        {"begins again": [4, 13, 7], "the way back": [10, 7, 1], "the old ids": [1, 10, 4]},
    ),
    "recall_tokens.merged": (
        [15, 31],
        {"one is put in their place": [10, 31], "is a new one": [15, 30], "other words need": [15, 29]}
        | {"become shorter": [20, 31]},
    ),
    "recall_tokens.fewest": (
        [3, 2],  # abc d e, and ab cde
        {
            "never looks beyond": [2, 2],
            "more than a letter": [5, 2],
            "no shorter way": [3, 3],
            "changed places": [2, 3],
        },
    ),
    "recall_tokens.scaled": (
        -0.6,
        {"The sign is right": -1.2, "was turned round": 0.6, "never above 1": 1.2, "not divided out": -0.3},
    ),
    "recall_tokens.wider": (
        [1.5, 3],
        {"only half as many rows": [3, 3], "not for each token": [1.5, 1.5], "are wider, too": [0.5, 3]}
        | {"changed places": [3, 1.5]},
    ),
    "tokenization.unknown": (
        4,  # and, dogs, sleep, today
        {"many words it knows": 3, "another ending": 2, "the text has": 7},
    ),
    "tokenization.longest": ([6, 2], {"two halves": [4, 5], "count from 0": [7, 3], "right to left": [2, 6]}),  # int|o
    "tokenization.in_order": ([4, 5], {"longest match": [6, 2], "count from 0": [5, 6], "right to left": [5, 4]}),
    "tokenization.next_merge": (
        3,  # an + a in [an a], [b an an a] and [b an d an a]
        {"of the first merge": 5, "before the first merge": 4, "of the third": 2},
    ),
    "tokenization.vocabulary": (
        50_257,
        {"Those are the merges": 50_000, "the end of a text": 50_256, "The bytes are": 50_001, "takes no": 49_745},
    ),
    "tokenization.decomposed": (
        6,  # a c ̧ a ̃ o
        {"composed letters": 4, "the marks": 2, "the bytes": 8},
    ),
    "training_step.at_logits": (
        [E**2 / (E**2 + E + 1), E / (E**2 + E + 1), 1 / (E**2 + E + 1) - 1],
        {
            "sign is turned": [-(E**2) / (E**2 + E + 1), -E / (E**2 + E + 1), 1 - 1 / (E**2 + E + 1)],
            "Those are the probabilities": [E**2 / (E**2 + E + 1), E / (E**2 + E + 1), 1 / (E**2 + E + 1)],
            "likeliest token": [E**2 / (E**2 + E + 1) - 1, E / (E**2 + E + 1), 1 / (E**2 + E + 1)],
            "wrong tokens count": [0, 0, 1 / (E**2 + E + 1) - 1],
            "not 1 less p": [E**2 / (E**2 + E + 1), E / (E**2 + E + 1), 1 - 1 / (E**2 + E + 1)],
            "softmax is missing": [2, 1, -1],
        },
    ),
    "training_step.chain": (
        0.2,  # 0.5 past m, and 0.5 times -0.6 through it
        {"way through m. h goes": -0.3, "way past m": 0.5, "must be multiplied": -0.1, "two ways are added": -0.15}
        | {"slope of y by h": 0.4, "not subtracted": 0.8},
    ),
    "training_step.central": (
        13,  # (27 - 1) / 2
        {"derivative itself": 12, "one step up": 19, "one step down": 7, "two steps of δ": 26, "sign is turned": -13},
    ),
    "training_step.descent": (
        1.92,  # 3, 2.4, 1.92
        {"one step.": 2.4, "another one": 1.8, "it is subtracted": 4.32, "is not w": 2.43, "not the loss": 1.659}
        | {"rate is missing": 3},
    ),
    "training_step.adam": (
        1.95,
        {"gradient descent": 1.9998, "sign is turned": 2.05, "both hats": 1.8418861, "hat of m": 1.995}
        | {"hat of v": 0.4188612, "The root of": -10.5},
    ),
    "training_step.floor": (
        0.1591285,  # (ln 3 - 2/3 ln 2) / 4, and ln 3 is 1.0986123
        {
            "Something remains": 0,
            "never below 0": -0.1591285,
            "take the mean": 0.6365142,
            "equally likely": 0.1732868,
            "one prediction fewer": 0.1273028,
        }
        | {"to base 2": 0.2295740, "two different": 0.2746531},
    ),
}
WHOLE = {"attention.changed_rows", "embeddings.noticed", "embeddings.parameters", "mlp.without_attention"}
WHOLE |= {"generation.top_p", "generation.cache", "names.parameters"}
WHOLE |= {f"encoder_decoder.{name}" for name in ("positions", "cross_attention", "heads", "feed_forward")}
WHOLE |= {f"tokenization.{name}" for name in ("unknown", "next_merge", "vocabulary", "decomposed")}
PROBABILITIES = {f"generation.{name}" for name in ("temperature", "top_k", "likeliest", "lens")}
PROBABILITIES |= {"end_to_end.temperature", "encoder_decoder.to_probabilities"}
IDS = {"tokenization.longest", "tokenization.in_order", "recall_tokens.dealt"}  # how many they are is not told
# Questions that later lessons ask, and what they are about: {name: number of the lesson}.
RECALLED = {f"recall_tokens.{name}": 1 for name in ("dealt", "merged", "fewest")}
RECALLED |= {"recall_tokens.scaled": 2, "recall_tokens.wider": 2}
RECALLED |= {"recall_block.moved_value": 3, "recall_block.slope": 3, "recall_block.relu": 4, "recall_block.turned": 4}
RECALLED |= {"recall_block.ratio": 5, "recall_block.surprise": 5, "recall_block.step": 6}
RECALLED |= {"recall_paths.adam": 6, "recall_paths.moved_logit": 7}
