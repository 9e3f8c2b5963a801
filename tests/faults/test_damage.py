# SPDX-License-Identifier: BSD-3-Clause
"""Every file of a run, finished or half measured, empty, cut in half or with one bit changed.

The next `isochron run`, or the one after it, completes; launches that were not damaged keep their values; what was
restored is what it was.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest

from isochron.common.sealed import remove_sealed
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.store import TABLES
from isochron.workflows.runs import update_state
from tests.end_to_end.conftest import Place, assert_every_launch_is_stored_once, copied
from tests.faults.damage import DAMAGES, group_of, groups, strike
from tests.faults.support import RUN, assert_no_refused_launch_is_stored, completes
from tests.shared import Shared

pytestmark = [pytest.mark.mpi, pytest.mark.campaign]

#: Of these a finished run is completed to its report again; of others to the store.
OF_THE_REPORT = ("analysis/", "figures/", "tables/", "log/", "report/index.html")

#: Files that no later call may write with another content once they are restored.
LASTING = ("campaign.yaml", "plan.json", "launches/*.provenance", "attempts/*/01/outcome.json")


@pytest.fixture(scope="session")
def reported(measured: Place, shared: Shared) -> Place:
    """The measured run, finished to its report. Not to be changed."""
    return Place(shared("reported", lambda folder: completes(copied(measured, folder), report=True)))


@pytest.fixture(scope="session")
def half(measured: Place, shared: Shared) -> Place:
    """The measured run as if everything had been killed in its second launch. Not to be changed."""
    return Place(shared("half", lambda folder: cut_off(copied(measured, folder).run)))


def cut_off(run: RunLayout) -> None:
    """Take away what comes after the first launch; of the second there is half a file under its temporary name."""
    (block,) = Plan.load(run.plan).blocks
    second = block.launches[1].name
    attempt = run.attempt(block.name, 1)
    raw = attempt / f"{second}.jsonl"
    raw.with_suffix(".jsonl.partial").write_bytes(raw.read_bytes()[: raw.stat().st_size // 2])
    for path in (raw, attempt / f"{second}.exit", run.launch(second), run.block(block.name), run.outputs):
        path.unlink()
    remove_sealed(run.provenance(second))
    remove_sealed(attempt / "outcome.json")
    shutil.rmtree(run.root / "store")
    update_state(run, "running")


def completed(place: Place, *, report: bool) -> str:
    """One more call of `isochron run`, or two where the first says in one line what to do. Returns what is wrong."""
    for _ in range(2):
        done = place.isochron(*RUN) if report else place.stored()
        if "Traceback" in done.stdout + done.stderr:
            return f"a traceback: {done.stderr}"
        if done.returncode == 0:
            return ""
        if done.stderr.count("\n") != 1:
            return f"more than one line: {done.stderr}"
    return f"the second call has failed too: {done.stderr}"


def stored(run: RunLayout) -> dict[str, pd.DataFrame]:
    """The tables of the store, each in the order of its keys."""
    return {name: pd.read_parquet(run.table(name)) for name in TABLES}


def assert_undamaged_launches_are_as_before(
    run: RunLayout, before: dict[str, pd.DataFrame], raw: dict[str, bytes]
) -> None:
    """`raw`: accepted raw files that were not struck."""
    now = stored(run)
    for name, content in raw.items():
        assert run.launch(name).read_bytes() == content, f"{name} was not damaged, and has changed"
        identity = f"{run.run_id}.{name}"
        for table, frame in before.items():
            own = frame[frame["launch_id"] == identity].reset_index(drop=True)
            pd.testing.assert_frame_equal(now[table][now[table]["launch_id"] == identity].reset_index(drop=True), own)


def check(place: Place, values: dict[str, pd.DataFrame], strikes: dict[Path, str]) -> None:
    """Strike these files of the run, each as it says, complete it, and look at everything."""
    run = place.run
    raw = {path.stem: path.read_bytes() for path in run.launches.glob("*.jsonl")}
    raw = {name: content for name, content in raw.items() if Path(f"launches/{name}.jsonl") not in strikes}
    lasting = {path: path.read_bytes() for pattern in LASTING for path in run.root.glob(pattern)}
    for path, how in strikes.items():
        strike(run.root / path, DAMAGES[how])
    report = run.report.exists() and any(group_of(path) in OF_THE_REPORT for path in strikes)
    problem = completed(place, report=report)
    assert not problem, problem
    assert_every_launch_is_stored_once(run)
    assert_no_refused_launch_is_stored(run)
    assert_undamaged_launches_are_as_before(run, values, raw)
    for path, content in lasting.items():
        of_a_struck_launch = path.parent == run.launches and path.stem not in raw
        assert of_a_struck_launch or path.read_bytes() == content, f"{path} is not what it was"


@pytest.mark.slow
@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("state", ["reported", "half"])
def test_every_file(state: str, how: str, measured: Place, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    source: Place = request.getfixturevalue(state)
    values, wrong = stored(measured.run), {}
    for name, struck in groups(source.run).items():
        place = copied(source, tmp_path / "here")
        try:
            check(place, values, dict.fromkeys(struck, how))
        except AssertionError as error:
            wrong[name] = str(error)
        shutil.rmtree(place.folder)
    assert not wrong, "\n".join(f"{name}: {error}" for name, error in wrong.items())


@pytest.mark.parametrize(
    "state",
    [pytest.param("measured", marks=pytest.mark.slow), "half", pytest.param("reported", marks=pytest.mark.slow)],
)
def test_many_at_once(state: str, measured: Place, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """One file of each group, each with the next damage; the copies stay whole."""
    place = copied(request.getfixturevalue(state), tmp_path / "here")
    files = [paths[0] for paths in groups(place.run).values() if not paths[0].name.endswith(".copy")]
    kinds = list(DAMAGES)
    check(place, stored(measured.run), {path: kinds[number % len(kinds)] for number, path in enumerate(files)})
