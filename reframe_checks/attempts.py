# SPDX-License-Identifier: BSD-3-Clause
"""Attempts at a block: what it lacks, how an attempt begins, and the acceptance of its launches, one by one.

Every step can be interrupted at any moment. Accepted files are in `launches/`; all others belong to attempts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from isochron.common.copies import is_there
from isochron.common.exit_codes import EngineExit
from isochron.common.files import write_atomically
from isochron.common.sealed import seal
from isochron.reframe_checks.launch.acceptance import INTERRUPTED, NOT_STARTED, accept, publish, read_exit
from isochron.reframe_checks.launch.command import block_spec
from isochron.reframe_checks.launch.job_end import Patience, end_left_over, last_line, why_it_ended
from isochron.reframe_checks.launch.segments import remove_segments
from isochron.reframe_checks.launch.sharing import SHARED
from isochron.reframe_checks.make_candle import make_candle
from isochron.reframe_checks.run_folder import find_block, load_campaign, load_manifests, load_npb, load_programs
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.block_spec import BlockSpec
from isochron.schemas.run.budget import job_hours, within_budget
from isochron.schemas.run.launch_file import damage
from isochron.schemas.run.layout import CANDLE, RunLayout
from isochron.schemas.run.plan import Block, Plan
from isochron.schemas.run.state import BlockState, LaunchOutcome

#: Phases of ReFrame in which the launches are judged: the reason of an earlier failure is that of all launches.
JUDGING = ("sanity", "performance")


@dataclass(frozen=True)
class Attempts:
    """All attempts at one block of a run."""

    layout: RunLayout
    campaign: Campaign
    plan: Plan
    block: Block

    @classmethod
    def of_blocks(cls, run: Path, names: list[str]) -> "list[Attempts]":
        """Return the attempts at these blocks of a run's folder. Raises FileError, also if the plan lacks one."""
        layout = RunLayout(run.resolve())
        campaign, plan = load_campaign(layout), Plan.load(layout.plan)
        return [cls(layout, campaign, plan, find_block(plan, name)) for name in names]

    def missing(self) -> list[str]:
        """Return the names of the launches that are not measured."""
        return [launch.name for launch in self.block.launches if not self.layout.launch(launch.name).exists()]

    def folders(self) -> list[Path]:
        """Return the folders of all attempts, oldest first."""
        folders = self.layout.attempts(self.block.name).glob("[0-9]*")
        return sorted(
            (path for path in folders if path.name.isdigit() and path.is_dir()), key=lambda path: int(path.name)
        )

    def next(self) -> BlockSpec:
        """Return the launches of the next attempt: all that the block lacks. Raises FileError."""
        folders = self.folders()
        return self._spec(self.layout.attempt(self.block.name, int(folders[-1].name) + 1 if folders else 1))

    def begin(self, spec: BlockSpec) -> Path:
        """Reserve the node hours of an attempt, and make its folder. Raises OverBudget."""
        names = [launch.name for launch in spec.launches]
        with within_budget(self.layout, self.plan, self.block, names, self.campaign.limits.node_hours):
            return self._make_folder(spec)

    def _make_folder(self, spec: BlockSpec) -> Path:
        spec.folder.mkdir(parents=True)
        for launch in spec.launches:
            for name, content in launch.files.items():
                write_atomically(spec.folder / name, content)
        spec.save(spec.folder / "spec.json")
        return spec.folder

    def end(self, folder: Path | None, case: Mapping[str, Any], reason: str) -> list[str]:
        """Accept the launches of an attempt that ended, by ReFrame's test case (empty: there is none) and its reason.

        `folder` is None if ReFrame did not begin it. Returns one line for each launch that was not measured. Raises
        FileError.
        """
        if folder is None:
            folder = self._make_folder(self.next())
        limits = self.campaign.limits
        patience = Patience(limits.scheduler_seconds, None if limits.queue_hours is None else limits.queue_hours * 3600)
        judged = case.get("result") == "pass" or case.get("fail_phase") in JUDGING
        ended = why_it_ended(case, patience) or ("" if judged else reason)
        outcomes = self._accept(folder)
        if not ended and any(outcome.reason in (INTERRUPTED, NOT_STARTED) for outcome in outcomes):
            ended = last_line(case)
        if all(outcome.accepted for outcome in outcomes):
            reason = ended = ""
        state = self._save_outcome(folder, _explained(outcomes, ended), ended or reason)
        return _failures(state, folder) if self.complete() else []

    def complete(self) -> list[str]:
        """Write the state of the block if it has all its launches. Returns the names of those that it lacks."""
        missing = self.missing()
        if not missing and not self.layout.block(self.block.name).exists():
            folders = self.folders()
            BlockState(
                block=self.block.name,
                state="complete",
                attempt=int(folders[-1].name) if folders else 0,
                started_at=_begun(folders[-1]) if folders else _now(),
                ended_at=_now(),
                launches=[LaunchOutcome(name=launch.name, accepted=True) for launch in self.block.launches],
                node_hours=_node_hours(folders[-1]) if folders else 0.0,
            ).save(self.layout.block(self.block.name))
        return missing

    def unfinished(self) -> list[Path]:
        """Return the folders of attempts that have no outcome, oldest first."""
        return [folder for folder in self.folders() if not is_there(folder / "outcome.json")]

    def recover(self) -> None:
        """End the jobs of interrupted attempts, and accept their complete launches."""
        remove_segments(self.layout.attempts(self.block.name))
        for folder in self.unfinished():
            end_left_over(folder)
            if self.missing():
                self._save_outcome(folder, self._accept(folder), "interrupted")

    def refused(self) -> list[str]:
        """Return the failures of the last attempt, if a further one would end the same.

        The engine refused the options of a launch, or its processes shared cores that would suffice for all.
        """
        folder = next(iter(reversed(self.folders())), None)
        if folder is None or not is_there(folder / "outcome.json"):
            return []
        state = BlockState.load(folder / "outcome.json")
        options = any(read_exit(path) == EngineExit.USAGE for path in folder.glob("*.exit"))
        shared = any(SHARED in launch.reason for launch in state.launches)
        return _failures(state, folder) if options or shared else []

    def _spec(self, folder: Path) -> BlockSpec:
        return block_spec(
            self.block,
            self.plan,
            self.campaign,
            load_manifests(self.layout, self.block),
            run_id=self.layout.run_id,
            attempt=folder,
            without={launch.name for launch in self.block.launches} - set(self.missing()),
            programs=load_programs(self.layout, self.block),
            npb=load_npb(self.layout, self.block),
            candle=self._candle(),
        )

    def _candle(self) -> Path | None:
        """Return the program of the candle, if the block has sessions."""
        if not any(launch.session for launch in self.block.launches):
            return None
        return make_candle(self.layout.build_step(CANDLE))

    def _accept(self, folder: Path) -> list[LaunchOutcome]:
        """Judge the launches of an attempt, and publish those that are accepted, and the candles of their sessions."""
        spec = self._spec(folder)
        outcomes = accept(spec, folder, self.layout.launch)
        accepted = {launch.session for launch, outcome in zip(spec.launches, outcomes, strict=True) if outcome.accepted}
        for candle in spec.candles:
            raw = folder / f"{candle.name}.jsonl"
            if candle.session in accepted and raw.is_file() and not damage(raw):
                publish(raw, self.layout.candle(candle.name))
                seal(self.layout.candle(candle.name))
        return outcomes

    def _save_outcome(self, folder: Path, launches: list[LaunchOutcome], reason: str) -> BlockState:
        state = BlockState(
            block=self.block.name,
            state="complete" if all(launch.accepted for launch in launches) else "failed",
            attempt=int(folder.name),
            started_at=_begun(folder),
            ended_at=_now(),
            launches=launches,
            reason=reason,
            node_hours=round(job_hours(folder, self.block.nodes), 6),
        )
        if (folder / "timers.txt").is_file():
            seal(folder / "timers.txt")
        state.save_sealed(folder / "outcome.json")
        return state


def _explained(outcomes: list[LaunchOutcome], ended: str) -> list[LaunchOutcome]:
    """Add the reason for the end of the job to launches that were interrupted or not started."""
    return [
        outcome.model_copy(update={"reason": f"{outcome.reason}: {ended}"})
        if ended and outcome.reason in (INTERRUPTED, NOT_STARTED)
        else outcome
        for outcome in outcomes
    ]


def _failures(state: BlockState, folder: Path) -> list[str]:
    """Return one line per failed launch: name, reason, file; a single line if none ran."""
    if not any(folder.glob("*.exit")):
        return [f"{state.block}: {state.reason or 'the job ended before its first launch'}"]
    return [
        f"{launch.name}: {launch.reason}: {folder / launch.name}.err"
        for launch in state.launches
        if not launch.accepted
    ]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _node_hours(folder: Path) -> float:
    """Return those of an attempt by its outcome; 0 if it has none that can be read."""
    state = BlockState.load_if_readable(folder / "outcome.json")
    return state.node_hours if state is not None else 0.0


def _begun(folder: Path) -> str:
    """Return when an attempt began: its specification was written then."""
    written = folder / "spec.json"
    path = written if written.exists() else folder
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
