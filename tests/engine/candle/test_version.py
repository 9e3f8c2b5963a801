# SPDX-License-Identifier: BSD-3-Clause
"""The candle never changes unnoticed: what can change a time has a hash, which belongs to CANDLE_VERSION."""

import hashlib
import re

from tests.engine.support import ENGINE

#: Sources on the path of a message, and of what is timed.
TIMED = (
    "collectives.c",
    "datagrams.c",
    "datagrams.h",
    "kernels.c",
    "lanes.c",
    "lanes.h",
    "link.c",
    "link.h",
    "slice.c",
)

#: Of each version that was released, and of the present one: the hash of these sources without comments and blanks.
HASHES = {1: "f32cccb051900ddc", 2: "3412e934e25dc3b9"}


def test_a_change_of_what_is_timed_changes_the_version() -> None:
    """If no time can change, as with another name of a function, write the new hash here; otherwise a new version."""
    folder = ENGINE / "src" / "candle"
    version = re.search(r"CANDLE_VERSION = (\d+)", (folder / "kernels.h").read_text())
    assert version is not None
    text = "".join((folder / name).read_text() for name in TIMED)
    code = re.sub(r"\s+", "", re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
    assert hashlib.sha256(code.encode()).hexdigest()[:16] == HASHES[int(version[1])]
