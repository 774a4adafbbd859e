"""Whether the notebooks show the same everywhere: refresh copies of them in many environments and compare.

    python tests/steadiness.py            every Python from 3.11 to 3.13 found here, each with the newest and the oldest
                                          packages that requirements.txt allows, as on two kinds of processor
    python tests/steadiness.py --quick    the environment in use, as on two kinds of processor

It prints a line for each environment, and in it, for each notebook, `same` or the first cell that differs from what is
stored. The exit code is 1 when anything differs, or nothing could be tried.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COURSE = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((COURSE / "notebooks").glob("*.ipynb"))
PYTHONS = ("3.11", "3.12", "3.13")
# Two kinds of processor, without and with fused multiply-add: OpenBLAS, with which numpy multiplies, and numpy's own
# functions compute as they do there. (What numpy must not use has other names since version 2.4.)
AVX512 = "AVX512F AVX512_SKX AVX512_ICL X86_V4"
CORES = {
    "Nehalem": {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": f"AVX2 FMA3 X86_V3 {AVX512}"},
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": AVX512},
}
if platform.machine() not in ("x86_64", "AMD64") or "OPENBLAS_CORETYPE" in os.environ:  # a choice made for this machine
    CORES = {"as it is": {}}
# course.py makes the environments, and knows what to say when it cannot.
SET_UP = """import course
try: course.set_up([course.LESSONS, course.TESTS])
except Exception as error: raise SystemExit(course.explained(error))"""


def main(arguments):
    print(f"{'':28}", *(f"{path.stem[:8]:8}" for path in NOTEBOOKS), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        if "--quick" in arguments:
            steady = [compare("as it is", sys.executable, copy_course(folder))]
        else:
            steady = [result for version in PYTHONS for result in try_out(version, folder)]
    if "as it is" in CORES:
        print("Kinds of processor could not be tried: this is no x86 one, or OPENBLAS_CORETYPE is set already.")
    return 0 if steady and all(steady) else 1


def try_out(version, folder):
    """Compare with the newest and the oldest packages; what cannot be tried is said, and yields nothing."""
    python = find_python(version)
    if python is None:
        print(f"Python {version} was not found: it could not be tried.")
        return
    for which in ("newest", "oldest"):
        course = copy_course(Path(folder, version + which))
        if problem := set_up(python, which, course):
            print(f"Python {version} with the {which} packages could not be tried. {problem}")
            continue
        inside = course / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        yield compare(f"Python {version} {which}", inside, course)
        shutil.rmtree(course)


def set_up(python, which, folder):
    """Make the environment of a copied course; a sentence if that cannot be done."""
    if which == "oldest":
        requirements = folder / "requirements.txt"
        oldest = re.sub(r">=([\d.]+),<[\d.]+", r"==\1", requirements.read_text(encoding="utf-8"))
        requirements.write_text(oldest, encoding="utf-8")
    made = subprocess.run([python, "-c", SET_UP], cwd=folder, capture_output=True, encoding="utf-8", errors="replace")
    return made.returncode and (made.stderr.splitlines() or ["It was stopped."])[0]


def find_python(version):
    """A Python of that version, on the PATH or kept by pyenv."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for python in [shutil.which(f"python{version}"), *sorted(kept.glob(f"{version}.*/bin/python"))]:
        if python and subprocess.run([python, "--version"], capture_output=True).stdout.decode().split()[1:]:
            return python
    return None


def copy_course(folder):
    """What refreshing needs, in a folder of its own. No test tools: `tests/requirements.txt` stays empty there."""
    folder = Path(folder)
    leftovers = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    for name in ("toymodel", "notebooks"):
        shutil.copytree(COURSE / name, folder / name, ignore=leftovers)
    (folder / "tests").mkdir()
    (folder / "tests/requirements.txt").touch()
    for name in ("course.py", "requirements.txt", "tests/refresh_notebooks.py"):
        shutil.copy(COURSE / name, folder / name)
    return folder


def compare(name, python, folder):
    """Print how the notebooks turn out in one environment; true if nothing differs."""
    found = [compare_on(core, name, python, folder) for core in CORES]
    return all(found)


def compare_on(core, name, python, folder):
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        found = list(pool.map(lambda path: refreshed(path, core, python, folder), NOTEBOOKS))
    print(f"{name + ', ' + core:28}", *(f"{result:8}" for result, _ in found), flush=True)
    print("".join(message for _, message in found), end="")
    return all(result == "same" for result, _ in found)


def refreshed(path, core, python, folder):
    """Refresh the copy of a notebook: `same` or where it differs, and an error's last line."""
    copy = folder / "notebooks" / path.name
    shutil.copy(path, copy)
    variables = os.environ | CORES.get(core, {})
    command = [python, "tests/refresh_notebooks.py", copy]
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode:
        return "fails", f"    {path.stem}: {done.stderr.strip().splitlines()[-1]}\n"
    return difference(path.read_bytes(), copy.read_bytes()), ""


def difference(stored, now):
    """`same`, or the first cell that is not, or `form` when only the file around the cells differs."""
    if stored == now:
        return "same"
    pairs = zip(json.loads(stored)["cells"], json.loads(now)["cells"], strict=True)
    return next((cell["id"] for cell, other in pairs if cell != other), "form")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
