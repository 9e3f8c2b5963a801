# SPDX-License-Identifier: BSD-3-Clause
"""A configuration that changed under one name in a history: named as that, and nothing else is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from isochron.cli.main import main
from isochron.postprocess.__main__ import main as postprocess
from isochron.postprocess.estimate.compare.configurations import TOGETHER, changed_configurations
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import RunState
from tests.postprocess.estimate.compare.test_slow_jobs import ROWS, archive, planted
from tests.postprocess.in_process import postprocess_in_this_process
from tests.postprocess.synthetic import Spec, write_run

__all__ = ["postprocess_in_this_process"]
pytestmark = [pytest.mark.heavy, pytest.mark.usefixtures("postprocess_in_this_process")]

OF_B = (ROWS["stack"] == "b").to_numpy()


@pytest.mark.parametrize("kind", ["nothing", "slow job", "slow jobs"])
@pytest.mark.parametrize("runs", [2, 3, 24])
def test_a_slow_job_is_no_changed_configuration(kind: str, runs: int) -> None:
    false = sum(len(changed_configurations(ROWS, planted(kind, seed)[-runs:])) > 0 for seed in range(60))
    assert false <= 3


@pytest.mark.slow
@pytest.mark.parametrize("runs", [2, 3, 24])
@pytest.mark.parametrize("kind", ["nothing", "slow jobs", "configuration"])
def test_false_claims_are_rare(kind: str, runs: int) -> None:
    lines = [changed_configurations(ROWS, planted(kind, seed)[-runs:]) for seed in range(400)]
    false = sum(bool(set(each["stack"]) - ({"b"} if kind == "configuration" else set())) for each in lines)
    true = sum("b" in set(each["stack"]) for each in lines)
    print(f"{kind}, {runs} runs: of 400 archives {false} have a false name, {true} the true one")
    assert false <= 20
    assert true >= 360 or kind != "configuration"


@pytest.mark.parametrize(("runs", "since"), [(2, 1), (3, 2), (6, 3), (24, 23), (24, 12)])
def test_a_configuration_that_took_effect_later_is_named_with_its_run(runs: int, since: int) -> None:
    right = 0
    for seed in range(20):
        values = archive(seed)[:runs]
        values[since:, OF_B] *= 2
        for line in changed_configurations(ROWS, values, [since]).to_dict("records"):
            right += line["stack"] == "b" and line["longer"][0] == since and not set(line["shorter"]) & {since, runs}
            assert line["ratio"] == pytest.approx(2, rel=0.15)
    assert right >= 18


def test_an_earlier_change_is_named_where_values_of_a_row_changed() -> None:
    values = archive(1)
    since = len(values) - 2 * TOGETHER
    values[since:, OF_B] *= 2
    assert not len(changed_configurations(ROWS, values))
    (line,) = changed_configurations(ROWS, values, [since, since + 1]).to_dict("records")
    assert (line["stack"], line["longer"][0]) == ("b", since)


SPEC = Spec(
    operations=["bcast"], sizes=[8, 512, 65536], processes=[4], launches=4, launch_spread=0.01, probes=False
)  # fmt: skip


@pytest.mark.parametrize("version", ["", "9.9"])
def test_the_history_of_three_runs_names_it_unless_the_library_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], version: str
) -> None:
    later = {("mpich-5.0", "bcast", size): 2.0 for size in SPEC.sizes}
    for night in (1, 2, 3):
        spec = replace(SPEC, seed=night, planted=later if night == 3 else {})
        run = RunLayout(write_run(tmp_path / "synthetic" / f"202605{night:02d}T013000Z-0001", spec))
        RunState.load(run.state).model_copy(update={"state": "complete"}).save(run.state)
        if version and night == 3:
            path = run.root / "stacks" / "mpich-5.0.json"
            path.write_text(json.dumps(json.loads(path.read_text()) | {"mpi_version": version}))
        assert postprocess(["ingest", str(run.root)]) == 0
    capsys.readouterr()
    assert main(["history", "synthetic", "--results", str(tmp_path)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    sentence = "changed configuration, not a job and not a library: mpich-5.0 takes up to"
    assert (sentence in printed) == (not version)
    assert "slow job" not in printed
    if not version:
        assert "from 20260503T013000Z-0001 on (that run only: unconfirmed), in 3 cases" in printed
