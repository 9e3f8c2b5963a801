# SPDX-License-Identifier: BSD-3-Clause
"""Where the user's cache is, and who else could put something there."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from isochron.common import cache
from isochron.common.cache import (
    SHARED,
    make_folder,
    refuse_unwritable_home,
    refuse_writable_by_others,
    strict_umask,
    user_cache,
)
from isochron.common.files import FileError


def test_the_cache_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert user_cache("stacks") == Path("/elsewhere/isochron/stacks")
    monkeypatch.setenv("HOME", str(tmp_path))
    for unset in ("", "relative/to/what"):
        monkeypatch.setenv("XDG_CACHE_HOME", unset)
        assert user_cache("stacks") == tmp_path / ".cache" / "isochron" / "stacks"


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_number: int) -> object:
        raise KeyError

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(FileError, match=r"no home folder.*set HOME or XDG_CACHE_HOME"):
        user_cache("stacks")


def test_a_cache_that_compilers_cannot_be_handed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/else where")
    with pytest.raises(FileError, match=r"XDG_CACHE_HOME.*/else where: ' ' in the path cannot be passed to every"):
        user_cache("stacks")


@pytest.mark.parametrize("home", ["/dev/null", "/proc"])
def test_a_home_that_cannot_be_written_is_told_before_anything_begins(
    home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even root can make a folder there."""
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", home)
    with pytest.raises(FileError, match=f"{home}/.cache: .*set XDG_CACHE_HOME to a writable folder"):
        refuse_unwritable_home()


def test_a_home_that_is_read_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    refuse_unwritable_home()
    monkeypatch.setattr(cache.os, "access", lambda *_: False)
    with pytest.raises(FileError, match=f"{tmp_path}: .* it is read-only, or belongs to another user; set XDG"):
        refuse_unwritable_home()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_folders_of_the_cache_are_the_users_own_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        make_folder(tmp_path / "one" / "two")
        assert strict_umask() == 0o022
        os.umask(0o077)
        make_folder(tmp_path / "three")
        assert strict_umask() == 0o077
        assert os.umask(0o077) == 0o077, "asking for it has changed it"
    finally:
        os.umask(before)
    assert [mode(tmp_path / name) for name in ("one", "one/two", "three")] == [0o755, 0o755, 0o700]


@pytest.mark.parametrize(("bits", "who"), [(0o777, "everybody"), (0o775, "the group 12345")])
def test_what_others_can_write_is_refused_unless_asked_for(
    bits: int, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def writable(path: str) -> None:
        refuse_writable_by_others(
            Path(path), os.stat_result((0o040000 | bits, 1, 1, 2, os.geteuid(), 12345, 0, 0, 0, 0))
        )

    monkeypatch.delenv(SHARED, raising=False)
    with pytest.raises(FileError, match=f"/c: can be written by {who},.*{SHARED}=yes"):
        writable("/c")
    monkeypatch.setenv(SHARED, "yes")
    writable("/c")


def test_a_cache_of_another_user_is_refused_and_one_of_root_is_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    owner = tmp_path.stat().st_uid
    monkeypatch.setattr(cache.os, "geteuid", lambda: owner + 1)
    status = os.stat_result((0o040755, 1, 1, 2, 0, 0, 0, 0, 0, 0))
    refuse_writable_by_others(tmp_path, status)
    theirs = os.stat_result((0o040755, 1, 1, 2, owner + 2, 0, 0, 0, 0, 0))
    with pytest.raises(FileError, match=f"can be written by its owner, user {owner + 2}"):
        refuse_writable_by_others(tmp_path, theirs)


@pytest.mark.parametrize(("name", "members", "private"), [("me", [], True), ("me", ["you"], False), ("us", [], False)])
def test_the_users_private_group_is_nobody_else(
    name: str, members: list[str], private: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Many systems give each user such a group, and a umask of 002."""
    monkeypatch.setattr(pwd, "getpwuid", lambda _: SimpleNamespace(pw_name="me", pw_gid=4711))
    monkeypatch.setattr(grp, "getgrgid", lambda _: SimpleNamespace(gr_name=name, gr_mem=members))
    status = os.stat_result((0o040775, 1, 1, 2, os.geteuid(), 4711, 0, 0, 0, 0))
    if private:
        refuse_writable_by_others(tmp_path, status)
    else:
        with pytest.raises(FileError, match="can be written by the group 4711"):
            refuse_writable_by_others(tmp_path, status)
