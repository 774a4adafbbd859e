"""Set up the course and start it. Nothing but Python 3.11 or newer is needed.

    python3 course.py                   set up (once), then open the lessons in JupyterLab
    python3 course.py open [...]        the same; what follows goes to JupyterLab (--no-browser, say)
    python3 course.py test [...]        run every test; what follows goes to pytest
    python3 course.py refresh [...]     run the notebooks again and store what they show
    python3 course.py links [ADDRESS]   write the public address, https://github.com/who/what, into every link to it;
                                        without one, the address of git's origin
    python3 course.py --help            show this text

On Windows, write `py` for `python3`. Paths are read from the course's own folder.
"""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import venv
from pathlib import Path

try:
    import fcntl
except ImportError:  # on Windows
    import msvcrt

# No older Python gets past `main`, yet every Python 3 has to read this file to say so: hence no newer syntax in it.
OLDEST, VERSION = (3, 11), "Python {}.{}".format(*sys.version_info)
HERE = Path(__file__).absolute().parent
VENV = HERE / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "course-stamp.txt"
LOCK = HERE / ".venv.lock"  # beside it, for a set-up empties the folder
LESSONS, TESTS = "requirements.txt", "tests/requirements.txt"
SETTINGS = HERE / "pyproject.toml"
# A repository's address, as a browser shows it or as git writes it.
ADDRESS = re.compile(
    r"(?:(?:https|ssh)://(?:[^/@]+@)?github\.com/|git@github\.com:)([\w-]+)/(\w[\w.-]*?)(?:\.git)?/?", re.ASCII
)

# Words in the message of what failed, and what they mean to you: the first line that fits is told.
NOT_FOR_PYTHON = "Some package is not made for {} on this machine. Try another Python.".format(VERSION)
MEANINGS = (
    ("no space left|quota exceeded|not enough space", "The disk is full: the course needs about 700 MB. Make room."),
    (
        "permission denied|not permitted|access is denied|used by another process",
        "The folder .venv cannot be written. Is JupyterLab still running from it, or is it active in this window? "
        "Then close or deactivate it. Is it someone else's? Then copy the course to a folder of your own.",
    ),
    ("read-only", "This folder is read-only. Copy the course to a folder of your own."),
    ("different python version", NOT_FOR_PYTHON),
    (
        "connection|failed to fetch|name resolution|getaddrinfo|timed out|proxy|certificate|versions: none",
        "The packages could not be fetched. Is this computer connected to the network?",
    ),
    ("no matching distribution|no solution found|failed to build|failed building", NOT_FOR_PYTHON),
    ("no such file", "A file is missing. Is this the whole course?"),
    ("", "The course could not be set up. This is what went wrong:"),
)


def main(arguments):
    """Do what the command line asks for."""
    if sys.version_info < OLDEST:
        sys.exit("The course needs Python 3.11 or newer, and this is {}.".format(VERSION))
    command, *rest = arguments or ["open"]
    if command in ("-h", "--help", "help"):
        print(__doc__.strip())
    elif command == "open":
        address = "/lab/tree/notebooks/" + first_notebook()
        set_up([LESSONS])
        # In a container one is often root, and JupyterLab refuses that unless it is told.
        options = ["--allow-root", "--ServerApp.root_dir=" + str(HERE), "--LabApp.default_url=" + address]
        run("-m", "jupyterlab", *options, *rest)
    elif command == "test":
        set_up([LESSONS, TESTS])
        compare_links()
        # Files run side by side, but each in one piece: the cells of a notebook share a kernel.
        run("-m", "pytest", "-n", "logical", "--maxprocesses", "4", "--dist", "loadfile", *rest)
    elif command == "refresh":
        set_up([LESSONS, TESTS])
        run("tests/refresh_notebooks.py", *rest)
    elif command == "links":
        move_links(*rest[:1] or [""])
    else:
        sys.exit("There is no command `{}`. Try `python3 course.py --help`.".format(command))


def set_up(files):
    """Make `.venv` with the packages that `files` ask for, unless it is there already."""
    if is_whole(files):
        return
    with LOCK.open("a") as lock:
        wait_for(lock)
        # Whoever had the lock may have made it.
        if not is_whole(files):
            make(files)


def make(files):
    """Make `.venv` anew, or add to it what the lessons' packages lack."""
    install, with_pip = installer()
    # JupyterLab may be running from what is whole for the lessons: that stays, and the tests' packages join it.
    anew = not is_whole([LESSONS]) or (with_pip and not works(PYTHON, "-m", "pip", "--version"))
    if anew:
        # While a program runs from it, Windows refuses to remove this file. Nothing else is lost then.
        PYTHON.unlink(missing_ok=True)
    print("Setting up (once, about a minute) ...", flush=True)
    try:
        if anew:
            venv.create(VENV, clear=True, symlinks=os.name != "nt", with_pip=with_pip)
        call(*install, *[word for name in files for word in ("-r", name)])
        # The stamp comes last: whatever an interruption leaves does not look whole.
        STAMP.write_text("\n".join(stamp(files)), encoding="utf-8")
    except BaseException:
        if anew:
            shutil.rmtree(VENV, ignore_errors=True)
        raise


def wait_for(lock):
    """Lock the file as soon as no other start holds it. Closing it frees it, and so does any end of its holder."""
    if not is_mine(lock):
        print("Another start is setting up the course. Waiting for it ...", flush=True)
        while not is_mine(lock):
            time.sleep(0.2)


def is_mine(lock):
    """Whether the file could be locked now."""
    try:
        if os.name == "nt":
            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        pass  # Some network drives have no locks. Two starts at once are rare: go on.
    return True


def stamp(files):
    """The lines that say what `.venv` was made from: this Python, in this place, with these packages."""
    packages = [name + " " + hashlib.sha256((HERE / name).read_bytes()).hexdigest() for name in files]
    return [VERSION, ascii(str(VENV)), *packages]


def is_whole(files):
    """Whether `.venv` was finished, is made from the same things as now, and still starts."""
    try:
        written = STAMP.read_text(encoding="utf-8").splitlines()
        version = call(PYTHON, "--version")
    except (OSError, ValueError, subprocess.CalledProcessError):
        return False
    # More lines than needed are welcome: an environment made for the tests serves the lessons too.
    return set(stamp(files)) <= set(written) and version.startswith(VERSION + ".")


def installer():
    """The command that fills `.venv`, and whether `.venv` needs a pip of its own for it."""
    uv = shutil.which("uv")
    if uv and works(uv, "--version"):
        # uv leaves the compiling for later by default, and the first lesson would wait for it.
        return [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", PYTHON], False
    pip_install = ["install", "--quiet", "--disable-pip-version-check"]
    try:
        # Debian ships ensurepip apart from Python; an empty folder left of it passes a plain import.
        from ensurepip import bootstrap  # noqa: F401

        return [PYTHON, "-m", "pip", *pip_install], True
    except ImportError:
        pass
    if works(sys.executable, "-m", "pip", "--version"):
        return [sys.executable, "-m", "pip", "--python", PYTHON, *pip_install], False
    sys.exit(
        "This Python cannot install packages. Install its venv module (on Debian and Ubuntu: "
        "sudo apt install python3-venv) or uv (docs.astral.sh/uv), then run this again."
    )


def works(*command):
    """Whether a command is there and ends well."""
    try:
        call(*command)
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def call(*command):
    """Run a command quietly and return what it printed; the error raised when it fails carries that too."""
    return subprocess.check_output(
        command, cwd=HERE, env=environment(), stderr=subprocess.STDOUT, encoding="utf-8", errors="replace"
    )


def run(*arguments):
    """Run a program of the environment, in sight, and end with its exit code."""
    command = [str(PYTHON), *arguments]
    if os.name != "nt":
        # This process becomes that program: what ends one, a signal or a closed terminal, ends the other.
        os.chdir(str(HERE))
        os.execve(command[0], command, environment())
    # Windows cannot do that. Ctrl-C and a closed window reach both; the program knows how to end in good order.
    signal.signal(signal.SIGINT, lambda *_: None)
    sys.exit(subprocess.call(command, cwd=str(HERE), env=environment()))


def stop(number, _frame):
    """End as a signal asks, with the exit code that it has in a shell, but tidy up on the way."""
    sys.exit(128 + number)


def environment():
    """The variables as activating `.venv` leaves them, without those that mix another Python's packages in."""
    variables = {k: v for k, v in os.environ.items() if k not in ("PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP")}
    variables["VIRTUAL_ENV"] = str(VENV)
    variables["PATH"] = str(PYTHON.parent) + os.pathsep + variables.get("PATH", "")
    return variables


def move_links(address):
    """Write the course's public address into every link to it, and last into pyproject.toml, where it is read from."""
    new = ADDRESS.fullmatch(address or origin())
    if not new and address:
        sys.exit("`{}` is not a repository's address, such as https://github.com/who/what.".format(address))
    if not new:
        sys.exit(
            "For this folder, git knows no origin on github.com. "
            "Give the address: `python3 course.py links https://github.com/who/what`."
        )
    if not address:
        print("https://github.com/{}/{}, from git's origin:".format(*new.groups()))
    # In some links the slashes are written %2F. Who and what must be whole words.
    link = re.compile(r"(/|%2F){}(/|%2F){}(?![\w-])".format(*map(re.escape, linked())))
    for path in [HERE / "README.md", *sorted((HERE / "notebooks").glob("*.ipynb")), SETTINGS]:
        text, number = link.subn(r"\g<1>{}\g<2>{}".format(*new.groups()), path.read_text(encoding="utf-8"))
        if number:
            path.write_text(text, encoding="utf-8", newline="\n")
            print("{}: {} {}".format(path.relative_to(HERE), number, "link" if number == 1 else "links"))


def compare_links():
    """Say so if the links open another repository than the one that git has the course from."""
    ours = ADDRESS.fullmatch(origin())
    if ours and "/".join(ours.groups()).lower() != "/".join(linked()).lower():
        print(
            "The links of the course open {}/{}, and git's origin is {}/{}. In a fork that is as it should be; "
            "if the course has moved, `python3 course.py links` moves its links.".format(*linked(), *ours.groups()),
            flush=True,
        )


def linked():
    """Who and what in the one address that all links are to have; a test finds those that have another."""
    return re.search('Repository = "https://github.com/(.+)/(.+)"', SETTINGS.read_text(encoding="utf-8")).groups()


def origin():
    """The address that git has the course from, or nothing."""
    # For a folder that is no clone, git would answer with one around it; macOS, without a git, would offer to get it.
    if not (HERE / ".git").exists():
        return ""
    try:
        return call("git", "remote", "get-url", "origin").strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def first_notebook():
    """The file name of the notebook to begin with."""
    names = sorted(path.name for path in (HERE / "notebooks").glob("*.ipynb"))
    if not names:
        sys.exit("There is no notebook in the folder notebooks. Is this the whole course?")
    return "00_start_here.ipynb" if "00_start_here.ipynb" in names else names[0]


def explained(error):
    """What went wrong, in a sentence, and below it the last lines of the message that said so."""
    message = getattr(error, "output", None) or str(error)
    if isinstance(message, bytes):
        message = message.decode(errors="replace")
    sentence = next(s for pattern, s in MEANINGS if re.search(pattern, message, re.IGNORECASE))
    # A traceback inside it, which these lines leave out, is of no help to a learner.
    lines = [line[:200] for line in message.splitlines() if not re.match("Traceback|  File|    |$", line)]
    return "\n    ".join([sentence, *lines[-5:]])


if __name__ == "__main__":
    # Told to end, it stops a set-up as Ctrl-C does, with the installer that is at work. (Windows has no SIGHUP.)
    for number in {signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}:
        if signal.getsignal(number) == signal.SIG_DFL:  # nohup has it ignored
            signal.signal(number, stop)
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit("Stopped. Nothing is broken: the next start sets up what is missing.")
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(explained(error))
