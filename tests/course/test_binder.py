"""What Binder would build, without building it: repo2docker writes the Dockerfile, and this reads it."""

import contextlib
import json
import os
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pin_binder import image

COURSE = Path(__file__).parents[2]
BINDER = COURSE / "binder"
TARGET = {"python_version": "3.12", "python_full_version": "3.12.12", "sys_platform": "linux", "os_name": "posix"}
TARGET |= {"platform_system": "Linux", "platform_machine": "x86_64", "platform_python_implementation": "CPython"}
LINES = [line.split("#")[0].strip() for line in (BINDER / "requirements.txt").read_text("utf-8").splitlines()]
LINES = [line for line in LINES if line]
PINS = dict(line.split("==") for line in LINES if "==" in line)
pytestmark = pytest.mark.skipif(os.name == "nt", reason="repo2docker and what it builds are at home on Linux")


def wanted(file):
    """The requirements in a file of ours."""
    lines = (COURSE / file).read_text(encoding="utf-8").splitlines()
    return [Requirement(line.split("#")[0]) for line in lines if line.split("#")[0].strip()]


@pytest.fixture(scope="module")
def build():
    """The build pack that repo2docker picks for the course, and the Dockerfile it writes."""
    from repo2docker.app import Repo2Docker

    binder = Repo2Docker(platform="linux/amd64")
    with contextlib.chdir(COURSE):
        packs = (pack(base_image=binder.base_image) for pack in binder.buildpacks)
        pack = next(pack for pack in packs if pack.detect())
        pack.platform = binder.platform
        return pack, pack.render({"NB_UID": "1000"})


def test_the_python_build_pack_takes_python_3_12(build):
    pack, dockerfile = build
    assert type(pack).__name__ == "PythonBuildPack"
    assert pack.python_version == "3.12"
    assert re.search("environment.*3.*12.*lock", dockerfile)


def test_the_pins_are_installed_before_the_course_is_copied_and_only_then(build):
    """Then a commit that changes no pin is built from what is there, in seconds."""
    _, dockerfile = build
    steps = re.findall("^(?:COPY .*src/|RUN .*pip install|RUN .*postBuild).*", dockerfile, re.MULTILINE)
    assert [re.sub(r"^(\S+) .*?(\S+)$", r"\1 \2", line) for line in steps] == [
        "COPY ${REPO_DIR}/binder/requirements.txt",
        'RUN "binder/requirements.txt"',
        "COPY ${REPO_DIR}/",
        "RUN binder/postBuild",
        "RUN ./binder/postBuild",
    ]


def test_pins_are_exact_flat_and_one_for_each_package():
    for line in LINES:
        assert re.fullmatch(r"[a-z\d-]+==\d[\w.]*", line), line
    assert len(PINS) == len(LINES)


def test_pins_satisfy_what_the_course_asks_for():
    for requirement in wanted("requirements.txt"):
        pinned = PINS[requirement.name]
        assert requirement.specifier.contains(pinned), f"{requirement} is pinned to {pinned}"


def test_only_nbval_and_pytest_come_along_of_all_test_tools():
    ours = {requirement.name for requirement in wanted("tests/requirements.txt")}
    # The image's JupyterLab brings these three.
    assert not (ours - {"nbclient", "nbformat", "setuptools"}) & PINS.keys()


def test_what_the_image_brings_is_left_as_it_is():
    """Above all jupyterlab and ipywidgets: the image's notebook and jupyterhub were made to go with them."""
    brought = image()
    assert {"jupyterlab", "notebook", "ipywidgets", "jupyter-server", "jupyter-core", "tornado"} <= brought.keys()
    assert not {f"{name}=={brought[name]}" for name in PINS.keys() & brought.keys()} - set(LINES)
    assert len(PINS.keys() - brought.keys()) < 20


def known(name, pinned):
    """What a package asks for, if the environment in use has it at that version."""
    try:
        return [Requirement(line) for line in distribution(name).requires or []] if version(name) == pinned else []
    except PackageNotFoundError:
        return []


def test_whatever_a_pinned_package_needs_is_pinned():
    """As far as can be told from the packages at hand; tests/try_binder.py installs them and knows."""
    asked = [(name, need) for name, pinned in PINS.items() for need in known(name, pinned)]
    asked = [(name, need) for name, need in asked if not need.marker or need.marker.evaluate({**TARGET, "extra": ""})]
    assert len(asked) > 10
    for name, need in asked:
        pinned = PINS.get(canonicalize_name(need.name))
        assert pinned and need.specifier.contains(pinned), f"{name} needs {need}, and the pin is {pinned}"


def test_idle_kernels_are_culled(tmp_path):
    """What postBuild does, done to a folder: the server that reads it there culls, even when a tab is open."""
    (tmp_path / "etc/jupyter").mkdir(parents=True)
    variables = os.environ | {"NB_PYTHON_PREFIX": str(tmp_path), "JUPYTER_CONFIG_PATH": str(tmp_path / "etc/jupyter")}
    subprocess.run([BINDER / "postBuild"], cwd=COURSE, env=variables, check=True)
    command = [sys.executable, "-m", "jupyter_server", "--show-config-json"]
    shown = json.loads(subprocess.check_output(command, cwd=tmp_path, env=variables))
    assert shown["MappingKernelManager"] == {"cull_idle_timeout": 1200, "cull_interval": 60, "cull_connected": True}
