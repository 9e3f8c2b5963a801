# SPDX-License-Identifier: BSD-3-Clause
"""The user's cache: where it is, and whether anybody else could have put something there that we would execute."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from contextlib import suppress
from pathlib import Path

from isochron.common.children import refuse_no_home, refuse_unquotable
from isochron.common.files import FileError

#: Environment variable by which a person says that whoever can write to the cache is trusted.
SHARED = "ISOCHRON_SHARED_CACHE"


def user_cache(kind: str) -> Path:
    """`isochron/<kind>` in the user's cache folder (XDG_CACHE_HOME, else ~/.cache). Raises FileError without a home."""
    given = Path(os.environ.get("XDG_CACHE_HOME") or "")
    if not given.is_absolute():
        given = _home() / ".cache"
    refuse_unquotable(given, "the user's cache (XDG_CACHE_HOME)")
    return given / "isochron" / kind


def _home() -> Path:
    try:
        home = Path.home()
    except RuntimeError:
        home = Path()
    if not home.is_absolute():
        raise FileError("there is no home folder for the cache of stacks and engines; set HOME or XDG_CACHE_HOME")
    return home


def make_folder(folder: Path) -> None:
    """Make a folder of the cache, and those above it, in which others cannot write. Raises OSError."""
    for each in (*reversed(folder.parents), folder):
        if not each.is_dir():
            with suppress(FileExistsError):  # another process was first
                each.mkdir(mode=0o755)


def refuse_unwritable_home() -> None:
    """Raise FileError without a home, or where nothing can be written in the user's cache folder.

    Snakemake and pip need both, too.
    """
    refuse_no_home()
    folder = user_cache("stacks").parents[1]
    try:
        make_folder(folder)
        why = "" if os.access(folder, os.W_OK | os.X_OK) else "it is read-only, or belongs to another user"
    except OSError as error:
        why = error.strerror or str(error)
    if why:
        raise FileError(f"{folder}: the user's cache cannot be written: {why}; set XDG_CACHE_HOME to a folder that can")


def strict_umask() -> int:
    """The umask of this process, and what is made under it cannot be written by others either."""
    kept = os.umask(0o077)
    os.umask(kept)
    return kept | 0o022


def refuse_writable_by_others(path: Path, status: os.stat_result | None = None) -> None:
    """Raise FileError where others than the user and root can write a file or folder of the cache.

    A person may ask for such a cache by ISOCHRON_SHARED_CACHE=yes. Raises OSError where there is no such path.
    """
    others = _others(status or path.stat())
    if others and os.environ.get(SHARED) != "yes":
        raise FileError(
            f"{path}: can be written by {others}, so what is in it is not executed; take that right away "
            f"(chmod -R go-w), set XDG_CACHE_HOME to a folder of your own, or {SHARED}=yes where you trust them"
        )


def _others(status: os.stat_result) -> str:
    """Who else can write: `its owner, user 1000`, `everybody`, `the group staff`; empty where nobody can."""
    if status.st_uid not in (0, os.geteuid()):
        return f"its owner, user {status.st_uid}"
    if status.st_mode & stat.S_IWOTH:
        return "everybody"
    return f"the group {status.st_gid}" if status.st_mode & stat.S_IWGRP and not _is_private(status.st_gid) else ""


def _is_private(group: int) -> bool:
    """Whether the group is the user's own: the one of the user's name, with nobody else in it."""
    try:
        user, members = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return user.pw_gid == group and members.gr_name == user.pw_name and set(members.gr_mem) <= {user.pw_name}
