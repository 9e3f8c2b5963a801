# SPDX-License-Identifier: BSD-3-Clause
"""The user's cache: its path, and the check that no other user could have placed executable files there."""

import grp
import os
import pwd
import stat
from contextlib import suppress
from pathlib import Path

from isochron.common.children import refuse_no_home, refuse_unquotable
from isochron.common.files import FileError

#: Environment variable by which the user declares that everyone with write access to the cache is trusted.
SHARED = "ISOCHRON_SHARED_CACHE"


def user_cache(kind: str) -> Path:
    """Return `isochron/<kind>` in the user's cache (XDG_CACHE_HOME, else ~/.cache). Raises FileError without a home."""
    base = Path(os.environ.get("XDG_CACHE_HOME") or "")
    if not base.is_absolute():
        base = _home() / ".cache"
    refuse_unquotable(base, "the user's cache (XDG_CACHE_HOME)")
    return base / "isochron" / kind


def _home() -> Path:
    try:
        home = Path.home()
    except RuntimeError:
        home = Path()
    if not home.is_absolute():
        raise FileError("no home folder for the cache of stacks and engines; set HOME or XDG_CACHE_HOME")
    return home


def make_folder(folder: Path) -> None:
    """Create a folder of the cache and its parents, not writable by others. Raises OSError."""
    for path in (*reversed(folder.parents), folder):
        if not path.is_dir():
            with suppress(FileExistsError):  # another process was first
                path.mkdir(mode=0o755)


def refuse_unwritable_home() -> None:
    """Raise FileError if there is no home, or if the user's cache folder cannot be written.

    Snakemake and pip also need both.
    """
    refuse_no_home()
    folder = user_cache("stacks").parents[1]
    try:
        make_folder(folder)
        why = "" if os.access(folder, os.W_OK | os.X_OK) else "it is read-only, or belongs to another user"
    except OSError as error:
        why = error.strerror or str(error)
    if why:
        raise FileError(f"{folder}: the user's cache cannot be written: {why}; set XDG_CACHE_HOME to a writable folder")


def strict_umask() -> int:
    """Return the umask of this process, with write permission for group and others removed as well."""
    umask = os.umask(0o077)
    os.umask(umask)
    return umask | 0o022


def refuse_writable_by_others(path: Path, status: os.stat_result | None = None) -> None:
    """Raise FileError if anyone but the user and root can write a file or folder of the cache.

    ISOCHRON_SHARED_CACHE=yes permits such a cache. Raises OSError if the path does not exist.
    """
    writers = _writers(status or path.stat())
    if writers and os.environ.get(SHARED) != "yes":
        raise FileError(
            f"{path}: can be written by {writers}, so its files are not executed; remove that permission "
            f"(chmod -R go-w), set XDG_CACHE_HOME to a folder of yours, or {SHARED}=yes if you trust them"
        )


def _writers(status: os.stat_result) -> str:
    """Return name who else can write: `its owner, user 1000`, `everybody`, `the group 50`; empty if nobody can."""
    if status.st_uid not in (0, os.geteuid()):
        return f"its owner, user {status.st_uid}"
    if status.st_mode & stat.S_IWOTH:
        return "everybody"
    return f"the group {status.st_gid}" if status.st_mode & stat.S_IWGRP and not _is_private(status.st_gid) else ""


def _is_private(group: int) -> bool:
    """Return True if the group is private to the user: it has the user's name and no other member."""
    try:
        user, members = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return user.pw_gid == group and members.gr_name == user.pw_name and set(members.gr_mem) <= {user.pw_name}
