"""Do what Binder does, as far as that goes without it: install the pins, run every lesson, and measure.

    python tests/try_binder.py

It needs Linux, a Python 3.12 and a network, and takes one to three minutes. The exit code is 1 if something fails.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, Request, build_opener

from jupyter_client import BlockingKernelClient
from steadiness import NOTEBOOKS, compare_on, copy_course, find_python

COURSE = Path(__file__).resolve().parents[1]
TOKEN = "trying"
OPEN = 4  # lessons that a student has open at once
KERNEL, ALL = 130, 1024  # MB: the aim for a kernel, and what Binder gives for sure


def main():
    python = find_python("3.12")
    if python is None or not Path("/proc").exists():
        sys.exit("This needs Linux and a Python 3.12: Binder's pins could not be tried.")
    with tempfile.TemporaryDirectory() as folder:
        environment, course = Path(folder, "environment"), copy_course(Path(folder, "course"))
        shutil.copytree(COURSE / "binder", course / "binder")
        install(python, environment, course)
        print(f"{'':28}", *(f"{path.stem[:8]:8}" for path in NOTEBOOKS))
        same = compare_on("as it is", "Binder's pins", environment / "bin/python", course)
        with server(environment, course) as (address, process, log):
            peaks, total = open_lessons(address, process, course)
            culls = re.search("Culling kernels with idle durations.*", log.read_text(encoding="utf-8"))
    heaviest = max(peaks, key=peaks.get)
    print(f"Kernel after the heaviest lesson, {heaviest}: {peaks[heaviest]:.0f} MB at its peak (aim: {KERNEL})")
    print(f"Server and {OPEN} lessons open: {total:.0f} MB (aim: {ALL})")
    print(f"{culls[0]} (with open tabs)" if culls else "The server does not cull idle kernels.")
    sys.exit(not (same and culls and peaks[heaviest] <= KERNEL and total <= ALL))


def install(python, environment, course):
    """The pins and nothing else, then the check that nothing is missing, then what postBuild does."""
    start = time.time()
    run = {"cwd": course, "check": True, "env": {**os.environ, "NB_PYTHON_PREFIX": str(environment)}}
    subprocess.run([python, "-m", "venv", environment], **run)
    pip = [environment / "bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--no-deps", "-r", "binder/requirements.txt"], **run)
    (environment / "etc/jupyter").mkdir(parents=True, exist_ok=True)
    subprocess.run([course / "binder/postBuild"], **run)
    size = sum(path.lstat().st_size for path in environment.rglob("*") if not path.is_dir()) / 1e6
    print(f"Installed in {time.time() - start:.0f} s: {size:.0f} MB (on Binder, the image has most of it already)")
    subprocess.run([*pip, "check"], **run)


@contextmanager
def server(environment, course):
    """A JupyterLab that reads only the settings of `environment`: its address, its process and its log."""
    log = course / "log.txt"
    settings = {"JUPYTER_RUNTIME_DIR": str(course / "runtime"), "JUPYTER_CONFIG_DIR": str(course)}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = ["--no-browser", "--allow-root", f"--ServerApp.port={port}", f"--IdentityProvider.token={TOKEN}"]
    with log.open("w", encoding="utf-8") as output:
        command = [environment / "bin/python", "-m", "jupyterlab", *options]
        process = subprocess.Popen(command, cwd=course, env={**os.environ, **settings}, stdout=output, stderr=output)
    try:
        address = f"http://127.0.0.1:{port}/"
        wait_for(lambda: ask(address, "api/status"), URLError)
        yield address, process, log
    finally:
        process.terminate()
        process.wait(timeout=30)


def open_lessons(address, process, course):
    """Run each lesson in a kernel of the server: each one's peak in MB, and the total with the heaviest four open."""
    peaks, opened = {}, []
    names = [path.name for path in NOTEBOOKS]
    for name in names + names * (OPEN - len(names)):  # with fewer than four lessons, some are opened twice
        kernel = ask(address, "api/kernels", {"name": "python3", "path": "notebooks"})["id"]
        run_lesson(course / "runtime" / f"kernel-{kernel}.json", course / "notebooks" / name)
        pid = next(pid for pid in children(process.pid) if kernel in Path(f"/proc/{pid}/cmdline").read_text())
        peaks[name] = max(memory(pid, "status", "VmHWM"), peaks.get(name, 0))
        opened.append((peaks[name], kernel))
        if len(opened) > OPEN:
            opened.sort()
            ask(address, f"api/kernels/{opened.pop(0)[1]}", method="DELETE")
    # What they share counts once, as it does in a container.
    return peaks, sum(memory(pid, "smaps_rollup", "Pss") for pid in [process.pid, *children(process.pid)])


def wait_for(action, failure, seconds=60):
    """Try every second until it does not fail."""
    for _ in range(seconds):
        try:
            return action()
        except failure:
            time.sleep(1)
    sys.exit("JupyterLab or a kernel did not start.")


def ask(address, path, body=None, method=None):
    data = json.dumps(body).encode() if body else None
    request = Request(address + path, data, {"Authorization": f"token {TOKEN}"}, method=method)
    return json.loads(build_opener(ProxyHandler({})).open(request, timeout=60).read() or "null")


def run_lesson(connection, path):
    """Run all code cells of a lesson in the kernel behind a connection file."""
    client = BlockingKernelClient(connection_file=str(connection))
    client.load_connection_file()
    client.start_channels()
    wait_for(lambda: client.wait_for_ready(timeout=60), RuntimeError)  # until its heart beats, it is taken for dead
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            reply = client.execute_interactive("".join(cell["source"]), timeout=120, output_hook=lambda message: None)
            assert reply["content"]["status"] == "ok", reply["content"]
    client.stop_channels()


def children(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def memory(pid, file, line):
    """A line of what Linux says about the memory of a process, in MB."""
    return int(re.search(rf"^{line}:\s+(\d+) kB", Path(f"/proc/{pid}/{file}").read_text(), re.MULTILINE)[1]) / 1024


if __name__ == "__main__":
    main()
