# SPDX-License-Identifier: BSD-3-Clause
"""What tests must not take over from where they are started.

A Spack on this machine is for the tests that mean it: elsewhere `stack_source: auto` would let it build MPI libraries.
A shell lets what it starts in the background ignore Ctrl-C, and so would every command that a test interrupts.
What a `make` hands down to another one is not meant for the engine's Makefile.
Here every engine is built with warnings as errors, those of campaigns too: so tests and campaigns share their engines.
What killed programs leave in the folder for temporary files could be in the way of later ones: it is a folder of this
call of pytest, and goes with it. The browser has the fonts of `tests.fonts`, whichever the machine has.
Each process computes with one thread, unless somebody wants more: pytest-xdist has a process for every core.
The processes of pytest write no file through to the disk, which no test of theirs needs: a busy disk holds up each of
hundreds of small files. Commands that tests start do write it through.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # is read when NumPy is loaded

from isochron.reframe_checks.stack.engine_cache import OUTER_MAKE
from isochron.spack_envs.spack_stack import locate
from tests import fonts, tiers
from tests.shared import Shared, shared_by

if TYPE_CHECKING:
    from playwright.sync_api import Browser

#: The folder for temporary files that this call of pytest has made.
TEMPORARY = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Heed Ctrl-C; take Spack out of the environment, and note where it is in ISOCHRON_TEST_SPACK.

    The garbage collector is that of `isochron.postprocess.__main__`: reports by a test then take a tenth less.
    """
    gc.set_threshold(50_000, 20, 20)
    pytest.MonkeyPatch().setattr(os, "fsync", lambda _descriptor: None)
    config.pluginmanager.register(tiers.Watch(), "quick tests start no process")
    for name, meaning in {**tiers.STARTS, **tiers.WHEN}.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if "ISOCHRON_TEST_TEMPORARY" not in os.environ:  # else a process of pytest-xdist
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
        config.stash[TEMPORARY] = os.environ["ISOCHRON_TEST_TEMPORARY"] = tempfile.mkdtemp(prefix="isochron-")
        fonts.pin(Path(os.environ["ISOCHRON_TEST_TEMPORARY"]))
    os.environ["TMPDIR"] = tempfile.tempdir = os.environ["ISOCHRON_TEST_TEMPORARY"]
    for name in OUTER_MAKE:
        os.environ.pop(name, None)
    os.environ["STRICT"] = "1"
    command = locate(None, os.environ)
    if command is None:
        return
    os.environ["ISOCHRON_TEST_SPACK"] = str(command.absolute())
    root = os.environ.pop("SPACK_ROOT", None)
    folders = os.environ["PATH"].split(os.pathsep)
    hidden = {str(command.parent), str(Path(root or command.parent.parent) / "bin")}
    os.environ["PATH"] = os.pathsep.join(
        folder for folder in folders if folder not in hidden or (Path(folder) / "env").exists()
    )


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folder for temporary files."""
    if TEMPORARY in config.stash:
        del os.environ["ISOCHRON_TEST_TEMPORARY"]
        shutil.rmtree(config.stash[TEMPORARY], ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks that follow from what a test uses, before any are chosen by `-m`."""
    tiers.add_marks(items)
    if hasattr(config, "workerinput"):  # a process of pytest-xdist
        tiers.order(items)


def pytest_collection_finish(session: pytest.Session) -> None:
    """A version of pytest-xdist that loses the groups is seen: every process would make all fixtures of a module.

    The thousands of tests and their modules stay until the end: the garbage collector need not go through them again
    and again.
    """
    gc.freeze()
    grouped = session.config.getoption("loadgroup", default=False)
    lost = [item for item in session.items if item.get_closest_marker("xdist_group") and "@" not in item.nodeid]
    if grouped and lost:
        raise pytest.UsageError(f"pytest-xdist does not keep {lost[0].nodeid} with its group; see pyproject.toml")


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    """Makes a folder once in a session: shared(name, make)."""
    return shared_by(tmp_path_factory)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of a module; see tests/browser.py."""
    from tests.browser import started

    with started() as found:
        yield found
