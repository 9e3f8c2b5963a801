# SPDX-License-Identifier: BSD-3-Clause
"""Every stored file of a finished run with bits changed, cut, empty or deleted: who reads it refuses it by its name, or
says what was said before.

The seeds are fixed: a damage is found again by its file and number. What `isochron run` heals: test_damage.py.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from isochron.cli.main import main
from isochron.cli.results import export as export_module
from isochron.cli.results import report as report_module
from isochron.common.copies import copy_of, sealed_by
from isochron.postprocess.__main__ import main as postprocess
from isochron.postprocess.analysis import analyse
from isochron.schemas.run.layout import RunLayout
from tests.faults.damage import AT_ONCE, flipped
from tests.faults.finished import finished_run
from tests.postprocess.in_process import postprocess_in_this_process

__all__ = ["postprocess_in_this_process"]

pytestmark = pytest.mark.heavy

RUNS = ("20260504T080000Z-0001", "20260505T080000Z-0002")
#: When a feed was written.
TIME = re.compile(rb"<updated>[^<]*")


@dataclass(frozen=True)
class Reader:
    """A command. `made`: where its results lie; none: they are printed. `flips`: changed bits of each file.

    `parts`: its sweep over all files is as many tests, of minutes each.
    """

    words: tuple[str, ...]
    made: tuple[str, ...] = ()
    flips: int = 30
    parts: int = 1


OF_RUN = f"results/synthetic/{RUNS[1]}"
READERS = {
    "compare": Reader(("compare", "synthetic", "--format", "json"), parts=4),
    "history": Reader(("history", "synthetic", "--format", "json"), parts=4),
    "json": Reader(("export", "synthetic", "--json", "--output", "exported"), ("exported",)),
    "junit": Reader(("export", "synthetic", "--junit", "--output", "exported"), ("exported",)),
    "publish": Reader(("publish", "site", "results", "--reports", "1"), ("site/**/*",), parts=8),
    "report": Reader(("report", "synthetic"), (f"{OF_RUN}/tables/*", f"{OF_RUN}/report/*"), 3, 16),  # seconds each
}


class Opened:
    """Which files are opened while it listens: what is in others can have no effect."""

    def __init__(self) -> None:
        self.names: set[str] | None = None
        sys.addaudithook(self._hear)

    def _hear(self, event: str, words: tuple[object, ...]) -> None:
        if self.names is not None and event == "open":
            self.names.add(str(words[0]))


OPENED = Opened()


@dataclass(frozen=True)
class Said:
    """What a command printed or wrote, by file, and its messages. `refused`: it has failed."""

    results: dict[str, bytes]
    messages: str
    refused: bool


@dataclass(frozen=True)
class TwoRuns:
    """A folder with `results` of two finished runs, in which commands are called; the second run is damaged."""

    folder: Path
    capsys: pytest.CaptureFixture[str]

    @property
    def run(self) -> RunLayout:
        return RunLayout(self.folder / OF_RUN)

    def said(self, reader: Reader) -> Said:
        """Call a command, without what earlier calls have left."""
        for name in ("results/.cache", "site"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        (self.folder / "exported").unlink(missing_ok=True)
        code = main(list(reader.words))
        printed, messages = self.capsys.readouterr()
        assert "Traceback" not in messages
        files = [path for pattern in reader.made for path in sorted(self.folder.glob(pattern)) if path.is_file()]
        results = {str(path.relative_to(self.folder)): TIME.sub(b"", path.read_bytes()) for path in files}
        return Said(results if reader.made else {"": printed.encode()}, messages, code != 0)

    def opened(self, reader: Reader) -> set[Path]:
        """The files of the run that a command opens, as far as Python knows: Parquet is opened by a library."""
        OPENED.names = set()
        self.said(reader)
        names, OPENED.names = OPENED.names, None
        paths = [self.folder / name for name in names]
        return {path.relative_to(self.run.root) for path in paths if path.is_relative_to(self.run.root)}


@pytest.fixture
def two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    postprocess_in_this_process: None,
) -> TwoRuns:  # fmt: skip
    """A folder whose commands do all in this process."""

    def run_postprocess(*words: str) -> bool:
        return postprocess(list(words)) == 0

    def make_report(run: RunLayout) -> Iterator[tuple[str, str]]:
        code, errors = postprocess(["report", str(run.root)]), capsys.readouterr().err
        yield "report", errors.strip() if code else ""

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    monkeypatch.setattr(analyse, "catalogue", lambda *_: iter(()))  # drawing is most of the time of a report
    monkeypatch.setattr(export_module, "run_postprocess", run_postprocess)
    monkeypatch.setattr(report_module, "make_report", make_report)
    return TwoRuns(tmp_path.resolve(), capsys)


Damage = Callable[[bytes], bytes]


def damages(name: Path, flips: int) -> Iterator[tuple[str, Damage | None]]:
    """The damages of a file by their names; None: it is deleted. Of one that is not opened (no flips) only that."""
    draw = random.Random(str(name))

    def flip(content: bytes) -> bytes:
        return flipped(content, draw.randrange(8 * len(content)) if content else 0)

    yield "deleted", None
    if flips:
        yield "empty", lambda _: b""
        yield "cut", lambda content: content[: draw.randrange(len(content))] if content else b""
        yield from ((f"flip {number}", flip) for number in range(flips))


def strike(path: Path, damage: Damage | None) -> None:
    path.chmod(0o644)
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage(path.read_bytes()))


def problem(struck: Sequence[Path], said: Said, sound: Said) -> str:
    """What is wrong with what a command says of the damaged run; empty if nothing."""
    names = {(sealed_by(path) if copy_of(sealed_by(path)) == path else path).name for path in struck}
    told = any(name in said.messages for name in names)
    if said.refused:
        return "" if told else f"refused without its name: {said.messages}"
    if said.results == sound.results or (told and "is left out" in said.messages):
        return ""
    return f"says something else: {[name for name in sound.results if said.results.get(name) != sound.results[name]]}"


def problems(two: TwoRuns, name: str, flips: int, strikes: Sequence[Sequence[Path]]) -> Iterator[str]:
    """What is wrong with what a command says after each damage of each of these groups of files, struck at once."""
    reader, kept = READERS[name], two.folder / "kept"
    two.said(reader)
    opened, sound = two.opened(reader), two.said(reader)
    assert not sound.refused and not sound.messages
    assert all(text.strip() not in (b"", b"[]") for text in sound.results.values())
    shutil.copytree(two.run.root, kept)
    for files in strikes:
        read = any(path in opened or path.suffix == ".parquet" for path in files)
        for how, damage in damages(files[0], flips if read else 0):
            for path in files:
                strike(two.run.root / path, damage)
            wrong = problem(files, two.said(reader), sound)
            if wrong:
                yield f"{files[0]}, {how}: {name}: {wrong}"
            shutil.rmtree(two.run.root)
            shutil.copytree(kept, two.run.root)
    shutil.rmtree(kept)


def stored(run: RunLayout) -> list[Path]:
    return [path.relative_to(run.root) for path in sorted(run.root.rglob("*")) if path.is_file()]


def make(two: TwoRuns, runs: Sequence[str], *steps: str) -> None:
    for seed, run_id in enumerate(runs, start=1):
        finished_run(two.folder / "results" / "synthetic" / run_id, seed, *steps)
    two.capsys.readouterr()


def test_what_a_history_is_made_of(two: TwoRuns) -> None:
    """Candles, the hashes of the store, one sealed file with its copy; every file and command: `test_every_file`."""
    make(two, RUNS[1:], "ingest")
    assert all(row["in_candles"] for row in json.loads(two.said(READERS["history"]).results[""]))
    names = {"candles.parquet", "tables.sha256", "plan.json", ".plan.json.copy"}
    files = [path for path in stored(two.run) if path.name in names]
    assert len(files) == len(names)
    assert not list(problems(two, "history", 1, [[path] for path in files]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "part"), [(name, part) for name, reader in READERS.items() for part in range(reader.parts)]
)
def test_every_file(two: TwoRuns, name: str, part: int) -> None:
    """What a report makes anew is struck all at once."""
    make(two, RUNS, "ingest", "analyse", "render")
    files = stored(two.run)
    new = [path for path in files if path.parts[0] in (*AT_ONCE, "report")] if name == "report" else []
    strikes = [[path] for path in files if path not in new] + [new] * bool(new)
    reader = READERS[name]
    assert not list(problems(two, name, reader.flips, strikes[part :: reader.parts]))
