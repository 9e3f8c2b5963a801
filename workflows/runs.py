# SPDX-License-Identifier: BSD-3-Clause
"""Runs of a campaign: creating a run's folder, finding the run to continue, and updating its state."""

import csv
import errno
import fcntl
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

from isochron.common.children import refuse_unquotable
from isochron.common.copies import is_there
from isochron.common.documents import yaml_text
from isochron.common.files import FileError, read_bytes, read_lines, read_text, write_atomically
from isochron.common.sealed import heal, write_sealed
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout, run_folders
from isochron.schemas.run.plan import Plan, Point
from isochron.schemas.run.state import RunState, RunStatus, settled

#: Format of the time at the beginning of a run's name.
STAMP = "%Y%m%dT%H%M%SZ"
#: The steps of a report, each with a log.
STEPS = ("ingest", "analyse", "render")


def now() -> str:
    """Return the time in UTC, ISO 8601."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def create_run(results: Path, campaign: Campaign, plan: Plan) -> RunLayout:
    """Create the folder of a new run. The state file is written last, so a folder with one is complete.

    Raises FileError if the path cannot be passed to schedulers and shells.
    """
    refuse_unquotable(results.resolve(), "--results")
    run = RunLayout(results.resolve() / campaign.name / f"{_stamp(results, campaign)}-{secrets.token_hex(2)}")
    write_sealed(run.campaign, _campaign_text(campaign))
    plan.save_sealed(run.plan)
    if campaign.rank_list:
        write_sealed(run.rank_order, "\n".join(map(str, campaign.rank_list)) + "\n")
    RunState(
        campaign=campaign.name,
        title=campaign.heading,
        description=campaign.description,
        run_id=run.run_id,
        state="planned",
        digest=plan.digest,
        isochron_version=version("isochron"),
        created_at=now(),
        updated_at=now(),
        system=campaign.site.system
        or (f"simulated:{campaign.site.machine.name}" if campaign.site.machine else "local"),
        planned_launches=len(plan.launches),
        measured_launches=0,
        failed_blocks=[],
    ).save_sealed(run.state)
    point_latest_to(run)
    return run


def _stamp(results: Path, campaign: Campaign) -> str:
    """Return the time for a run's name: now, or one second after the newest run if the clock was set back."""
    stamp = datetime.now(UTC).replace(microsecond=0)
    for folder in run_folders(results, campaign.name):
        with suppress(ValueError):
            stamp = max(stamp, datetime.strptime(folder.name[:16], STAMP).replace(tzinfo=UTC) + timedelta(seconds=1))
    return stamp.strftime(STAMP)


def read_state(run: RunLayout) -> RunState | None:
    """Return the state of a run, restored from its copy if it is damaged; None if it cannot be read."""
    with suppress(OSError):
        heal(run.state)
    try:
        return RunState.load(run.state)
    except FileError:
        return None


def _campaign_text(campaign: Campaign) -> str:
    document = campaign.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"hooks"})
    heading = (
        "The campaign with all defaults, written by isochron.",
        "Hooks are omitted, since they may contain secrets.",
    )
    return yaml_text(document, heading)


def update_campaign(run: RunLayout, campaign: Campaign) -> bool:
    """Write the keys of the campaign that may change within a run; return True if any has changed.

    The analysis is then repeated, whatever the times of the files are.
    """
    fresh = _campaign_text(campaign)
    if run.campaign.exists() and read_bytes(run.campaign) == fresh.encode():
        return False
    run.summary.unlink(missing_ok=True)
    _unseal_all_but_the_store(run)
    write_sealed(run.campaign, fresh)
    texts = {"title": campaign.heading, "description": campaign.description}
    RunState.load(run.state).model_copy(update=texts).save_sealed(run.state)
    return True


def _unseal_all_but_the_store(run: RunLayout) -> None:
    """Remove the hashes of all outputs but the store, which does not depend on these keys (see driving/repair.py)."""
    if run.outputs.exists():
        lines = read_lines(run.outputs)
        write_atomically(run.outputs, "".join(f"{line}\n" for line in lines if "  store/" in line))


def point_latest_to(run: RunLayout) -> None:
    """Let the link `results/<campaign>/latest` lead to this run, if the file system has symbolic links."""
    link = run.root.parent / "latest"
    fresh = run.root.parent / f".latest.{secrets.token_hex(4)}"
    try:
        fresh.symlink_to(run.run_id)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS):
            raise
        return
    fresh.replace(link)


def _layout_at(folder: Path) -> RunLayout:
    """Return the layout of a folder by its absolute path; the run's name is that of the folder or of a link to it."""
    return RunLayout(folder.resolve() if folder.name in ("", ".", "..", "latest") else folder.absolute())


def open_run(folder: Path) -> RunLayout:
    """Return an existing run. Raises FileError if the folder is not a run."""
    run = _layout_at(folder)
    if not is_there(run.state):
        raise FileError(f"{folder}: is not a run (it has no campaign.json); give results/<campaign>/<run-id>")
    return run


def find_run(results: Path, name: str) -> RunLayout:
    """Return a run by its folder, or the newest run of the campaign with this name. Raises FileError."""
    if is_there(Path(name) / "campaign.json"):
        return open_run(Path(name))
    runs = [folder for folder in run_folders(results, name) if is_there(RunLayout(folder).state)]
    if not runs:
        names = sorted(path.name for path in results.glob("[!.]*") if path.is_dir())
        hint = f"; the campaigns are {', '.join(names)}" if names else ""
        raise FileError(
            f"{results}: campaign '{name}' has no run{hint}; give the name of a campaign or the folder of a run"
        )
    return open_run(runs[-1])


def run_to_continue(results: Path, plan: Plan) -> RunLayout | None:
    """Return the newest run that measures exactly this plan, finished or not."""
    for folder in reversed(run_folders(results, plan.campaign)):
        run = _layout_at(folder)
        state = read_state(run)
        if state is not None and state.digest == plan.digest:
            return run
    return None


def continue_or_create(results: Path, campaign: Campaign, plan: Plan, *, new: bool = False) -> RunLayout:
    """Return the newest run that measures exactly this plan, or a new one (`new`: in any case).

    One process at a time: of two that start at the same instant, the second finds the run that the first has created,
    and is refused by its lock while that is driven. On a file system without locks both may create one.
    """
    refuse_unquotable(results.resolve(), "--results")
    folder = results / campaign.name
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        earlier = None if new else run_to_continue(results, plan)
        return earlier or create_run(results, campaign, plan)
    finally:
        os.close(descriptor)


def complete_run_before(run: RunLayout) -> RunLayout | None:
    """Return the newest complete run of the same campaign that is older."""
    runs = complete_runs(run.root.parent.parent, run.root.parent.name)
    return next((other for other in reversed(runs) if other.run_id < run.run_id), None)


def complete_runs(results: Path, campaign: str) -> list[RunLayout]:
    """Return all complete runs of a campaign, the oldest first."""
    runs = [RunLayout(folder) for folder in run_folders(results, campaign)]
    return [
        run for run in runs if (state := read_state(run)) is not None and settled(state, run.report).state == "complete"
    ]


def earlier_runs(results: Path, run: RunLayout) -> list[RunLayout]:
    """Return the complete runs of all campaigns in a folder of results that are older than a run, the oldest first.

    Raises FileError if there are none.
    """
    campaigns = sorted(path.name for path in results.glob("[!.]*") if path.is_dir())
    complete = [other for name in campaigns for other in complete_runs(results, name)]
    earlier = sorted((other for other in complete if other.run_id < run.run_id), key=lambda other: other.run_id)
    if not earlier:
        raise FileError(
            f"--archive {results}: has no complete run that is older than {run.run_id}; give the folder of "
            "earlier results"
        )
    return earlier


def measured_launches(run: RunLayout) -> int:
    """Return the number of launches whose raw file has been accepted."""
    return len(run.raw_files()) + len(run.printouts())


def comparison_of(run: RunLayout) -> list[dict[str, str]]:
    """Return the rows of the comparison table of a run, as text. Raises FileError if it has no report."""
    return _rows_of(run, "comparison")


def wall_time_of(run: RunLayout) -> list[dict[str, str]]:
    """Return the rows of the table of what the run's time went on, as text; none if it has no report."""
    return _rows_of(run, "wall-time") if (run.tables / "wall-time.csv").is_file() else []


def _rows_of(run: RunLayout, table: str) -> list[dict[str, str]]:
    text = read_text(run.tables / f"{table}.csv", "make the report with `isochron report`")
    return list(csv.DictReader(text.splitlines()))


def point_of(row: Mapping[str, str]) -> Point:
    """Return the point of a row of a table, as text."""
    return Point(
        processes=int(row["processes"]),
        processes_per_node=int(row["processes_per_node"]),
        placement=row["placement"],
    )


def failed_blocks(run: RunLayout, plan: Plan) -> list[str]:
    """Return the blocks that were attempted, or refused before an attempt began, and are not finished."""

    def was_tried(block: str) -> bool:
        log = run.block_log(block)
        return run.attempts(block).is_dir() or (log.is_file() and log.stat().st_size > 0)

    return [block.name for block in plan.blocks if was_tried(block.name) and not run.block(block.name).exists()]


def update_state(run: RunLayout, state: RunStatus, reason: str = "") -> RunState:
    """Write the state of the run."""
    plan = Plan.load(run.plan)
    fresh = RunState.load(run.state).model_copy(
        update={
            "state": state,
            "updated_at": now(),
            "planned_launches": len(plan.launches),
            "measured_launches": measured_launches(run),
            "failed_blocks": failed_blocks(run, plan) if state in ("failed", "interrupted", "over-budget") else [],
            "reason": reason,
        }
    )
    fresh.save_sealed(run.state)
    return fresh
