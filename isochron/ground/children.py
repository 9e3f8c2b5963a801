# SPDX-License-Identifier: BSD-3-Clause
"""Python as a child process: the one that runs now, which imports nothing from where it is started.

A results folder may come from somebody else: a `pandas.py` that lies in it must not be executed.
"""

from __future__ import annotations

import sys

#: Environment of every Python child: UTF-8 whatever the locale, and the working folder is not on the module path.
PYTHON_ENVIRONMENT = {"PYTHONUTF8": "1", "PYTHONSAFEPATH": "1"}


def python(*words: str) -> list[str]:
    """The command line of a Python child: `python("-m", "isochron.postprocess", "ingest", folder)`."""
    return [sys.executable, "-P", "-X", "utf8", *words]
