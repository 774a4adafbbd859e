"""The package as a whole: what it imports, what it says, and where it can be read."""

import ast
import inspect
import os
import subprocess
import sys
from pathlib import Path
from string import Formatter

import pytest

import toymodel as tm

ROOT = Path(tm.__file__).parent
MODULES = {
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): ast.parse(
        file.read_text(encoding="utf-8")
    )
    for file in sorted(ROOT.rglob("*.py"))
}
# Rooms and the files that stand in none, on their floors: each may import from floors above it.
FLOORS = [
    ["quoted", "shown"],
    ["language"],
    ["typed", "listing"],
    ["core"],
    ["text"],
    ["models"],
    ["writing", "learning"],
    ["calls", "names", "translation"],
    ["reading"],
    ["exercises", "views"],
    ["replies"],
    ["__init__"],
]
FLOOR = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}


def room(module):
    return module.split(".")[0]


def imports(module):
    """The modules of the package that `module` imports. (Of a package, its own file.)"""
    package = module.split(".") if (ROOT / module.replace(".", "/")).is_dir() else module.split(".")[:-1]
    for node in ast.walk(MODULES[module]):
        outside = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        outside += [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
        assert not any(name.split(".")[0] == "toymodel" for name in outside), "within the package, imports are relative"
        if isinstance(node, ast.ImportFrom) and node.level:
            inside = [*package[: len(package) - node.level + 1], *(node.module or "").split(".")]
            for alias in node.names:
                name = ".".join(filter(None, [*inside, alias.name]))
                yield name if name in MODULES else ".".join(filter(None, inside))


IMPORTS = {module: set(imports(module)) for module in MODULES}


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_one_way(module):
    for imported in IMPORTS[module]:
        same_room = room(imported) == room(module)
        assert same_room or FLOOR[room(imported)] < FLOOR[room(module)], f"{module} imports {imported}"


OF_THE_TOY = ("models.toy", "models.toy_parts", "models.toy_weights", "models.sizes")
KNOW_THE_TOY = {"__init__", "calls", "learning.embeddings", "models.stack", "reading.counts", "exercises", "views"}


def test_what_serves_every_model_does_not_know_the_toy():
    importers = {module for module in MODULES if IMPORTS[module] & set(OF_THE_TOY) and module not in OF_THE_TOY}
    assert {it for it in importers if it not in KNOW_THE_TOY and room(it) not in KNOW_THE_TOY} == set()


def test_no_module_imports_itself_on_a_way_round():
    import graphlib

    assert set(graphlib.TopologicalSorter(IMPORTS).static_order()) >= MODULES.keys()  # raises CycleError


def test_every_room_says_what_is_in_it_and_is_known():
    assert {room(module) for module in MODULES} == FLOOR.keys()


def test_a_view_imports_what_views_share_and_no_other_view():
    for module in [module for module in MODULES if module.startswith("views.")]:
        folder = module.rpartition(".")[0]
        for imported in [it for it in IMPORTS[module] if room(it) == "views"]:
            assert imported.startswith("views.shared.") or folder == "views.path" == imported.rpartition(".")[0], module


def test_the_questions_of_a_lesson_import_none_of_another():
    for module in MODULES:
        if module.startswith("exercises."):
            assert {it for it in IMPORTS[module] if room(it) == "exercises"} <= {"exercises"}  # `from . import Item`


@pytest.mark.parametrize("module", MODULES)
def test_a_module_says_what_it_is(module):
    assert ast.get_docstring(MODULES[module])


MOST_LINES = {"toymodel": (250, ".py", ".js", ".css"), "tests": (400, ".py", ".mjs")}


def files_with_limits():
    for folder, (most, *suffixes) in MOST_LINES.items():
        for file in sorted((ROOT.parent / folder).rglob("*")):
            if file.suffix in suffixes:
                yield file.relative_to(ROOT.parent).as_posix(), most


@pytest.mark.parametrize(("path", "most"), list(files_with_limits()))
def test_a_file_is_short(path, most):
    n = len((ROOT.parent / path).read_text(encoding="utf-8").splitlines())
    assert n <= most, f"{path} has {n} lines, {most} are the limit"


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        cwd=ROOT.parent,
        env={**os.environ, **environment},
        timeout=60,
        check=False,
    )


def test_importing_the_package_loads_numpy_and_none_of_the_large_ones():
    code = "import sys, toymodel; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = run_python(code).stdout.decode().split()
    assert "numpy" in loaded
    assert not {"pandas", "plotly", "ipywidgets", "anywidget", "IPython", "traitlets", "difflib"} & set(loaded)


OFFERED = """
Table Trace UnknownStep Words adam_step attend attention candidates central_difference check corpus cosines decode
draws encode ends explain extend fresh_table fresh_weights generate gradients guess layer_norm learned_tables ledger
lens likelihood mlp multiplications names next_probs open_guesses parameters path predictions ranking run
scaled_dot_product_attention sgd_step sinusoids sizes source stack table toy_weights train train_bpe translation tree
views
"""
PUBLIC = [name for name in dir(tm) if name != "views"]


def test_what_is_offered_is_listed_and_no_module_but_those_that_gather():
    assert dir(tm) == OFFERED.split()


@pytest.mark.parametrize("name", PUBLIC)
def test_what_is_public_says_what_it_does(name):
    thing = getattr(tm, name)
    assert inspect.getdoc(thing)
    for method, function in inspect.getmembers(thing, inspect.isfunction):
        assert method.startswith("_") or function.__doc__, method


@pytest.mark.parametrize("name", ["nonsense", "TOY", "Sizes"])
def test_an_unknown_attribute_is_an_attribute_error(name):
    with pytest.raises(AttributeError, match=name):
        getattr(tm, name)


# ---- what a student reads can be translated


def raised(tree):
    """Each `raise Something(message)` with the message's syntax tree."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            yield node.exc.func.id, node.exc.args[0]


FOR_AUTHORS = {
    "the model recorded the step {} twice",
    "add needs one shape, or a row of it, not {} and {}",
    "multiply needs a row of gains as long as each row of {}, not {}",
    "matmul needs as many matrices on both sides, not {} and {}",
    "a model with a vocabulary needs n_ctx, and the token of it that is the end",
}  # no student meets these


def is_translated(message):
    return isinstance(message, ast.Call) and getattr(message.func, "id", "") == "_"


def translating(tree):
    """The functions that return translated text, and nothing else."""
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
        if returned and all(map(is_translated, returned)):
            yield function.name


@pytest.mark.parametrize("module", MODULES)
def test_every_message_passes_through_gettext(module):
    for error, message in raised(MODULES[module]):
        if error in ("UnknownStep", "AttributeError") or is_translated(message):
            continue
        if isinstance(message, ast.Call) and message.func.id in translating(MODULES[module]):
            continue
        whole = message.values if isinstance(message, ast.JoinedStr) else [message]
        parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in whole]
        assert "".join(parts) in FOR_AUTHORS


@pytest.mark.parametrize("module", MODULES)
def test_a_message_is_a_literal_with_places_and_the_values_are_given_by_name(module):
    for node in ast.walk(MODULES[module]):
        if is_translated(node):
            (message,) = node.args
            assert isinstance(message, ast.Constant) and isinstance(message.value, str), ast.unparse(node)
            given = {keyword.arg: None for keyword in node.keywords}
            places = {name.rstrip("]").split("!")[0] for name in _places(message.value)}
            assert places == given.keys(), message.value


@pytest.mark.parametrize("module", MODULES)
def test_a_plural_is_two_literals_with_the_same_places(module):
    for node in ast.walk(MODULES[module]):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "plural":
            one, many, _n = node.args
            given = {"n", *(keyword.arg for keyword in node.keywords)}
            assert set(_places(one.value)) <= set(_places(many.value)) == given, one.value


def _places(message):
    return [name for _text, name, _format, _conversion in Formatter().parse(message) if name]


def test_glosses_pass_through_gettext():
    calls = [node for tree in MODULES.values() for node in ast.walk(tree) if isinstance(node, ast.Call)]
    steps = [node.args for node in calls if getattr(node.func, "id", "") == "Step" and len(node.args) > 2]
    glosses = [args[2] for args in steps if not isinstance(args[1], ast.Starred)]
    made = [gloss for gloss in glosses if not isinstance(gloss, (ast.Name, ast.Starred))]  # others are given to it
    assert len(made) > 30 and all(is_translated(gloss) or ast.unparse(gloss) == "''" for gloss in made)


def test_whatever_a_question_says_passes_through_gettext():
    for module in [module for module in MODULES if module.startswith("exercises.")]:
        for item in ast.walk(MODULES[module]):
            if isinstance(item, ast.Call) and getattr(item.func, "id", "") == "Item":
                question, _answer, why, mistakes, hints = item.args
                assert all(map(is_translated, [question, why, *mistakes.keys, *hints.elts])), ast.unparse(item)
                assert mistakes.keys and len(hints.elts) == 3


def test_the_words_of_a_view_pass_through_gettext():
    for module in [module for module in MODULES if module.startswith("views.")]:
        for function in ast.walk(MODULES[module]):
            if isinstance(function, ast.FunctionDef) and function.name == "words":
                for words in [node for node in ast.walk(function) if isinstance(node, ast.Dict)]:
                    assert all(is_translated(it) or isinstance(it, ast.Name) for it in words.values), module


def test_braces_in_a_value_do_no_harm_to_a_message():
    with pytest.raises(ValueError, match=r"\{x\}"):
        tm.encode("{x}")
    with pytest.raises(tm.UnknownStep, match=r"\{0\}"):
        tm.run("o")["{0}"]


# ---- where it can be read


def test_every_text_file_is_utf_8():
    for file in ROOT.rglob("*"):
        if file.suffix in (".py", ".js", ".css", ".json", ".md", ".po"):
            text = file.read_bytes().decode("utf-8")
            assert "\ufeff" not in text and "\ufffd" not in text and "\r" not in text, file


def test_no_file_is_opened_without_naming_its_encoding():
    for module, tree in MODULES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in (
                "open",
                "read_text",
                "write_text",
            ):
                assert any(keyword.arg == "encoding" for keyword in node.keywords), (module, ast.unparse(node))


@pytest.mark.parametrize(
    "what", ["t", "t.tokens", "tm.table(t, 'logits')", "tm.explain(t, 'probs', (4, 6))", "t.vocab"]
)
def test_tokens_print_in_a_terminal_that_knows_unicode(what):
    code = f"import toymodel as tm; t = tm.run('o gato subiu no'); print({what})"
    done = run_python(code, PYTHONIOENCODING="utf-8")
    assert done.returncode == 0 and "␣no" in done.stdout.decode("utf-8")


def test_a_message_reaches_a_terminal_that_knows_no_unicode():
    done = run_python("import toymodel as tm; tm.encode('xyz')", PYTHONIOENCODING="cp1252")
    assert done.stderr.decode("cp1252").splitlines()[-1].startswith("ValueError: `xyz` is not in the vocabulary")


def test_the_code_under_discussion_is_shown_as_it_stands():
    source = tm.source(tm.attention)
    assert str(source).startswith("def attention(step, x, n_heads, causal, memory=None):")
    assert source._repr_markdown_() == f"```python\n{source}\n```" and repr(source) == str(source)
