"""Write binder/requirements.txt anew: exact pins of all that requirements.txt asks for. It needs uv and a network.

    python tests/pin_binder.py

What Binder's image brings keeps the version it has there: nothing is installed twice, and its server stays whole.
"""

import re
import subprocess
import tempfile
from importlib.resources import files
from pathlib import Path

COURSE = Path(__file__).resolve().parents[1]
PINS = COURSE / "binder/requirements.txt"
HEAD = """\
# What Binder installs: exact versions of all that requirements.txt asks for and all that this needs in turn.
# Written by `python tests/pin_binder.py`; flat, because with `-r` every commit would install everything again.

"""
BRINGS = """
# What Binder's image brings, at the versions it has there: pip finds these in place and leaves the server as it is.

"""
WHY = {
    "coverage": "nbval imports it",
    "iniconfig": "for pytest",
    "narwhals": "for plotly",
    "nbval": "an instructor can compare every output there too",
    "pluggy": "for pytest",
    "psygnal": "for anywidget",
    "pytest": "for nbval",
}


def image(python="3.12"):
    """What Binder's image brings, by the names PyPI has for it: {name: version}."""
    lock = files("repo2docker.buildpacks.conda") / f"environment.py-{python}-linux-64.lock"
    package = r"/([^/\s]+)-(\d[\d.]*(?:post\d+)?)-[^-/\s]+\.(?:conda|tar\.bz2)"
    found = re.findall(package, lock.read_text(encoding="utf-8"))
    # conda splits some packages, and puts a word before the names of two.
    renamed = {re.sub("^python-(?=fastjson|tzdata)|-core$|-base$", "", name): version for name, version in found}
    return {name.replace("_", "-").strip("-"): version for name, version in renamed.items()}


def resolve(constraints):
    """The versions that uv picks for Binder's Python and system: {name: version}."""
    with tempfile.TemporaryDirectory() as folder:
        limits = Path(folder, "image.txt")
        limits.write_text("".join(f"{name}=={version}\n" for name, version in constraints.items()), encoding="utf-8")
        target = "--python-version 3.12 --python-platform x86_64-manylinux_2_28 --no-header --no-annotate --quiet"
        command = ["uv", "pip", "compile", *target.split(), "-c", str(limits), str(COURSE / "requirements.txt")]
        return dict(re.findall(r"^([\w.-]+)==(\S+)", subprocess.check_output(command, encoding="utf-8"), re.MULTILINE))


def main():
    brought = image()
    pins = resolve(brought)
    new = [f"{f'{n}=={v}':<24}# {WHY[n]}" if n in WHY else f"{n}=={v}" for n, v in pins.items() if n not in brought]
    old = [f"{name}=={version}" for name, version in pins.items() if name in brought]
    text = HEAD + "\n".join(new) + "\n" + BRINGS + "\n".join(old) + "\n"
    PINS.write_text(text, encoding="utf-8", newline="\n")
    print(f"{len(new)} packages to install, {len(old)} that are there")


if __name__ == "__main__":
    main()
