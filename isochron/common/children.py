# SPDX-License-Identifier: BSD-3-Clause
"""What children need: a home, paths that each of them can be handed, and a Python that imports nothing from there.

A results folder may come from somebody else: a `pandas.py` that lies in it must not be executed.
"""

from __future__ import annotations

import os
import pwd
import re
import sys
from contextlib import suppress
from pathlib import Path

from isochron.common.files import FileError

#: Environment of every Python child: UTF-8 whatever the locale, and the working folder is not on the module path.
PYTHON_ENVIRONMENT = {"PYTHONUTF8": "1", "PYTHONSAFEPATH": "1"}


def python(*words: str) -> list[str]:
    """The command line of a Python child: `python("-m", "isochron.postprocess", "ingest", folder)`."""
    return [sys.executable, "-P", "-X", "utf8", *words]


#: What a path may not have, since it would be taken apart on the way: by shells, by ReFrame (it starts no job below a
#: folder with a blank), by make, by the wrappers of compilers, and in LD_PRELOAD.
UNQUOTABLE = re.compile(r"[^\w./,+=@%:~-]")


def refuse_unquotable(path: Path, given: str) -> None:
    """Raise FileError for a folder that not every child can be handed. `given`: how a person says another one."""
    bad = UNQUOTABLE.search(str(path))
    if bad:
        raise FileError(
            f"{given} {path}: {bad[0]!r} in the path cannot be handed to every scheduler, shell and compiler; take a "
            "path of letters, digits and -_.,+=@%/:"
        )


def give_home() -> None:
    """Let children have HOME, from the user database where it is not set, as in cron."""
    if not os.environ.get("HOME"):
        with suppress(KeyError):
            os.environ["HOME"] = pwd.getpwuid(os.geteuid()).pw_dir


def refuse_no_home() -> None:
    """Raise FileError where there is none: the compiler wrapper of Open MPI 5 ends without it."""
    if not os.environ.get("HOME"):
        raise FileError(
            f"HOME is not set, and the user database knows no user {os.geteuid()}; set it to a folder of yours, which "
            "compilers and launchers of MPI libraries need"
        )
