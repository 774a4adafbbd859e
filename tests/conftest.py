"""Files that take long are run first: else one process would still be busy with one when the others have finished."""

import signal

FOLDERS = ["browser", "course", "notebooks", "views"]  # those of the others take seconds


# In the background, Ctrl-C is ignored, and programs that the tests start would ignore it, too.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config):
    config.option.loadscopereorder = False  # xdist would begin with files of many tests, and those are short ones


def pytest_collection_modifyitems(items):
    places = {name: k for k, name in enumerate(FOLDERS)}
    items.sort(key=lambda item: places.get(item.path.parent.name, len(FOLDERS)))
