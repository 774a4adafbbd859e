"""Which language the course speaks: the one that it names, whatever the computer is set to."""

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import toymodel as tm

ROOT = Path(tm.__file__).parent
SETTINGS = dict.fromkeys(("LANG", "LC_ALL", "LC_MESSAGES"), "pt_BR.UTF-8") | {"LANGUAGE": "pt_BR:pt"}
# A gloss, made when the package is imported, and a message and a part of it, made when they are needed.
WORDS = {
    "The row of W_E for each token.": "A linha de W_E para cada token.",
    "{some} or {last}": "{some} ou {last}",
    "{name} must be {allowed}, not {it!r}.": "{name} tem de ser {allowed}, não {it!r}.",
}
ASK = """
import toymodel as tm
print(tm.path(tm.run("o")).loc["embed", "what it is"])
try:
    tm.run("o", causal=5)
except ValueError as error:
    print(error)
"""


def compiled(words):
    """A catalogue as msgfmt compiles it: a head, two tables of lengths and places, the texts (GNU gettext, 10.3)."""
    words = {"": "Content-Type: text/plain; charset=UTF-8\n", **words}
    texts = [text.encode() for text in [*sorted(words), *(words[it] for it in sorted(words))]]
    places, at = [], 28 + 8 * len(texts)
    for text in texts:
        places += [len(text), at]
        at += len(text) + 1
    n = len(words)
    return struct.pack(f"<7I{len(places)}I", 0x950412DE, 0, n, 28, 28 + 8 * n, 0, 0, *places) + b"\0".join(
        [*texts, b""]
    )


@pytest.fixture(params=["pt", "pt_BR"])
def course(tmp_path, request):
    """A copy of the package that has a second language."""
    copy = shutil.copytree(ROOT, tmp_path / "toymodel", ignore=shutil.ignore_patterns("__pycache__"))
    catalogue = copy / "locale" / request.param / "LC_MESSAGES" / "toymodel.mo"
    catalogue.parent.mkdir(parents=True)
    catalogue.write_bytes(compiled(WORDS))
    return copy


def says(course):
    environment = {**os.environ, **SETTINGS, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", ASK], capture_output=True, cwd=course.parent, env=environment, check=True
    )
    return done.stdout.decode("utf-8").splitlines()


def test_the_settings_of_the_computer_change_no_word(course):
    assert says(course) == ["The row of W_E for each token.", "causal must be True or False, not 5."]


def test_the_language_that_the_course_names_is_spoken(course):
    file = course / "language.py"
    text = file.read_text(encoding="utf-8")
    assert text.count('LANGUAGE = "en"\n') == 1
    language = next(course.glob("locale/*")).name
    file.write_text(text.replace('LANGUAGE = "en"\n', f'LANGUAGE = "{language}"\n'), encoding="utf-8")
    assert says(course) == ["A linha de W_E para cada token.", "causal tem de ser True ou False, não 5."]
