# SPDX-License-Identifier: BSD-3-Clause
"""Raw files as the engine writes them: no bit of one can be changed unnoticed, of the footer neither."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isochron.common.files import FileError
from isochron.schemas.run.launch_file import damage
from isochron.schemas.run.raw_file import checked_footer, footer_line
from isochron.schemas.run.tools import PrintoutHead, read_printout_file, write_printout
from tests.engine.candle.test_file import RECORDS, write

BODY = "".join(json.dumps(record) + "\n" for record in RECORDS).encode()


def flipped_everywhere(path: Path) -> list[tuple[int, int]]:
    """The bits (byte, bit) whose change is not noticed."""
    content, unnoticed = path.read_bytes(), []
    for at in range(len(content)):
        for bit in range(8):
            path.write_bytes(bytes([*content[:at], content[at] ^ 1 << bit, *content[at + 1 :]]))
            if not damage(path):
                unnoticed.append((at, bit))
    path.write_bytes(content)
    return unnoticed


def test_no_bit_of_a_file_is_changed_unnoticed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    body = BODY.splitlines(keepends=True)[1]
    path.write_bytes(body + footer_line(1, 7_400_000_000, body))
    assert checked_footer(path).elapsed_ns == 7_400_000_000
    assert flipped_everywhere(path) == []


def test_a_file_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    """Its checksum is of the records alone, so that its footer can be changed; a new one has both checksums never."""
    path = write(tmp_path / "a.jsonl", RECORDS)
    assert checked_footer(path).elapsed_ns == 1
    with pytest.raises(FileError, match="has not one checksum, file_crc32"):
        checked_footer(write(tmp_path / "b.jsonl", RECORDS, file_crc32="00000000"))


@pytest.mark.parametrize("added", [b',"elapsed_ns":3', b" ", b',"later":1'])
def test_nothing_comes_after_the_checksum(tmp_path: Path, added: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(BODY + footer_line(len(RECORDS), 1, BODY).replace(b'"}', b'"' + added + b"}"))
    assert "is not the last member" in damage(path)


def test_the_time_of_a_tool_is_covered(tmp_path: Path) -> None:
    path = tmp_path / "a.tool-output"
    head = PrintoutHead.model_construct(record="printout")
    write_printout(path, head, "line", 12)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"elapsed_ns":12', b'"elapsed_ns":13'))
    assert path.read_bytes() != whole
    assert "file_crc32" in damage(path)
    with pytest.raises(FileError):
        read_printout_file(path)
