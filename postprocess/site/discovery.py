# SPDX-License-Identifier: BSD-3-Clause
"""The campaigns and runs of folders of results, and what each is called in the site."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from isochron.common.copies import is_there
from isochron.common.files import FileError, read_bytes
from isochron.common.memory import is_want
from isochron.common.text import in_a_line
from isochron.postprocess.estimate.history_cache.cache import Archive, digest
from isochron.postprocess.ingest.inputs import load_inputs
from isochron.postprocess.site.record import LeftOut
from isochron.schemas.run.layout import ARCHIVE, RunLayout, run_folders
from isochron.schemas.run.state import RunState, settled

#: Characters of the longest reason that is told: a name in a damaged file may be as long as the file.
LONGEST = 300
#: The folders of an absolute path in a message; none of an address or of a part of a path.
PLACE = re.compile(r"(?<![\w.:/~-])~?/(?:[\w.+=@%-]+/)+")
#: Names of folders that become parts of addresses: nothing hidden, no separator. Folders may come from anybody.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+=-]{0,199}")


@dataclass(frozen=True)
class Run:
    """A run with its state. `digest`: what its values follow from; empty if it has no whole store.

    `problem`: why nothing can be said of it though it is complete; empty if it is not known to be so.
    """

    layout: RunLayout
    state: RunState
    digest: str
    problem: str = ""

    @property
    def run_id(self) -> str:
        """Its name."""
        return self.layout.run_id

    @property
    def counts(self) -> bool:
        """Return True if it is a part of the history: complete, with a store."""
        return self.state.state == "complete" and bool(self.digest) and not self.problem


@dataclass(frozen=True)
class Campaign:
    """A campaign of one folder of results. `label`: what the folder is called, if there are several.

    `unknown`: runs whose state cannot be read.
    """

    label: str
    results: Path
    name: str
    runs: list[Run]
    unknown: list[LeftOut] = field(default_factory=list)

    @property
    def slug(self) -> str:
        """Its folder in the site."""
        return f"{self.label}.{self.name}" if self.label else self.name

    @property
    def counted(self) -> list[Run]:
        """The runs that are a part of its history, the oldest first."""
        return [run for run in self.runs if run.counts]

    @property
    def left_out(self) -> list[LeftOut]:
        """Runs of which nothing can be said though they are complete, or might be."""
        broken = [run for run in self.runs if run.problem]
        return [*self.unknown, *(LeftOut(run_id=run.run_id, reason=f"is left out: {run.problem}") for run in broken)]

    @property
    def archive(self) -> Archive:
        """Where what was worked out of its runs is kept."""
        return Archive(self.results / ARCHIVE, self.name)

    def key(self) -> str:
        """What its pages follow from, beside the program, as a hash."""
        parts = (f"{run.run_id} {run.digest} {run.state.model_dump_json()}" for run in self.runs)
        return sha256("\n".join([self.label, *parts]).encode()).hexdigest()

    def probed(self) -> Campaign:
        """The same where every run that counts has been read once, and none that cannot be counts any more."""
        return replace(self, runs=[self._probed(run) if run.counts else run for run in self.runs])

    def _probed(self, run: Run) -> Run:
        try:
            load_inputs(run.layout.root)
            next(self.archive.values([run.layout]))
        except Exception as error:  # whatever is wrong with a run, it does not end the pages of the others
            if is_want(error):
                raise
            return replace(run, problem=in_words(error, run.layout))
        return run


def in_words(error: Exception, layout: RunLayout) -> str:
    """What is wrong with a run, in a short line, without the place of its folder: a site may be public."""
    message = str(error) if isinstance(error, FileError | OSError) else f"{type(error).__name__}: {error}"
    message = without_places(message, layout)
    return in_a_line(message if len(message) <= LONGEST else f"{message[: LONGEST - 1]}…")


def without_places(text: str, layout: RunLayout) -> str:
    """A message on a run without the places of files: in the run's folder the way from there, else their names."""
    text = in_its_folder(text, layout)
    folders = [folder for root in (layout.root, layout.root.resolve()) for folder in (root, root.parent.parent)]
    for folder in sorted(map(str, folders), key=len, reverse=True):  # a relative one is a part of the absolute one
        if folder not in (".", "/"):
            text = text.replace(f"{folder}/", "")
    return PLACE.sub("", text)


def in_its_folder(text: str, layout: RunLayout) -> str:
    """A text without the place of the run's folder, also the one at which it was measured."""
    name = f"{re.escape(layout.root.resolve().parent.name)}/{re.escape(layout.run_id)}"
    return re.sub(rf"(?<![\w.<])/(?:[\w.+=@~%-]+/)*{name}/", "", text)


def campaigns(folders: list[Path]) -> list[Campaign]:
    """Every campaign that has a run, folder after folder. Raises FileError if there is no folder, or no run."""
    campaigns_of_all = []
    for label, folder in zip(_labels(folders), folders, strict=True):
        if not folder.is_dir():
            raise FileError(f"{folder}: no such folder; give the folder in which the campaigns lie, such as results")
        names = sorted(path.name for path in folder.iterdir() if path.is_dir() and NAME.fullmatch(path.name))
        each = [_campaign(label, folder, name) for name in names]
        campaigns_of_all += [campaign for campaign in each if campaign.runs or campaign.unknown]
    if not campaigns_of_all:
        raise FileError(f"{', '.join(map(str, folders))}: no run lies there; `isochron run` measures one")
    return campaigns_of_all


def _campaign(label: str, results: Path, name: str) -> Campaign:
    campaign = Campaign(label, results, name, [])
    for layout in map(RunLayout, run_folders(results, name)):
        if not NAME.fullmatch(layout.run_id) or not is_there(layout.state):
            continue
        try:
            state = settled(RunState.load(layout.state), layout.report)
        except FileError as error:
            reason = f"is left out: {in_words(error, layout)}"
            campaign.unknown.append(LeftOut(run_id=layout.run_id, reason=reason))
            continue
        state = state.model_copy(update={"reason": without_places(state.reason, layout)})
        complete = state.state == "complete"
        run_digest = digest(layout) if complete else ""
        campaign.runs.append(
            Run(layout, state, run_digest, _without_digest(layout) if complete and not run_digest else "")
        )
    return campaign


def _without_digest(layout: RunLayout) -> str:
    """Why it is not known what the values of a run follow from."""
    try:
        for path in (layout.plan, layout.campaign):
            read_bytes(path)
    except OSError as error:
        return in_words(FileError(f"{error.filename}: cannot be read: {error.strerror}"), layout)
    return "it has no whole store; `isochron report` makes it again"


def _labels(folders: list[Path]) -> list[str]:
    """A name for each folder, from the end of its path: as many parts as tell them apart; none for a single one."""
    paths = [folder.resolve() for folder in folders]
    doubled = [str(path) for path, count in Counter(paths).items() if count > 1]
    if doubled:
        raise FileError(f"{doubled[0]}: was given twice; give each folder of results once")
    if len(paths) == 1:
        return [""]
    for skipped in (0, 1, 2, 3):
        names = [
            re.sub(r"[^A-Za-z0-9_-]", "-", path.parts[-1 - skipped]) for path in paths if len(path.parts) > skipped
        ]
        if len(set(names)) == len(paths) and all(name and name[0].isalnum() for name in names):
            return names
    return [f"results-{number}" for number in range(1, len(paths) + 1)]
