# SPDX-License-Identifier: BSD-3-Clause
"""A launch before those of a block makes each library print its transport, which their provenance then states."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from isochron.reframe_checks.launch.acceptance import accept
from isochron.reframe_checks.launch.command import block_spec
from isochron.reframe_checks.launch.script import job_lines, job_seconds
from isochron.schemas.run.block_spec import BlockSpec
from isochron.schemas.run.manifest import TransportReport
from isochron.schemas.run.plan import Point
from isochron.schemas.run.provenance import read_provenance, read_transport
from tests.reframe_checks.conftest import FakeRun
from tests.reframe_checks.launch.test_acceptance import measured
from tests.reframe_checks.launch.test_allocation import job

REPORT = TransportReport(environment={"TELL": "2", "MORE": "a b"}, lines={"way": r"way: (\S+)"})


def reporting(run: FakeRun, report: TransportReport | None = REPORT) -> BlockSpec:
    """The block with a second launch of four processes, and with a library that prints its transport."""
    four = Point(processes=4, processes_per_node=2, placement="packed")
    launches = [launch.model_copy(update={"point": four} if index == 1 else {})
                for index, launch in enumerate(run.block.launches)]  # fmt: skip
    manifests = {"fake-1": run.manifest.model_copy(update={"transport": report})}
    block = run.block.model_copy(update={"launches": launches})
    attempt = run.layout.attempt("b001", 1)
    return block_spec(block, run.plan, run.campaign, manifests, run_id="r", attempt=attempt)


def test_the_widest_launch_of_a_stack_is_repeated_with_what_makes_it_print(fake_run: FakeRun) -> None:
    spec = reporting(fake_run)
    (check,) = spec.transport_checks
    assert check.launchers == spec.launches[1].launchers and check.processes == 4
    assert check.program[:4] == ["env", "TELL=2", "MORE=a b", fake_run.manifest.engine]
    assert check.program[-1] == f"{spec.attempt}/transport-fake-1.jsonl"
    without = reporting(fake_run, None)
    assert without.transport_checks == [] and job_seconds(spec) == job_seconds(without) + 70


def test_measured_launches_do_not_print_it(fake_run: FakeRun) -> None:
    spec = reporting(fake_run)
    (checked,) = [line for line in job_lines(spec, {}) if "TELL" in line]
    assert checked.startswith("check_transport fake-1 ")
    assert not any("TELL" in word for launch in spec.launches for word in launch.program)
    assert "TELL" not in spec.stacks["fake-1"].environment.set


@pytest.mark.process
@pytest.mark.parametrize(
    ("printed", "transport"), [("[0] way: tcp", "way tcp"), ("the network is gone", "not known"), ("", "not known")]
)
def test_the_job_keeps_what_is_printed_and_goes_on_whatever_the_exit_code(
    fake_run: FakeRun, printed: str, transport: str
) -> None:
    (check,) = reporting(fake_run).transport_checks
    script = f'echo "{printed}" >&2; touch {check.program[-1]}.partial; exit 3'
    check = check.model_copy(update={"launchers": {"stack": ["sh", "-c", script]}})
    done = job(fake_run, "echo went on", transport_checks=[check])
    attempt = fake_run.layout.attempt("b001", 1)
    assert done.stdout == "went on\n", done.stderr
    assert read_transport(attempt, "fake-1", REPORT) == transport
    assert sorted(path.name for path in attempt.iterdir()) == ["started", "transport-fake-1.out"]


def test_an_accepted_launch_states_what_carried_its_messages(fake_run: FakeRun) -> None:
    spec, name = reporting(fake_run), fake_run.names[0]
    measured(fake_run, spec, 0)
    described = spec.folder / f"{name}.provenance"
    described.write_text(json.dumps({"record": "launch", "host": "n0"}) + "\n")
    (spec.folder / "transport-fake-1.out").write_bytes(b"way: ucx\xff\n\0way: tcp\n")
    accept(spec, spec.folder, fake_run.layout.launch)
    assert read_provenance(fake_run.layout.provenance(name)).launch == {"host": "n0", "transport": "way tcp ucx\ufffd"}
    assert read_provenance(described).launch == {"host": "n0"}


def test_a_launch_of_a_library_that_was_not_asked_states_nothing(fake_run: FakeRun) -> None:
    spec, name = reporting(fake_run), fake_run.names[0]
    measured(fake_run, spec, 0)
    (spec.folder / f"{name}.provenance").write_text(json.dumps({"record": "launch", "host": "n0"}) + "\n")
    accept(spec, spec.folder, fake_run.layout.launch)
    assert read_provenance(fake_run.layout.provenance(name)).launch == {"host": "n0"}


def test_an_output_that_cannot_be_read_is_not_known(tmp_path: Path) -> None:
    assert read_transport(tmp_path, "fake-1", REPORT) == ""
    (tmp_path / "transport-fake-1.out").write_text("way: tcp\n")
    assert read_transport(tmp_path, "fake-1", None) == ""
    (tmp_path / "transport-fake-1.out").chmod(0)
    readable = os.access(tmp_path / "transport-fake-1.out", os.R_OK)  # for root
    assert read_transport(tmp_path, "fake-1", REPORT) == ("way tcp" if readable else "not known")
    assert stat.S_IMODE((tmp_path / "transport-fake-1.out").stat().st_mode) == 0
