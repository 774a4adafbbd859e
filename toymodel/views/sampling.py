"""What may come next and how often it does: probabilities, what is cut of them, and many draws."""

import numpy as np

from ..language import _, plural
from ..reading.tables import draws
from ..shown import shown
from ..writing.generation import by_likelihood, likeliest, next_probs
from .shared.choosing import Choosing, bars_grid, is_cut, what_is_kept
from .shared.grids import mark_move, token
from .shared.traits import Choice
from .shared.view import esm

DRAWS = (1, 10, 100, 1_000, 10_000)


class Sampling(Choosing):
    """The next token, drawn many times, live: Sampling(text="o gato subiu no", temperature=1.0, top_k=3, n=1000).

    Traits: text, temperature, top_k, top_p and seed, as in `generate`; n, how many draws (one of `DRAWS`). What the
    last move changed is marked. The order is that of the logits, which no control but the text changes.
    """

    _esm = esm("shared/grids.js", "shared/bars.js", "shared/choosing.js", "sampling.js")
    controls = ("text", "temperature", "top_k", "top_p", "n", "seed")
    n = Choice(DRAWS, 1_000)

    def words(self):
        return super().words() | {"n": _("Draws"), "seed": _("Draw again")}

    def picture(self):
        """The grid with its bars, what the draws come to, and the sentence of changes; keeps the run as `trace`."""
        t = self.run()
        kept = next_probs(t, self.top_k, self.top_p)
        self.draws = draws(t, self.n, self.seed, self.top_k, self.top_p)
        self.trace, counts = t, self.draws[_("drawn")][list(t.vocab)].to_numpy()
        tables = [sampling_grid(t, kept, counts)]
        return {
            "sentence": [*self.idle(), *draws_sentence(t, kept, counts)],
            "tables": tables,
            "changes": mark_move(tables, self.before),
            "draws": [[n, f"{n:,}"] for n in DRAWS],
            **self.controls_shown(),
        }

    def fallback(self):
        return self.draws._repr_html_()


def draws_sentence(t, kept, counts):
    """What is left of the tokens, and how far the share of the draws is from what was kept; in parts."""
    if t.settings["temperature"] == 0:
        return [_("Greedy: always"), token(t.vocab[likeliest(t["logits"][-1])])]
    cut = is_cut(t, kept)
    left = plural(
        "{n} of {of} tokens is left, it holds {mass} of the probability;",
        "{n} of {of} tokens are left, they hold {mass} of the probability;",
        int((~cut).sum()),
        of=len(kept),
        mass=shown(t["probs"][-1][~cut].sum()),
    )
    gap = shown(np.abs(counts / counts.sum() - kept).max())
    return [left, _("the largest difference between share and kept is {gap}.", gap=gap)]


def sampling_grid(t, kept, counts):
    """A line for each token: what the model says of it, what is kept of that, and how often it was drawn."""
    order, share = by_likelihood(t["logits"][-1]), counts / counts.sum()
    columns = {
        _("p"): map(shown, t["probs"][-1][order]),
        _("kept"): what_is_kept(t, kept, order),
        _("drawn"): [f"{n:,}" for n in counts[order]],
        _("share"): map(shown, share[order]),
        _("logit"): map(shown, t["logits"][-1][order]),
    }
    caption, keys = [_("What may follow"), token(t.tokens[-1])], [_("kept"), _("drawn share")]
    return bars_grid("next", caption, columns, [token(t.vocab[i]) for i in order], [kept[order], share[order]], keys)
