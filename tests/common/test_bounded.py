# SPDX-License-Identifier: BSD-3-Clause
"""What unfolds without end is refused in one line: YAML by its aliases, compressed raw files by their sum."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from isochron.common import packed
from isochron.common.documents import MAX_DEPTH, MAX_NODES, read_yaml, yaml_text
from isochron.common.files import FileError
from isochron.common.hashing import content_sha256
from isochron.common.packed import lines_of, read_unpacked
from isochron.schemas.run.launch_file import damage, read_header, read_launch
from isochron.schemas.run.tools import read_printout_file
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.strict_yaml import read_strictly


def laughs(levels: int, line: str = "a{}: &a{} [{}]", alias: str = "*a{}") -> str:
    """Aliases of aliases: `levels` lines that stand for 9 to that power."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]" if "<<" not in line else "a0: &a0 {k: 1}"]
    lines += [line.format(n, n, ", ".join([alias.format(n - 1)] * 9)) for n in range(1, levels)]
    return "\n".join(lines) + "\n"


UNFOLDING = {
    "aliases of lists": (laughs(12), f"line 6.*more than {MAX_NODES} values with its aliases written out"),
    "merge keys": (laughs(12, "a{}: &a{} {{<<: [{}]}}"), f"more than {MAX_NODES} values"),
    "a list in itself": (
        "a: &a [1, *a]\n",
        "line 1, column 11: not valid YAML: an alias is inside the node that it refers to",
    ),
    "a mapping in itself": ("a: &a {b: {c: *a}}\n", "an alias is inside the node that it refers to"),
    "aliases nested": (
        "\n".join(["a0: &a0 1", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 2 * MAX_DEPTH))]),
        "nested too deeply: more than 50 levels",
    ),
    "lists nested": ("[" * 400_000, "nested too deeply: more than 50 levels"),
}


@pytest.mark.parametrize("read", [lambda path: read_yaml(path, ""), load_campaign], ids=["a file", "a campaign"])
@pytest.mark.parametrize(("text", "said"), UNFOLDING.values(), ids=UNFOLDING.keys())
def test_yaml_that_unfolds_is_refused(text: str, said: str, read: Callable[[Path], object], tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(FileError, match=said) as refused:
        read(tmp_path / "a.yaml")
    assert str(refused.value).startswith(f"{tmp_path / 'a.yaml'}: ") and "\n" not in str(refused.value)


def test_plain_aliases_and_merge_keys_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: &a {x: [1, 2]}\nb: [*a, *a]\nc: {<<: *a, y: 3}\n")
    expected = {"a": {"x": [1, 2]}, "b": [{"x": [1, 2]}] * 2, "c": {"x": [1, 2], "y": 3}}
    assert read_yaml(tmp_path / "a.yaml", "") == read_strictly(tmp_path / "a.yaml", "") == expected
    deep = "[" * (MAX_DEPTH - 1) + "1" + "]" * (MAX_DEPTH - 1)
    (tmp_path / "b.yaml").write_text(deep)
    assert str(read_yaml(tmp_path / "b.yaml", "")) == deep


@pytest.mark.parametrize("end", ["\n", "\r", "\x85", "\u2028", "\u2029", "\v", "\f", "\0"])
def test_no_line_of_a_heading_is_more_than_a_comment(end: str) -> None:
    text = yaml_text({"a": 1}, [f"made by x{end}hooks: {{on_complete: rm -rf /}}", "and more"])
    assert yaml.safe_load(text) == {"a": 1}
    assert [line for line in text.splitlines() if not line.startswith("#")] == ["a: 1"]


def bomb(path: Path, lines: int, length: int, end: bytes = b"\n") -> Path:
    """A small file that unfolds into lines of blanks."""
    line = b" " * (length - len(end)) + end
    with gzip.open(path, "wb", compresslevel=1) as stream:
        for _ in range(lines):
            stream.write(line)
    return path


READERS: dict[str, Callable[[Path], object]] = {
    "launch": read_launch,
    "header": read_header,
    "hash": content_sha256,
    "printout": read_printout_file,
    "damage": lambda path: _raised(damage(path)),
}


def _raised(said: str) -> None:
    raise FileError(said)


@pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())
def test_a_bomb_is_refused_before_it_fills_the_memory(
    read: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line of 100 MB in half a MB, where 10 MB are allowed."""
    path = bomb(tmp_path / "b001.jsonl.gz", 100, 1_000_000, end=b"")
    monkeypatch.setattr(packed, "LONGEST_LINE", 10_000_000)
    tracemalloc.start()
    try:
        with pytest.raises((FileError, OSError), match="not written by a launch") as refused:
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()
    assert str(path) in str(refused.value)


def test_lines_and_bytes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = bomb(tmp_path / "a.jsonl.gz", 100, 100)
    assert sum(map(len, lines_of(path))) == 10_000
    for name, bound in (("LONGEST_LINE", 99), ("MAX_LINES", 99), ("MAX_BYTES", 9_999)):
        with monkeypatch.context() as patch, pytest.raises(OSError, match="not written by a launch"):
            patch.setattr(packed, name, bound)
            list(lines_of(path))
    with pytest.raises(OSError, match="more than 9999 bytes"):
        read_unpacked(path, 9_999)
    assert zlib.crc32(read_unpacked(path)) == zlib.crc32(b"".join(lines_of(path)))
