"""JupyterLab as a reader meets it: a server on a copy of the course, and a browser that reaches nothing else."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import nbformat
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, sync_playwright

COURSE = Path(__file__).parents[2]
VIEW = ".jp-OutputArea-output .tm-view"
LOOKS = {"light": {}, "dark": {"theme": "dark"}, "narrow": {"width": 700}}  # narrow: 332 px for a view
SETUP = 'import sys; sys.path[:0] = [".", ".."]\nimport toymodel as tm'  # the first cell of a notebook
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}

SERVER = (
    "--no-browser --allow-root --IdentityProvider.token= --ServerApp.port_retries=0 "
    "--LabApp.expose_app_in_browser=True --JupyterNotebookApp.expose_app_in_browser=True"
)
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True},
    "notebook-extension/tracker": {"windowingMode": "none"},  # the page holds every cell, not only those in sight
}
# Browsers by the names of their programs, and those that Playwright finds where Windows and macOS keep them.
PROGRAMS, CHANNELS = ("chromium", "chromium-browser", "google-chrome", "microsoft-edge"), ("chrome", "msedge")
BROWSER = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)
CONTRAST, LINKS = "color-contrast", "link-in-text-block"  # axe-core's rules about colours
NOWHERE = "http://127.0.0.1:9"  # a proxy that is not there


class NoBrowser(Exception):
    """No Chromium, Chrome or Edge starts on this computer."""


class Lab:
    """A running JupyterLab. `faults` lists what its pages wrote as an error or asked of any other place, in vain."""

    def __init__(self, address, course, browser):
        self.address, self.course, self.faults = address, course, []
        self.context = browser.new_context(reduced_motion="reduce")
        self.context.on("request", lambda request: self._asked(request.url))
        self.context.on("console", lambda message: message.type == "error" and self.faults.append(message.text))
        self.context.on("weberror", lambda error: self.faults.append(str(error.error)))

    def _asked(self, url):
        if not url.replace("ws://", "http://").startswith((self.address + "/", "data:", "blob:")):
            self.faults.append(f"asked for {url}")

    def write(self, name, *cells):
        """Put a notebook of these code cells beside the lessons."""
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        cells = [nbformat.v4.new_code_cell(source) for source in cells]
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), self.course / "notebooks" / name)
        return name

    @cached_property
    def page(self):
        """JupyterLab, loaded once: that takes longer than most tests."""
        page = self.context.new_page()
        page.on("websocket", lambda websocket: self._asked(websocket.url))
        page.goto(f"{self.address}/lab")
        page.wait_for_function("window.jupyterapp")
        page.evaluate("jupyterapp.restored")
        # JupyterLab's body has no height: axe-core would take all of it for hidden, and no colour for too pale.
        page.add_style_tag(content="body { height: 100vh }")
        return page

    @contextmanager
    def lesson(self, name):
        """A notebook, opened as it is stored: nothing is run yet. Nothing of it is left afterwards."""
        lesson = Lesson(self.page)
        try:
            lesson.look()
            lesson.command("docmanager:open", path=f"notebooks/{name}", factory="Notebook")
            lesson.wait_until_ready()
            yield lesson
        finally:
            self.clear()

    def clear(self):
        """Close what is open and stop every kernel, those of other pages as well."""
        self.page.evaluate(
            """async () => {
                const { shell, serviceManager } = jupyterapp;
                for (const it of [...shell.widgets("main")]) it.dispose();
                await serviceManager.sessions.shutdownAll();
                await serviceManager.kernels.shutdownAll();
            }"""
        )


class Lesson:
    """A notebook in its page."""

    def __init__(self, page):
        self.page = page
        self.views = page.locator(VIEW)

    def wait_until_ready(self):
        """Wait until the notebook is drawn and its kernel idle: a command that comes sooner is lost."""
        self.page.wait_for_function(
            """() => {
                const notebook = window.jupyterapp?.shell.currentWidget;
                const session = notebook?.sessionContext;
                return notebook?.context?.isReady && session.isReady && session.session?.kernel?.status === "idle";
            }"""
        )
        self.page.evaluate("Promise.all([jupyterapp.restored, jupyterapp.shell.currentWidget.revealed])")

    def command(self, name, **arguments):
        """Carry out a command of JupyterLab, to its end."""
        self.page.evaluate(
            """([name, given]) => {
                window.done = false;
                jupyterapp.commands.execute(name, given).then(() => (window.done = true));
            }""",
            [name, arguments],
        )
        self.page.wait_for_function("window.done", timeout=120_000)  # `evaluate` would wait for ever

    def run_all(self):
        self.command("notebook:run-all-cells")

    def run(self, k):
        """Run one cell."""
        self.page.evaluate("k => (jupyterapp.shell.currentWidget.content.activeCellIndex = k)", k)
        self.command("notebook:run-cell")

    def cell(self, k):
        return self.page.locator(".jp-Notebook .jp-Cell").nth(k)

    def outputs(self):
        """For each cell its tags and its outputs, as JupyterLab would save them."""
        cells = self.page.evaluate("jupyterapp.shell.currentWidget.content.model.toJSON().cells")
        return [(cell["metadata"].get("tags", []), cell.get("outputs", [])) for cell in cells]

    def notebook(self):
        """What JupyterLab's own keys would change: which cell is active, and each cell's source and count of runs."""
        return self.page.evaluate(
            """() => {
                const { activeCellIndex, model } = jupyterapp.shell.currentWidget.content;
                const { cells } = model.toJSON();
                return [activeCellIndex, cells.map((it) => [it.cell_type, it.source, it.execution_count])];
            }"""
        )

    def ask(self, expression):
        """The value of a Python expression in the kernel, as text."""
        return self.page.evaluate(
            """async (it) => {
                const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
                const reply = await kernel.requestExecute({ code: "", user_expressions: { it } }).done;
                return reply.content.user_expressions.it.data["text/plain"];
            }""",
            expression,
        )

    def look(self, theme="light", width=1280, height=1600):
        """Set the theme and the window's size."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.command("apputils:change-theme", theme=THEMES[theme])
        self.page.locator(f"body[data-jp-theme-name='{THEMES[theme]}']").wait_for(state="attached")

    @contextmanager
    def room_for(self, view):
        """The whole view in sight, however high."""
        size = self.page.viewport_size
        view.wait_for()  # it has no height before it is drawn
        height = view.evaluate("it => it.offsetHeight")
        self.page.set_viewport_size(size | {"height": 400 + height})
        view.scroll_into_view_if_needed()
        try:
            yield
        finally:
            self.page.set_viewport_size(size)

    def photograph(self, view, folder, name):
        """A picture of the whole view, if somebody wants to look at it: then there is a folder."""
        if folder:
            with self.room_for(view):
                view.screenshot(path=folder / name)

    def untidy(self):
        """What sticks out of a view, and what moves in it by itself though the reader's system asks for none."""
        return [fault for view in self.views.all() for fault in view.evaluate(UNTIDY)]

    def violations(self, view=None):
        """What axe-core finds wrong in all views; or in this one, with its colours, which it judges only in sight.

        In the dark, nothing but colours: names and roles are those of the light.
        """
        self.page.evaluate("document.querySelectorAll('.looked-at').forEach((it) => it.classList.remove('looked-at'))")
        (view or self.views).evaluate_all("all => all.forEach((it) => it.classList.add('looked-at'))")
        if not view:
            return self.axe([LINKS] if self.is_dark() else None, {CONTRAST: {"enabled": False}})
        view.evaluate(ALIKE)  # to judge the colours of one text takes axe-core some 10 ms
        with self.room_for(view):
            return self.axe([CONTRAST, LINKS] if self.is_dark() else None, {})

    def is_dark(self):
        return self.page.locator(f"body[data-jp-theme-name='{THEMES['dark']}']").count() == 1

    def axe(self, only, rules):
        """What these rules of axe-core find wrong, all if there is no list; `rules` are its settings for some."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(Axe().axe_script)
            self.page.evaluate("id => axe.configure({ rules: [{ id, selector: ':not(.alike)' }] })", CONTRAST)
        options = {"resultTypes": ["violations"], "preload": False, "rules": rules}
        if only:
            options["runOnly"] = only
        found = self.page.evaluate("async (it) => (await axe.run('.looked-at', it)).violations", options)
        return [f"{rule['id']}: {node['html']}" for rule in found for node in rule["nodes"]]


# Texts that look like one before them: in the same place of an element's kind, in the same colours, shaded as deeply.
ALIKE = """view => {
    const seen = new Set();
    const look = (it) => {
        const { color, backgroundColor, opacity, fontSize, fontWeight } = getComputedStyle(it);
        const shade = backgroundColor.replace(/0?\\.\\d+\\)/, (alpha) => `${parseFloat(alpha).toFixed(1)})`);
        return [it.localName, it.getAttribute("class"), color, shade, opacity, fontSize, fontWeight].join();
    };
    const looks = (it) => (it === view ? "" : `${looks(it.parentElement)} > ${look(it)}`);
    for (const it of view.querySelectorAll("*")) {
        if (![...it.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim())) continue;
        const how = looks(it);
        it.classList.toggle("alike", seen.has(how));
        seen.add(how);
    }
}"""
UNTIDY = """async (view) => {
    const drawn = () => new Promise(requestAnimationFrame);
    await drawn(); // in a window of another size, what is drawn by its width is drawn anew
    await drawn();
    const moves = (it) => {
        const { transitionDuration, animationName } = getComputedStyle(it);
        return transitionDuration !== "0s" || animationName !== "none";
    };
    const moving = [...view.querySelectorAll("*")].filter(moves).map((it) => `moves: ${it.outerHTML}`);
    const out = view.scrollWidth - view.clientWidth;
    return out ? [...moving, `sticks out by ${out} px`] : moving;
}"""


def soon(look, wanted, patience=30):
    """Assert that `look()` gives what is wanted, at once or within so many seconds."""
    deadline = time.monotonic() + patience
    while (seen := look()) != wanted and time.monotonic() < deadline:
        time.sleep(0.01)
    assert seen == wanted


@contextmanager
def running_lab(home):
    """A Lab that keeps its files and settings in the folder `home`. Raises NoBrowser."""
    with sync_playwright() as playwright:
        browser = start_browser(playwright.chromium, home)
        try:
            with running_server(home) as (address, course):
                yield Lab(address, course, browser)
        finally:
            browser.close()


def start_browser(chromium, home):
    """The first browser of this computer that starts, with a profile of its own and no way to the network."""
    programs = [{"executable_path": path} for path in map(shutil.which, PROGRAMS) if path]
    offline = {"server": NOWHERE, "bypass": "127.0.0.1"}
    for where in [*programs, *({"channel": name} for name in CHANNELS)]:
        try:
            return chromium.launch(**where, args=BROWSER.split(), env=environment(home), proxy=offline)
        except Error as error:
            reason = error
    raise NoBrowser("there is no Chromium, Chrome or Edge on this computer that starts") from reason


@contextmanager
def running_server(home):
    """JupyterLab on a copy of the course: its address, and the folder of the copy."""
    course = shutil.copytree(COURSE, home / "course", ignore=shutil.ignore_patterns(".*", "__pycache__"))
    for name, settings in SETTINGS.items():
        file = home / "settings/@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(settings), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command, address = [sys.executable, "-m", "jupyterlab", *SERVER.split()], f"http://127.0.0.1:{port}"
    log = home / "server.log"
    with log.open("w", encoding="utf-8") as file:
        server = subprocess.Popen(
            [*command, f"--port={port}"], cwd=course, env=environment(home), stdout=file, stderr=file
        )
    try:
        wait_for_answer(server, f"{address}/api", log)
        yield address, course
    finally:
        server.terminate()
        with suppress(subprocess.TimeoutExpired):  # it shuts its kernels down first
            server.wait(60)
        server.kill()


def wait_for_answer(server, address, log, patience=300):
    fetch, deadline = build_opener(ProxyHandler({})).open, time.monotonic() + patience
    while True:
        try:
            return fetch(address).close()
        except OSError:
            assert server.poll() is None and time.monotonic() < deadline, log.read_text(encoding="utf-8")
            time.sleep(0.1)


def environment(home):
    """The variables without the settings of whoever runs the tests, and without a way to the network."""
    theirs = ("JUPYTER", "IPYTHON", "PYTHON", "XDG_", "HTTP", "http", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(theirs)}
    folders = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTERLAB_SETTINGS_DIR": "settings"}
    places = {"HOME": home, **{name: home / folder for name, folder in folders.items()}}
    proxies = {"http_proxy": NOWHERE, "https_proxy": NOWHERE, "no_proxy": "127.0.0.1,localhost"}
    return kept | {name: str(place) for name, place in places.items()} | proxies
