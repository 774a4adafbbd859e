"""The base of a view that shows a run: of the toy, or of whatever model a given Trace is a run of."""

from ...calls import run
from ...core.trace import require_model
from ...language import _
from ...models.toy import TOY
from .traits import ChoiceOf, Text
from .view import View, placed, within


class RunView(View):
    """A view of a run: `trace` is the run that it begins with, its model and weights those of all that it shows.

    Traits: text, and as many of the model's settings as the view has controls for. `toy_alone` is true of a view that
    draws the parts of the toy by name.
    """

    text = Text("o gato subiu no")
    toy_alone = False

    def __init__(self, trace=None, **settings):
        if trace is None:
            trace = run("o")
        else:
            require_model(trace)
            if self.toy_alone and trace.model is not TOY:
                raise ValueError(
                    _("{view} draws the toy's parts: it needs a run of the toy.", view=type(self).__name__)
                )
            ids = [*map(trace.vocab.index, trace.earlier), *trace.ids]
            given = {"text": trace.model.decode(ids), **trace.settings}
            if not can_be_written(trace.model, given["text"], ids):
                raise ValueError(_("these tokens cannot be written as a text that is read as they are."))
            settings = {name: it for name, it in given.items() if name in self.controls} | settings
            if trace.earlier:
                trace = trace.model.run(ids, trace.leaves, **trace.settings)
        self.base = trace
        super().__init__(**settings)

    def ids(self):
        """The sentence, in ids."""
        return self.base.model.encode(self.text)

    def run(self, ids=None, **settings):
        """The run of the sentence, or of other ids, with the settings that the controls say, or these."""
        chosen = {name: getattr(self, name) for name in self.base.settings if name in self.controls}
        return self.base.again(self.ids() if ids is None else ids, **chosen | settings)


def can_be_written(model, text, ids):
    """Whether a text is read as these ids."""
    try:
        return model.encode(text) == ids
    except ValueError:
        return False


class Heads(RunView):
    """A view of a run whose number of heads and mask can be chosen, where the model has the choice.

    Of a model with several blocks, the first is shown.
    """

    n_heads = ChoiceOf(lambda view: view.possible_heads(), 2)

    def possible_heads(self):
        """How many heads there may be; where the model has no choice, how many there are."""
        heads = self.base.model.choices.get("n_heads")
        return sorted(heads) if heads else [len(self.base["blocks.0.attn.pattern"])]

    def weights_of_query(self):
        """For each head, how much the query reads of each key, where a view has a query: (head, key)."""
        pattern = self.run()["blocks.0.attn.pattern"]
        return pattern[:, placed(self.query, pattern.shape[1])]

    def most_read(self):
        """The key that the head reads most for the query, both as they are to be shown."""
        weights = self.weights_of_query()
        return int(weights[within(self.head, len(weights))].argmax())

    def choices(self):
        """What there is to choose from."""
        heads, causal = (self.base.model.choices.get(name, ()) for name in ("n_heads", "causal"))
        return {"heads": sorted(heads) if len(heads) > 1 else [], "masks": len(causal) > 1}
