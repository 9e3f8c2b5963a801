# SPDX-License-Identifier: BSD-3-Clause
"""Which raw files are accepted, and that they are published once and stay as they are."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from isochron.common.sealed import heal
from isochron.reframe_checks.attempts import Attempts
from isochron.reframe_checks.launch.acceptance import accept, judge, publish
from isochron.schemas.run.block_spec import BlockSpec
from tests.reframe_checks import fakes
from tests.reframe_checks.conftest import FakeRun
from tests.reframe_checks.launch.test_command import spec_of


def measured(run: FakeRun, spec: BlockSpec, index: int, code: str | None = "0", **changes: Any) -> Path:
    """A launch that ran: its raw file, with changes, and its exit code."""
    launch = spec.launches[index]
    facts = {"name": launch.name, "engine_sha256": run.manifest.engine_sha256}
    rows = fakes.records(**{"launch": facts, "processes": 2, "hosts": 1, "cases": spec.launches[0].cases, **changes})
    raw = spec.folder / f"{launch.name}.jsonl"
    fakes.write_raw(raw, rows)
    if code is not None:
        (spec.folder / f"{launch.name}.exit").write_text(code)
    return raw


def test_a_good_launch_is_accepted(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    measured(fake_run, spec, 0)
    assert judge(spec.launches[0], spec, spec.folder) == ""


@pytest.mark.parametrize("code", [None, "", "half"])
def test_without_an_exit_code_the_launch_was_interrupted(fake_run: FakeRun, code: str | None) -> None:
    spec = spec_of(fake_run)
    measured(fake_run, spec, 0, code)
    assert judge(spec.launches[0], spec, spec.folder) == "the launch was interrupted"


def test_a_launch_for_which_the_job_had_no_time_left_was_not_started(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    measured(fake_run, spec, 0, "1")
    said = "srun: error: Unable to create step for job 1: Job/step already completing or completed\n"
    (spec.folder / f"{spec.launches[0].name}.err").write_text(said)
    assert judge(spec.launches[0], spec, spec.folder) == "the launch was not started"


def test_a_whole_file_of_a_failed_launch_is_refused(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    measured(fake_run, spec, 0, "137\n")
    (spec.folder / f"{spec.launches[0].name}.err").write_text("first\n  last words  \n-------\n")
    assert judge(spec.launches[0], spec, spec.folder) == "exit code 137 (killed): last words"


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        (
            "srun: error: n02: task 3: Exited with exit code 7\nsrun: error: n01: tasks 0-1: Terminated\n"
            "srun: Force Terminated StepId=12.0",
            "srun: error: n02: task 3: Exited with exit code 7",
        ),
        (
            "n1: rank 0 died from signal 15\nn2: rank 3 exited with code 255\nn1: rank 1 died from signal 15",
            "n2: rank 3 exited with code 255",
        ),
        ("n2: rank 3 died from signal 11 and dumped core\nn1: rank 1 died from signal 15", "n2: rank 3 died from sig"),
        ("flux-job: task(s) Killed\nmore", "flux-job: task(s) Killed"),
        (
            "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\nThis typically refers to a problem",
            "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)",
        ),
        ("isochron-engine: no memory\nn2: rank 3 exited with code 5", "isochron-engine: no memory"),
    ],
)
def test_the_rank_that_failed_first_is_the_reason(fake_run: FakeRun, printed: str, told: str) -> None:
    """Not the ranks that its launcher ended for it."""
    spec = spec_of(fake_run)
    measured(fake_run, spec, 0, "1")
    (spec.folder / f"{spec.launches[0].name}.err").write_text(f"{printed}\n")
    assert f"exit code 1: {told}" in judge(spec.launches[0], spec, spec.folder)


def test_wrong_data_are_a_result_where_the_file_is_whole(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    raw = measured(fake_run, spec, 0, "4\n")
    assert judge(spec.launches[0], spec, spec.folder) == ""
    raw.write_bytes(raw.read_bytes()[:-5])
    assert "no footer" in judge(spec.launches[0], spec, spec.folder)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"processes": 1}, "header.processes: 1 ranks, but 2 were planned"),
        ({"hosts": 2}, "header.hosts: 2 distinct (node0, node1), but 1 nodes are planned"),
        ({"cases": [("barrier", 0)]}, "allreduce at 8 bytes is missing"),
        (
            {"library": "MPICH Version: 5.0.2"},
            "'MPICH Version: 5.0.2' was loaded, but the stack was built with 'Fake MPI",
        ),
        ({"library": "Fake MPI v1.2.3a1, for tests"}, "'Fake MPI v1.2.3a1, for tests' was loaded, but the stack was"),
        ({"launch": {"name": "another"}}, "header.launch.name: 'another'"),
    ],
)
def test_what_was_not_planned_is_refused(fake_run: FakeRun, changes: dict[str, Any], reason: str) -> None:
    spec = spec_of(fake_run)
    measured(fake_run, spec, 0, **changes)
    assert reason in judge(spec.launches[0], spec, spec.folder)


def test_a_measurement_with_another_engine_is_refused(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    measured(fake_run, spec, 0, launch={"name": spec.launches[0].name, "engine_sha256": "0" * 64})
    assert "header.launch.engine_sha256: not the engine" in judge(spec.launches[0], spec, spec.folder)


def test_every_cut_of_a_file_is_refused(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    raw = measured(fake_run, spec, 0)
    whole = raw.read_bytes()
    for length in {0, 1, 200, len(whole) // 2, len(whole) - 30, len(whole) - 1}:
        raw.write_bytes(whole[:length])
        assert judge(spec.launches[0], spec, spec.folder), length


def test_published_once_read_only_and_never_changed(fake_run: FakeRun, tmp_path: Path) -> None:
    first, second, target = tmp_path / "first", tmp_path / "second", tmp_path / "launches" / "x.jsonl"
    first.write_text("first")
    second.write_text("second")
    publish(first, target)
    publish(second, target)
    publish(first, target)
    assert target.read_text() == "first"
    assert stat.S_IMODE(target.stat().st_mode) == 0o444
    assert list(target.parent.iterdir()) == [target]


def test_recovery_takes_what_was_finished_and_keeps_the_rest(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    measured(fake_run, spec, 0)
    measured(fake_run, spec, 1, None)
    Attempts(fake_run.layout, fake_run.campaign, fake_run.plan, fake_run.block).recover()
    assert fake_run.published() == fake_run.names[:1]
    outcome = fake_run.outcome(1)
    assert outcome["reason"] == "interrupted"
    assert [(launch["accepted"], launch["reason"]) for launch in outcome["launches"]] == [
        (True, ""),
        (False, "the launch was interrupted"),
        (False, "the launch was not started"),
    ]
    assert (spec.folder / f"{fake_run.names[1]}.jsonl").exists()


def test_recovery_after_a_cut_between_publishing_and_the_outcome(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    measured(fake_run, spec, 0)
    measured(fake_run, spec, 1)
    publish(spec.folder / f"{fake_run.names[0]}.jsonl", fake_run.layout.launch(fake_run.names[0]))
    before = fake_run.layout.launch(fake_run.names[0]).stat()
    Attempts(fake_run.layout, fake_run.campaign, fake_run.plan, fake_run.block).recover()
    assert fake_run.published() == fake_run.names[:2]
    assert fake_run.layout.launch(fake_run.names[0]).stat().st_ino == before.st_ino


def test_an_attempt_that_was_judged_is_not_judged_again(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    measured(fake_run, spec, 0, processes=1)
    Attempts(fake_run.layout, fake_run.campaign, fake_run.plan, fake_run.block).recover()
    before = fake_run.outcome(1)
    measured(fake_run, spec, 0)
    Attempts(fake_run.layout, fake_run.campaign, fake_run.plan, fake_run.block).recover()
    assert fake_run.outcome(1) == before
    assert fake_run.published() == []


def test_outcomes_name_every_launch(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    measured(fake_run, spec, 2)
    outcomes = accept(spec, spec.folder, fake_run.layout.launch)
    assert [(outcome.name, outcome.accepted) for outcome in outcomes] == list(
        zip(fake_run.names, [False, False, True], strict=True)
    )


def test_provenance_is_that_of_the_attempt_that_was_accepted(fake_run: FakeRun) -> None:
    """A launch that was lost and is measured again brings its own; both have a copy to be restored from."""
    spec, layout = spec_of(fake_run), fake_run.layout
    name = fake_run.names[0]
    measured(fake_run, spec, 0)
    for facts in ("first", "second"):
        (spec.folder / f"{name}.provenance").unlink(missing_ok=True)
        (spec.folder / f"{name}.provenance").write_text(facts)
        accept(spec, spec.folder, layout.launch)
        assert layout.provenance(name).read_text() == facts
        layout.provenance(name).unlink()
        assert heal(layout.provenance(name))
        assert layout.provenance(name).read_text() == facts
        layout.launch(name).unlink()


def test_outcome_and_timers_of_an_attempt_have_copies(fake_run: FakeRun) -> None:
    spec = spec_of(fake_run)
    measured(fake_run, spec, 0)
    (spec.folder / "timers.txt").write_text("host tsc good\n")
    Attempts(fake_run.layout, fake_run.campaign, fake_run.plan, fake_run.block).recover()
    for name in ("outcome.json", "timers.txt"):
        before = (spec.folder / name).read_bytes()
        (spec.folder / name).write_bytes(before[:5])
        assert heal(spec.folder / name)
        assert (spec.folder / name).read_bytes() == before


@pytest.mark.parametrize(
    ("processors", "facts", "launch", "reason"),
    [
        (
            ("0", "0"), {}, {},
            "header.bindings: processes share cores, and the node has enough: 2 processes of node0 share 1 processor "
            "(0): the launcher binds them to these, although there are enough cores; remove what binds them so from "
            "the stack's variables and from env_vars of the partition",
        ),
        (("0", "0"), {}, {"launcher": "srun"}, "slurm.conf: TaskPlugin=task/affinity, or write `site.launcher: stack`"),
        (("0", "0"), {"job_cpus": "0"}, {}, "(cgroup): it has not the whole node; ask for whole nodes in the access"),
        (("0", "2"), {"cpus_online": "0-3", "smt_threads": "0-1 2-3"}, {}, "; ask for one thread of each core in the"),
        (("0", "0"), {}, {"oversubscribed": "true"}, ""),
        (("0", "0"), {"cpus_online": "0"}, {}, ""),  # no more cores
        (("0", "1"), {"smt_threads": "0 1"}, {}, ""),
        (("0", "0"), {"cpus_online": ""}, {}, ""),  # not known
        (("0-1", "0-1"), {}, {}, ""),  # not bound: the report tells
        (("0", "1"), {}, {}, ""),
    ],
)  # fmt: skip
def test_processes_that_share_cores_although_there_are_enough_are_refused(
    fake_run: FakeRun, processors: tuple[str, str], facts: dict[str, str], launch: dict[str, str], reason: str
) -> None:
    spec = spec_of(fake_run)
    name = spec.launches[0].name
    bindings = [{"host": "node0", "cpus": cpus, "ranks": str(rank)} for rank, cpus in enumerate(processors)]
    own = {"name": name, "engine_sha256": fake_run.manifest.engine_sha256, **launch}
    raw = measured(fake_run, spec, 0, launch=own)
    header, *rows = [json.loads(line) for line in raw.read_text().splitlines()[:-1]]
    fakes.write_raw(raw, [{**header, "bindings": bindings}, *rows])
    node = {"record": "node", "host": "node0", "cpus_online": "0-1", **facts}
    (spec.folder / f"{name}.provenance").write_text(json.dumps(node))
    said = judge(spec.launches[0], spec, spec.folder)
    assert reason in said and bool(reason) == bool(said), said
    assert said.count("header.") == bool(reason)
