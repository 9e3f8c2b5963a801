# SPDX-License-Identifier: BSD-3-Clause
"""`isochron push`: what is kept and sent, its exit codes, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.cli.main import main
from isochron.cli.results import push
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.outputs import record_outputs
from isochron.schemas.run.state import RunState
from isochron.workflows.push import deliver
from isochron.workflows.push.batch import Batch, RefusedError, UnreachableError
from isochron.workflows.push.over_http import JsonReceiver
from tests.postprocess.synthetic import Spec, write_run
from tests.workflows.push.samples import batch

SPEC = Spec(stacks=["mpich-5.0"], operations=["bcast"], sizes=[8], processes=[4], launches=2, runs=4)
URL = "https://me@collector.example.org/isochron?site=a"
SHOWN = "https://collector.example.org/isochron"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunLayout:
    """A complete run with a report, whose records are five."""
    layout = RunLayout(write_run(tmp_path / "results" / "synthetic" / "20260504T080000Z-aaaa", SPEC))
    RunState.load(layout.state).model_copy(update={"state": "complete"}).save(layout.state)
    layout.report.parent.mkdir(exist_ok=True)
    layout.report.write_text("x")
    record_outputs(layout)
    monkeypatch.setattr(push, "records_of", lambda run: batch(run.run_id).content)
    monkeypatch.setattr(deliver, "PAUSES", ())
    monkeypatch.chdir(tmp_path)
    return layout


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Exception]:
    """What the receiver answers, a request after the other; then it accepts."""
    answers: list[Exception] = []

    def accept(_self: JsonReceiver, _batch: Batch) -> None:
        if answers:
            raise answers.pop(0)

    monkeypatch.setattr(JsonReceiver, "accept", accept)
    return answers


def spooled(run: RunLayout) -> list[Path]:
    return sorted((run.root.parents[1] / ".push").glob("*/*.jsonl"))


def test_what_is_delivered_is_said(
    run: RunLayout, answers: list[Exception], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["push", "synthetic", "--to", URL]) == 0
    assert capsys.readouterr().out == f"{run.run_id}: 5 records delivered to {SHOWN}\n"
    assert spooled(run) == []
    assert main(["push", "--to", URL]) == 0
    assert capsys.readouterr().out == f"nothing is left to be delivered to {SHOWN}\n"


def test_what_is_not_delivered_is_sent_by_the_next_call(
    run: RunLayout, answers: list[Exception], capsys: pytest.CaptureFixture[str]
) -> None:
    answers.append(UnreachableError("does not answer (Connection refused)"))
    assert main(["push", str(run.root), "--to", URL]) == 1
    (path,) = spooled(run)
    assert capsys.readouterr().err == (
        f"isochron: {SHOWN}: does not answer (Connection refused). 1 run is kept in {path.parent}, and sent by the "
        "next `isochron push` to this address\n"
    )
    assert main(["push", "--to", URL]) == 0
    assert capsys.readouterr().out == f"{run.run_id}: 5 records delivered to {SHOWN}\n"
    assert spooled(run) == []


def test_a_refusal_is_said_once(run: RunLayout, answers: list[Exception], capsys: pytest.CaptureFixture[str]) -> None:
    answers.append(RefusedError("answered 400 Bad Request"))
    assert main(["push", "-q", str(run.root), "--to", URL]) == 1
    assert f"{run.run_id}: answered 400 Bad Request. 1 run is kept in" in capsys.readouterr().err
    assert len(spooled(run)) == 1


def unfinished(run: RunLayout) -> None:
    RunState.load(run.state).model_copy(update={"state": "interrupted"}).save(run.state)


def unreported(run: RunLayout) -> None:
    run.report.unlink()


def changed(run: RunLayout) -> None:
    run.report.write_text("y")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (unfinished, "is not finished; `isochron status synthetic` says why"),
        (unreported, "has no report (index.html); call `isochron report synthetic` first"),
        (changed, "is damaged or lost, or was changed after it was written"),
    ],
)
def test_only_a_finished_run_is_sent(
    run: RunLayout, answers: list[Exception], damage: object, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(damage)
    damage(run)
    assert main(["push", "synthetic", "--to", URL]) == 2
    assert said in capsys.readouterr().err
    assert not (run.root.parents[1] / ".push").exists()


def test_no_results_are_refused(run: RunLayout, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["push", "--to", URL, "--results", "elsewhere"]) == 2
    assert "elsewhere: is not a folder; give the folder of all runs with --results" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (
            "collector.example.org",
            "begins with none of the schemes that are known; give https://HOST/PATH, prometheus+https://",
        ),
        ("ftp://collector.example.org", "begins with none of the schemes"),
        ("https://", "is not an address; give one like https://HOST/PATH"),
        ("https:///isochron", "is not an address; give one like https://HOST/PATH"),
        ("https://a b", "is not an address; give one like https://HOST/PATH"),
        ("https://host:port/", "is not an address (Port could not be cast"),
        ("https://[::1", "is not an address (Invalid IPv6 URL)"),
        ("https://host/#part", "is not an address; give one like https://HOST/PATH"),
        ("https://me:s3same@host/", "has a password, which the process list shows to everybody: put it into the value"),
        ("https://host/?token=s3same", "has a password, which the process list shows to everybody"),
        ("https://host/?a=b&API_KEY=s3same", "has a password, which the process list shows to everybody"),
    ],
)
def test_a_wrong_address_is_refused_and_no_secret_repeated(
    url: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["push", "demo", "--to", url])
    assert ended.value.code == 2
    message = capsys.readouterr().err
    assert f"--to: {said}" in message
    assert "s3same" not in message
