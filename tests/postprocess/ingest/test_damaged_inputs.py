# SPDX-License-Identifier: BSD-3-Clause
"""What analysis reads beside raw files, damaged or lost: it is read as it was, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.cli.main import main
from isochron.common.copies import copy_of
from isochron.common.files import FileError
from isochron.common.sealed import seal
from isochron.postprocess.estimate.history_cache.cache import Archive
from isochron.postprocess.estimate.history_cache.facts import facts_of_all
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.schemas.run.provenance import read_provenance, read_timers
from isochron.workflows.runs import find_run

#: Timers as the engine tests them.
TIMERS = "node0 tsc clock-gettime 1.0 39.0 0.5 good\n"


@pytest.fixture
def sealed(small: RunInputs) -> RunInputs:
    """A little run with every kind of sealed file."""
    layout = small.layout
    attempt = layout.attempt("b001", 1)
    attempt.mkdir(parents=True)
    (attempt / "timers.txt").write_text(TIMERS)
    facts = layout.provenance(small.plan.launches[0].name)
    facts.write_text('{"record": "node", "host": "node0", "kernel": "6.1"}\n')
    for path in (layout.state, layout.campaign, layout.plan, facts, attempt / "timers.txt"):
        seal(path)
    for stack in small.manifests:
        seal(layout.manifest(stack))
    return small


def read(run: RunInputs) -> object:
    """All that is read of sealed files, by their readers."""
    layout = run.layout
    (facts,) = facts_of_all([layout], Archive(None))
    timers = [read_timers(path) for path in layout.timer_checks()]
    return load_inputs(layout.root), facts, read_provenance(layout.provenance(run.plan.launches[0].name)), timers


def test_no_bit_of_a_sealed_file_has_an_effect(sealed: RunInputs) -> None:
    before = read(sealed)
    copies = sorted(sealed.layout.root.rglob(".*.copy"))
    assert len(copies) == 5 + len(sealed.manifests)
    for copy in copies:
        for path in (copy.with_name(copy.name[1:-5]), copy):
            content = path.read_bytes()
            for at in range(1, len(content), max(1, len(content) // 4)):
                path.write_bytes(bytes([*content[:at], content[at] ^ 4, *content[at + 1 :]]))
                assert read(sealed) == before, (path, at)
            for left in (b"", content[: len(content) // 2]):
                path.write_bytes(left)
                assert read(sealed) == before, (path, left)
            path.unlink()
            assert read(sealed) == before, path
            path.write_bytes(content)


def test_a_confidence_that_was_changed_by_a_bit_is_not_used(sealed: RunInputs) -> None:
    path = sealed.layout.campaign
    text = path.read_text()
    path.write_text(text.replace("confidence: 0.95", "confidence: 0.85"))
    assert path.read_text() != text
    assert load_inputs(sealed.layout.root).campaign.analysis.confidence == 0.95
    copy_of(path).write_bytes(b"0" + copy_of(path).read_bytes()[1:-9])
    with pytest.raises(FileError, match=r"campaign\.yaml: cannot be read: .*\.campaign\.yaml\.copy is damaged, too"):
        load_inputs(sealed.layout.root)


@pytest.mark.parametrize("name", ["campaign.json", "stacks/mpich-5.0.json"])
def test_report_restores_a_lost_file_and_says_so(
    sealed: RunInputs, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isochron.cli.results.report.make_report", lambda _run, **_: [])
    path: Path = sealed.layout.root / name
    content = path.read_bytes()
    path.unlink()
    assert find_run(path, str(sealed.layout.root)).root == sealed.layout.root
    assert main(["report", str(sealed.layout.root)]) == 0
    assert f"{path}: damaged or lost; restored from its copy" in capsys.readouterr().err
    assert path.read_bytes() == content
