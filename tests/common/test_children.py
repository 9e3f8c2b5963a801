# SPDX-License-Identifier: BSD-3-Clause
"""Children: their home, and the wait for their end."""

from __future__ import annotations

import os
import pwd
import subprocess

import pytest

from isochron.cli.main import main
from isochron.common.cache import refuse_unwritable_home
from isochron.common.children import give_home, wait_for
from isochron.common.files import FileError


def unknown(_number: int) -> object:
    raise KeyError


@pytest.mark.parametrize("unset", [None, ""])
def test_children_of_cron_have_the_home_of_the_user(monkeypatch: pytest.MonkeyPatch, unset: str | None) -> None:
    if unset is None:
        monkeypatch.delenv("HOME", raising=False)
    else:
        monkeypatch.setenv("HOME", unset)
    assert main(["schema", "--list"]) == 0
    assert os.environ["HOME"] == pwd.getpwuid(os.geteuid()).pw_dir


def test_a_home_that_is_set_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/elsewhere")
    give_home()
    assert os.environ["HOME"] == "/elsewhere"


def test_who_has_none_is_told_before_anything_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/tmp")
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    give_home()
    with pytest.raises(
        FileError, match=r"HOME is not set, and the user database has no user \d+; set HOME to a folder"
    ):
        refuse_unwritable_home()


@pytest.mark.process
@pytest.mark.parametrize("old_kernel", [False, True])
def test_the_end_of_a_child_is_seen_with_its_code_and_a_limit_is_kept(
    monkeypatch: pytest.MonkeyPatch, old_kernel: bool
) -> None:
    if old_kernel:
        monkeypatch.setattr(os, "pidfd_open", lambda _: os.open("/no/such", os.O_RDONLY))
    child = subprocess.Popen(["sh", "-c", "read line; exit 7"], stdin=subprocess.PIPE)
    assert wait_for(child, 0.01) is None
    child.communicate(b"go\n")
    assert wait_for(child, 0.01) == 7
    child = subprocess.Popen(["sh", "-c", "exit 3"])
    code = None
    while code is None:
        code = wait_for(child, 0.05)
    assert code == 3
