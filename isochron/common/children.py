# SPDX-License-Identifier: BSD-3-Clause
"""Child processes: their Python, their home, and the check that a path can be passed to all of them.

A results folder may come from another person: a `pandas.py` in it must not be executed.
"""

import os
import pwd
import re
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from isochron.common.files import FileError

#: Environment of every Python child: UTF-8 whatever the locale, and the working folder is not on the module path.
PYTHON_ENVIRONMENT = {"PYTHONUTF8": "1", "PYTHONSAFEPATH": "1"}


def python(*args: str) -> list[str]:
    """Return the command line of a Python child: `python("-m", "isochron.postprocess", "ingest", folder)`."""
    return [sys.executable, "-P", "-X", "utf8", *args]


def captured(command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command and return its exit code and printed text. `options` and errors: those of `subprocess.run`."""
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False, **options)


def wait_for(child: subprocess.Popen[bytes], seconds: float) -> int | None:
    """Return the exit code of a child as soon as it has ended, and None after so many seconds.

    `Popen.wait` with a limit looks 20 times a second; the kernel (5.3 and newer) tells.
    """
    if child.poll() is None:
        try:
            descriptor = os.pidfd_open(child.pid)
        except OSError:
            time.sleep(seconds)
            return child.poll()
        try:
            watched = select.poll()
            watched.register(descriptor, select.POLLIN)
            watched.poll(seconds * 1000)
        finally:
            os.close(descriptor)
    return child.poll()


#: Characters that a path must not contain, because it would be split: by shells, by ReFrame (which starts no job below
#: a folder with a blank), by make, by compiler wrappers, and in LD_PRELOAD.
UNQUOTABLE = re.compile(r"[^\w./,+=@%:~-]")


def refuse_unquotable(path: Path, setting: str) -> None:
    """Raise FileError for a folder that cannot be passed to every child. `setting`: what the user changes instead."""
    match = UNQUOTABLE.search(str(path))
    if match:
        raise FileError(
            f"{setting} {path}: {match[0]!r} in the path cannot be passed to every scheduler, shell "
            "and compiler; choose a path of letters, digits and -_.,+=@%/:"
        )


def give_home() -> None:
    """Set HOME from the user database if it is unset, as in cron jobs."""
    if not os.environ.get("HOME"):
        with suppress(KeyError):
            os.environ["HOME"] = pwd.getpwuid(os.geteuid()).pw_dir


def refuse_no_home() -> None:
    """Raise FileError if HOME is unset: the compiler wrapper of Open MPI 5 fails without it."""
    if not os.environ.get("HOME"):
        raise FileError(
            f"HOME is not set, and the user database has no user {os.geteuid()}; set HOME to a folder "
            "of yours, because compilers and launchers of MPI libraries need it"
        )
