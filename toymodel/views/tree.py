"""The tree of likely continuations: what may follow, and what may follow that; and any of its paths as a product."""

from ..core.expression import Node, Number
from ..language import _, plural
from ..reading.digits import enough_digits, leaf_text
from ..reading.notation import BREAK, MATHML, write
from ..reading.tables import Table
from ..shown import shown
from ..writing.branches import grown, likeliest_first, paths
from .shared.grids import grid, token
from .shared.runs import RunView
from .shared.traits import Float, ListOf, Whole
from .shared.view import css, esm, within

TREE_ROOM, LISTED = 64, 8  # ends that are drawn, and that are listed


class Tree(RunView):
    """What may follow, and what may follow that, live: Tree(text="o gato subiu no", width=3, depth=3, branch=[0, 0]).

    Traits: text and temperature, as in `run`; width (1 to 4), how many tokens follow each; depth (1 to 5), how many
    after each other; branch, the one that is written out: its place among its siblings, level after level (the nearest
    that there is). Where there would be too many ends, the tree is cut, and says so.
    """

    _esm = esm("shared/grids.js", "tree.js")
    _css = css("tree.css")
    controls = ("text", "width", "depth", "temperature", "branch")
    width = Whole(3, min=1, max=4)
    depth = Whole(3, min=1, max=5)
    temperature = Float(1.0)
    branch = ListOf(Whole(), [0, 0, 0])

    def words(self):
        controls = {"text": _("Sentence"), "width": _("Width"), "depth": _("Depth"), "temperature": _("Temperature")}
        return controls | {"tree": _("What may follow"), "greedy": _("greedy")}

    def picture(self):
        """The tree, the picked branch as a product, the likeliest ends, and what the greedy path comes to."""
        possible = max(1, min(self.depth, self.base.model.n_ctx + 1 - len(self.ids())))  # the last one is not read
        depth = max(d for d in range(1, possible + 1) if self.width**d <= TREE_ROOM)
        branches = grown(self.run(), self.width, depth)
        places = settled(self.branch, branches)
        self.settle(branch=places)
        ends = list(paths(branches))
        self.ends = likeliest_first(ends)
        return {
            "tree": nodes(branches),
            "full": branches[0].product,
            "branch": places,
            "sum": written_product(self.text, followed(places, branches), shown(self.temperature)),
            "greedy": greedy_sentence(ends[0], self.ends.index(ends[0]), depth < possible),
            "cut": cut_sentence(self.width**possible, self.depth, possible, depth),
            "tables": [ends_grid(self.ends[:LISTED], ends[0])],
            "together": together_sentence(ends),
            "width": str(self.width),
            "depth": str(self.depth),
            "temperature": shown(self.temperature),
        }

    def fallback(self):
        rows = [(" ".join(it.token for it in path), path[-1].product) for path in self.ends[:LISTED]]
        return Table(rows, columns=[_("end"), _("product")])._repr_html_()


def settled(places, branches):
    """The places of a branch, each the nearest that there is, as far as the tree goes."""
    there = []
    for i in places or [0]:
        if branches:
            there.append(within(i, len(branches)))
            branches = branches[there[-1]].branches
    return there


def followed(places, branches):
    """The branches on the way to these places."""
    path = []
    for i in places:
        path.append(branches[i])
        branches = branches[i].branches
    return path


def nodes(branches, greedy=True):
    """What tree.js draws of each branch."""
    return [
        {
            "token": it.token,
            "p": shown(it.p),
            "product": shown(it.product),
            "greedy": greedy and i == 0,
            "branches": nodes(it.branches, greedy and i == 0),
        }
        for i, it in enumerate(branches)
    ]


def written_product(text, path, temperature):
    """What was added, given the text, and the product of its probabilities."""
    product, value = Node("*", *(Number(it.p) for it in path)), shown(path[-1].product)
    digits = enough_digits([product], value)
    factors = write(product, MATHML, lambda it: MATHML.number(leaf_text(it, digits)))
    return {
        "place": ["p(", *(token(it.token) for it in path), "|", token(text), f") = {value}"],
        "math": ["<mi>p</mi>", [factors.split(BREAK), [MATHML.number(value)]]],
        "note": _(
            "`{text}` is given: a factor for each token after it, its probability at temperature {temperature}.",
            text=text,
            temperature=temperature,
        ),
    }


def greedy_sentence(path, likelier, is_cut):
    """Where the greedy path leads, and whether that is the likeliest end, if the tree was not cut before."""
    if is_cut:
        verdict = _("the tree is cut, so it does not tell whether another end is likelier.")
    elif likelier:
        verdict = plural("{n} end is likelier.", "{n} ends are likelier.", likelier)
    else:
        verdict = _("no end is likelier.")
    tokens = [token(it.token) for it in path]
    return [_("★ Greedy, the likeliest token each time:"), *tokens, f"({shown(path[-1].product)});", verdict]


def cut_sentence(ends, depth, possible, cut):
    """Why the tree is not as deep as it was asked to be, or nothing."""
    if cut == depth:
        return ""
    if cut == possible:
        return plural("After {n} token the context is full.", "After {n} tokens the context is full.", cut)
    return plural(
        "Up to {ends} ends are possible and {room} can be drawn: the tree is cut after {n} token.",
        "Up to {ends} ends are possible and {room} can be drawn: the tree is cut after {n} tokens.",
        cut,
        ends=ends,
        room=TREE_ROOM,
    )


def ends_grid(ends, greedy):
    """The likeliest ends, each with its product."""
    labels = [[token(it.token) for it in path] for path in ends]
    made = grid(
        "ends", [_("Likeliest ends")], [_("end"), _("product")], labels, [[shown(path[-1].product)] for path in ends]
    )
    for row, path in zip(made["rows"], ends, strict=True):
        row["chosen"] = path is greedy
    return made


def together_sentence(ends):
    """How much of all that may follow has been drawn."""
    p = shown(sum(path[-1].product for path in ends))
    return plural(
        "{n} end is drawn: {p} of all that may follow.",
        "{n} ends are drawn: together {p} of all that may follow.",
        len(ends),
        p=p,
    )
