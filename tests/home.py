# SPDX-License-Identifier: BSD-3-Clause
"""A home folder whose Open MPI leaves out a transport that no machine of the tests has.

Open MPI closes `btl/ofi` with `sleep(1)` where it finds no such network: as it starts (5.0) or as it ends (4.1), in
every launch, and a second of waiting for each launch is minutes of `make test`. Files in a home folder reach the
launches of campaigns too, which take no MPI settings over from the environment.
"""

from __future__ import annotations

import os
from pathlib import Path

SETTINGS = "btl = ^ofi\n"


def at_home() -> dict[str, str]:
    """The variables that make it a program's home, in a call of pytest; the user's cache stays where it is."""
    if "ISOCHRON_TEST_TEMPORARY" not in os.environ:
        return {}
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(os.environ["ISOCHRON_TEST_TEMPORARY"], "home")
    settings = folder / ".openmpi" / "mca-params.conf"
    if not settings.exists():
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(SETTINGS)
    return {"HOME": str(folder), "XDG_CACHE_HOME": cache}
