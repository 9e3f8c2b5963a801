# SPDX-License-Identifier: BSD-3-Clause
"""`isochron plan --from-profile`: the campaign has what the program uses, and says what it has not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from isochron.cli.main import main
from isochron.common.files import FileError
from isochron.schemas.profile.profile import load_profile, merged
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.profiling.campaign import design
from tests.workflows.conftest import CampaignFile
from tests.workflows.profiling.files import Made, calls, profile_of

CLASSES = [
    calls("allreduce", 8, 400, 4.0),
    calls("alltoall", 1500, 100, 3.0, exact=False, element=4),
    calls("isend", 4096, 100, 1.0),
    calls("irecv", 8192, 100, 1.0),
    calls("waitall", 0, 50, 0.5, processes=0),
    calls("barrier", 0, 10, 0.2, element=0),
    calls("put", 64, 10, 0.2, processes=0),
    calls("bcast", 24, 10, 0.0001),
    calls("bcast", 64, 10, 0.1, processes=1),
]


def test_a_campaign_has_the_operations_sizes_and_processes_of_the_program() -> None:
    made = design([profile_of(*CLASSES)])
    assert made.operations == ["barrier", "alltoall", "allreduce", "multi-ping-pong"]
    assert made.sizes == [8, 1500, 4096]
    assert (made.processes, made.processes_per_node) == ([2], [2])
    assert made.weights["multi-ping-pong", 4096, 2] == pytest.approx(0.25, rel=0.01)
    assert sum(made.weights.values()) == pytest.approx(0.97, abs=0.005)
    assert {(each.name, each.reason) for each in made.left} == {
        ("put", "not an operation of a campaign"),
        ("bcast", "between fewer than two processes"),
        ("bcast", "too small a share of the time"),
    }
    assert made.sizes_by_operation == {"alltoall": [1500], "allreduce": [8], "multi-ping-pong": [4096]}
    assert made.used == (4, 4)
    assert made.datatype == "auto"  # 1500 bytes are no whole number of doubles


def test_reductions_of_doubles_are_measured_with_doubles() -> None:
    assert design([profile_of(calls("allreduce", 8, 4, 1.0))]).datatype == "double"
    assert design([profile_of(calls("allreduce", 8, 4, 1.0, element=4))]).datatype == "auto"


def test_an_odd_number_of_processes_is_measured_with_one_pair() -> None:
    made = design([profile_of(calls("send", 8, 4, 1.0, processes=3), processes=3)])
    assert made.operations == ["ping-pong"]


def test_waits_for_more_than_messages_are_left_out() -> None:
    classes = [calls("isend", 8, 4, 1.0), calls("wait", 0, 4, 1.0, processes=0), calls("iallreduce", 8, 4, 0.1)]
    made = design([profile_of(*classes)])
    assert made.operations == ["iallreduce", "multi-ping-pong"]
    assert [(each.name, each.share) for each in made.left] == [("wait", pytest.approx(1 / 2.1))]


@pytest.mark.parametrize("operation", ["bcast", "send", "sendrecv"])
def test_what_is_too_large_for_a_campaign_is_not_measured(operation: str) -> None:
    made = design([profile_of(calls("allreduce", 8, 4, 1.0), calls(operation, 2**31, 4, 3.0))])
    assert made.sizes == [8]
    ((share, reason),) = {(each.share, each.reason) for each in made.left if each.bytes == 2**31}
    assert share == pytest.approx(0.75)
    assert reason == "larger than 2147483647 bytes, the limit of a campaign"


def test_what_cannot_be_planned_is_not_written(
    tmp_path: Path, campaign_file: CampaignFile, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other campaign says of which elements messages are, and those of the program are no whole number of them."""
    profile_of(calls("bcast", 12, 4, 1.0)).save(tmp_path / "a.profile.json")
    base = campaign_file(engine={"datatype": "double"})
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.iterdir())
    assert main(["plan", str(base), "--from-profile", "a.profile.json", "--output", "b.yaml"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("isochron: b.yaml: not written, as no campaign can be made from these profiles: ")
    assert "12" in said and "partial" not in said
    assert set(tmp_path.iterdir()) == before


def test_it_is_written_planned_and_not_written_over(
    tmp_path: Path, campaign_file: CampaignFile, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    profile_of(*CLASSES, program="Solver.x").save(tmp_path / "a.profile.json")
    base = campaign_file(description="x", contrasts={"loop": {"scheme": "loop"}})
    monkeypatch.chdir(tmp_path)
    words = ["plan", str(base), "--from-profile", "a.profile.json"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "solver.x.yaml: 4 of its 4 cases are MPI calls of the programs" in said
    assert "not measured: Solver.x: put of 64 bytes, 2 % of the time: not an operation of a campaign" in said
    assert "1 point, 3 blocks" in said
    campaign = load_campaign(tmp_path / "solver.x.yaml")
    assert campaign.stacks == ["openmpi-5.0", "mpich-5.0"] and campaign.contrasts == {}
    assert campaign.question.baseline == "openmpi-5.0"
    assert campaign.question.weight("alltoall", 1500) == pytest.approx(0.3)
    assert campaign.question.weight("alltoall", 8) == 0
    assert campaign.chosen == [("barrier", 0), ("alltoall", 1500), ("allreduce", 8), ("multi-ping-pong", 4096)]
    assert campaign.analysis.profiles == [str(tmp_path / "a.profile.json")]
    assert "# not measured: Solver.x: put" in (tmp_path / "solver.x.yaml").read_text()
    assert main(words) == 2
    assert "solver.x.yaml: already exists; name another file with --output" in capsys.readouterr().err
    assert main([*words, "--output", "b.yaml", "--stacks", "mpich-5.0"]) == 0
    assert "no stack is the library of the profile (Open MPI v5.0.8" in capsys.readouterr().err
    (tmp_path / "a.profile.json").unlink()
    assert main(["plan", "b.yaml"]) == 2
    assert "b.yaml: analysis.profiles[0]: " in capsys.readouterr().err


#: What ends a line somewhere; then a hook, which `run` would execute.
ENDS = ["\n", "\r", "\x85", "\u2028", "\u2029", "\x0b"]
HOOK = "hooks: {on_complete: touch executed}"


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("field", ["program", "library", "classes[0].operation"])
def test_a_profile_whose_names_end_a_line_is_refused(field: str, end: str, tmp_path: Path) -> None:
    """Written as a comment such a name would begin a key of the campaign file."""
    document = json.loads(profile_of(*CLASSES).model_dump_json())
    whose = document["classes"][0] if "." in field else document
    whose[field.rpartition(".")[2]] += f"{end}{HOOK}"
    (tmp_path / "a.profile.json").write_text(json.dumps(document))
    with pytest.raises(
        FileError, match=rf"a\.profile\.json: {re.escape(field)}: .*contains a control character or a line end"
    ):
        load_profile(tmp_path / "a.profile.json")


@pytest.mark.parametrize("end", ENDS)
def test_nor_is_a_file_of_such_a_name_taken(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"a{end}{HOOK}"
    profile_of(*CLASSES).save(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    assert main(["plan", "--from-profile", name, "--output", "made.yaml"]) == 2
    assert capsys.readouterr().err.startswith(f"isochron: a\ufffd{HOOK}: the name contains a control character")
    assert not (tmp_path / "made.yaml").exists()


def test_a_process_with_such_a_name_is_profiled(tmp_path: Path) -> None:
    """What cannot be shown is replaced: what was counted for hours is not lost by a name."""
    Made(program=f"solver\n{HOOK}", library="Open MPI\u2028v5", processes=1).write(tmp_path)
    profile = merged(tmp_path)
    assert (profile.program, profile.library) == (f"solver\ufffd{HOOK}", "Open MPI\ufffdv5")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plan"], "plan: CAMPAIGN is missing"),
        (["plan", "demo", "--output", "x.yaml"], "--output: only valid with --from-profile"),
        (["plan", "--from-profile", "none.json"], "none.json: cannot be read"),
    ],
)
def test_bad_words_are_refused(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    assert said in capsys.readouterr().err


def test_a_program_that_calls_nothing_measurable_has_no_campaign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    profile_of(calls("put", 8, 1, 1.0)).save(tmp_path / "a.profile.json")
    monkeypatch.chdir(tmp_path)
    assert main(["plan", "--from-profile", "a.profile.json"]) == 2
    assert "solver: no campaign can measure these calls" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["a.profile.json"]
