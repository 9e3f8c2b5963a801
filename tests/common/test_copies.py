# SPDX-License-Identifier: BSD-3-Clause
"""Sealed files as they are read: the correct content of file and copy, or a refusal, whatever was damaged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from isochron.common.copies import copy_of, files_in, is_there
from isochron.common.files import FileError, read_bytes, read_lines, read_text
from isochron.common.sealed import heal, write_sealed
from isochron.schemas.run.state import BlockState

#: What a crash, a bad disk or a slip of the hand leaves of a file.
DAMAGE: dict[str, Callable[[Path], object]] = {
    "lost": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"0"),
    "not text": lambda path: path.write_bytes(b"\xff\xfe"),
}
TEXT = "confidence: 0.95\nstacks: 2\n"


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    write_sealed(tmp_path / "x.yaml", TEXT)
    return tmp_path / "x.yaml"


def flips(content: bytes) -> list[bytes]:
    """The content with one bit changed, for every byte of it."""
    return [bytes([*content[:at], content[at] ^ 1 << at % 8, *content[at + 1 :]]) for at in range(len(content))]


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_reader_gets_the_content_of_the_copy(sealed: Path, damage: Callable[[Path], object]) -> None:
    damage(sealed)
    assert read_bytes(sealed) == TEXT.encode()
    assert read_lines(sealed) == TEXT.splitlines()
    assert is_there(sealed)
    assert files_in(sealed.parent.parent, f"{sealed.parent.name}/*.yaml") == [sealed]


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_copy_has_no_effect(sealed: Path, damage: Callable[[Path], object]) -> None:
    damage(copy_of(sealed))
    assert read_bytes(sealed) == TEXT.encode()
    assert read_text(sealed, "") == TEXT


def test_no_bit_of_file_or_copy_has_an_effect(sealed: Path) -> None:
    for path in (sealed, copy_of(sealed)):
        whole = path.read_bytes()
        for content in flips(whole):
            path.write_bytes(content)
            assert read_bytes(sealed) == TEXT.encode()
        path.write_bytes(whole)


def test_a_file_and_a_copy_that_are_both_damaged_are_refused(sealed: Path) -> None:
    sealed.write_text(TEXT.replace("0.95", "0.85"))
    copy_of(sealed).write_bytes(copy_of(sealed).read_bytes()[:-1])
    before = sealed.read_bytes()
    with pytest.raises(OSError, match=r"its copy \.x\.yaml\.copy is damaged, too; restore one of them from a backup"):
        read_bytes(sealed)
    assert not heal(sealed)
    assert sealed.read_bytes() == before
    with pytest.raises(FileError, match=r"x\.yaml: cannot be read: damaged or lost, and its copy"):
        BlockState.load(sealed)


def test_a_sealed_file_that_a_person_edited_is_not_taken_for_a_new_one(sealed: Path) -> None:
    sealed.write_text(TEXT.replace("0.95", "0.85"))
    with pytest.raises(FileError, match=r"x\.yaml: differs from its copy .*copy the file to another folder"):
        read_text(sealed, "")
