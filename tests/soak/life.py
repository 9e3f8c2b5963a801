# SPDX-License-Identifier: BSD-3-Clause
"""One life: a place with the tiny campaign on which faults fall, one after another, and what is known of it.

A fault acts on a life and then is over; `isochron run` must then complete without a hand.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import isochron
from isochron.schemas.run.launch_file import damage
from isochron.schemas.run.layout import RunLayout, run_folders
from tests.end_to_end.conftest import Place
from tests.soak.failure import SoakFailure, expect
from tests.soak.processes import kill_all
from tests.soak.shims.build import Shims

#: Seconds after which a call hangs: far beyond what a launch may take on a machine that is busy with other things.
PATIENCE = 400.0

#: What a traceback says of every line of ours that it goes through.
OURS = f'File "{Path(isochron.__path__[0])}/'

RUN = ("run", "mini.yaml", "--until", "store")


@dataclass
class Call:
    """A call of `isochron` under way, and the file with what it prints."""

    child: subprocess.Popen[bytes]
    said: Path

    @property
    def ended(self) -> bool:
        return self.child.poll() is not None


@dataclass
class Life:
    """A place, and what is remembered of it from one fault to the next."""

    place: Place
    scratch: Path  #: for what is not to lie on the life's own disk
    disk: Path | None  #: the mount point below the place, where there is one
    shims: Shims
    cache: Path  #: XDG_CACHE_HOME of its calls
    random: Random = field(default_factory=Random)
    diary: list[str] = field(default_factory=list)
    #: SHA-256 of each whole raw file that was seen accepted, by run and launch.
    known: dict[tuple[str, str], str] = field(default_factory=dict)
    #: Those among them that a fault has damaged: they may be measured again.
    touched: set[tuple[str, str]] = field(default_factory=set)
    #: Lies told to launches, by run, attempt and launch.
    lies: dict[tuple[str, int, str], str] = field(default_factory=dict)
    #: How often a second call was needed, rows by verdict, and the like.
    seen: Counter[str] = field(default_factory=Counter)
    calls: int = 0

    @property
    def room(self) -> Path:
        """The folder in which the place lies: the place itself may be moved, and what runs for it know its old name."""
        return self.place.folder.parent

    def note(self, what: str) -> None:
        """Add a line to the diary."""
        self.diary.append(what)

    def runs(self) -> list[RunLayout]:
        """Every run of the place, the oldest first."""
        return [RunLayout(folder) for folder in run_folders(self.place.folder / "results", "mini")]

    def start(self, *words: str, env: Mapping[str, str] | None = None) -> Call:
        """Start `isochron` as the leader of its own session."""
        self.calls += 1
        said = self.scratch / f"call-{self.calls:03d}.txt"
        with said.open("wb") as stream:
            child = subprocess.Popen(
                self.place.command(*words),
                cwd=self.place.folder,
                env={**os.environ, "XDG_CACHE_HOME": str(self.cache), **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.note(f"isochron {' '.join(words)}  > {said.name}")
        return Call(child, said)

    def end(self, call: Call) -> int:
        """Wait for the end of a call, and see that it spoke to people: returns its exit code."""
        try:
            code = call.child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            kill_all(self.room, call.child.pid)
            raise SoakFailure(f"{call.said}: the call has not ended in {PATIENCE:.0f} s") from None
        text = call.said.read_text(errors="replace")
        self.note(f"  ended with {code}: {' | '.join(text.strip().splitlines()[-2:])}")
        # Python says itself where it was interrupted before it came to our first line.
        crashed = "Traceback (most recent call last)" in text and OURS in text
        expect(not crashed, f"{call.said}: a traceback instead of one line:\n{text}")
        expect(code != 1 or text.strip(), f"{call.said}: the call failed and said nothing")
        return code

    def accepted(self) -> dict[tuple[str, str], str]:
        """SHA-256 of every raw file that lies in `launches/` and is whole."""
        return {
            (run.run_id, path.stem): hashlib.sha256(path.read_bytes()).hexdigest()
            for run in self.runs()
            for path in sorted(run.launches.glob("*.jsonl"))
            if not damage(path)
        }

    def remember(self) -> None:
        """What is accepted now must stay as it is."""
        for launch, digest in self.accepted().items():
            self.known.setdefault(launch, digest)

    def damaged_on_purpose(self) -> None:
        """What was known and has changed since `remember` was changed by a fault."""
        now = self.accepted()
        self.touched |= {launch for launch, digest in self.known.items() if now.get(launch) != digest}
