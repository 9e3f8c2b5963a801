# SPDX-License-Identifier: BSD-3-Clause
"""The engine's contract: --describe json is the committed document; --check-options refuses what a launch refuses."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.engine.contract.test_usage import BAD, GOOD
from tests.engine.support import ENGINE, Finished, Mpi

DESCRIPTION = ENGINE / "description.json"
#: Facts that relations may ask of besides options and operations (relations.c).
CASE_FACTS = {"processes", "bytes", "element.name", "element.size", "farthest", "smallest-group"}


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(DESCRIPTION.read_text())
    return document


def alone(engine: Path, mpi: Mpi, *words: str | Path) -> Finished:
    """The engine without a launcher."""
    done = subprocess.run([engine, *words], env=mpi.env, capture_output=True, text=True, timeout=900, check=False)
    return Finished(done.returncode, done.stdout, done.stderr)


def check(engine: Path, mpi: Mpi, options: dict[str, str | None], *words: str) -> Finished:
    given = [word for name, value in options.items() if value is not None for word in (name, value)]
    return alone(engine, mpi, "--check-options", *words, *given)


def test_the_committed_description_is_that_of_the_engine(engine: Path, mpi: Mpi) -> None:
    """`make -C reframe_checks/engine describe CC=... BUILD=...` writes it anew."""
    done = alone(engine, mpi, "--describe", "json")
    assert (done.code, done.err) == (0, "")
    assert done.out == DESCRIPTION.read_text()


def test_options_are_those_of_the_help(engine: Path, mpi: Mpi, described: dict[str, Any]) -> None:
    shown = [line.split()[0] for line in alone(engine, mpi, "--help").out.splitlines() if line.startswith("  --")]
    options = [f"--{option['name']}" for option in described["options"] if not option["hidden"]]
    assert shown == options
    hidden = {option["name"] for option in described["options"] if option["hidden"]}
    assert hidden == {"test-clock", "test-probes", "corrupt-rank"}


def test_operations_are_those_of_the_list(engine: Path, mpi: Mpi, described: dict[str, Any]) -> None:
    listed = [line.split()[0] for line in alone(engine, mpi, "--list").out.splitlines()[1:]]
    assert [entry["name"] for entry in described["operations"] if not entry["hidden"]] == listed
    by_name = {entry["name"]: entry for entry in described["operations"]}
    assert by_name["bcast_init"]["persistent"] and by_name["bcast_init"]["group"] == "persistent"
    assert by_name["transfer-5"]["persistent"] and by_name["transfer-5"]["needs_processes"] == 2
    assert by_name["reduce"]["reduces"] and by_name["reduce"]["root"] and by_name["reduce"]["shape"] == "vector"
    assert not by_name["barrier"]["data"] and by_name["barrier"]["shape"] == "no-data"


def test_relations_ask_of_known_facts(described: dict[str, Any]) -> None:
    """Every fact that a relation names is an option, a number of an option's form, or one of a case."""
    known = CASE_FACTS | {f"operation.{fact}" for fact in described["operations"][0]}
    for option in described["options"]:
        numbers = {number["name"] for form in option.get("forms", ()) for number in form["numbers"]}
        known |= {option["name"], f"{option['name']}.given", *(f"{option['name']}.{number}" for number in numbers)}
    for relation in described["relations"]:
        for condition in (*relation["when"], relation["require"]):
            asked = {condition["left"], condition.get("times"), condition.get("right")}
            assert {fact for fact in asked if isinstance(fact, str)} <= known, relation["name"]
        assert relation["scope"] in ("options", "launch", "operation", "case")
        assert relation["effect"] in ("refused", "not-supported") and relation["text"]


@pytest.mark.parametrize(("changes", "named"), BAD, ids=str)
def test_what_a_launch_refuses_is_refused(
    engine: Path, mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str | None], named: str
) -> None:
    """One line, exit code 2; only the output need not be named."""
    monkeypatch.chdir(tmp_path)
    done = check(engine, mpi, {**GOOD, **changes}, "--expect-ranks", "2")
    if changes == {"--output": None}:
        assert (done.code, done.out, done.err) == (0, "", "")
        return
    assert done.code == 2 and done.out == ""
    assert len(done.err.splitlines()) == 1 and done.complaints and named in done.complaints[0]
    assert list(tmp_path.iterdir()) == []


GOOD_LINES = [
    {},
    {"--output": None},
    {"--operations": "all", "--sizes": "0,8,64KiB"},
    {"--operations": "bcast,reduce", "--scheme": "rotating-root"},
    {"--operations": "barrier", "--sizes": None},
    {"--operations": "alltoallw", "--datatype": "vector:2:2:5", "--sizes": "96"},
    {"--scheme": "round-time", "--time-budget": "2"},
    {"--arrival": "one-late:100", "--rank-order": "random:3", "--clock-sync": "hca3"},
]


@pytest.mark.parametrize("changes", GOOD_LINES, ids=str)
def test_a_good_line_is_let_pass(
    engine: Path, mpi: Mpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str | None]
) -> None:
    """Exit code 0, nothing printed, nothing made."""
    monkeypatch.chdir(tmp_path)
    for words in ((), ("--expect-ranks", "4")):
        done = check(engine, mpi, {**GOOD, **changes}, *words)
        assert (done.code, done.out, done.err) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_without_processes_what_needs_them_is_not_asked(engine: Path, mpi: Mpi) -> None:
    words = {**GOOD, "--root": "5", "--output": None}
    assert check(engine, mpi, words).code == 0
    assert check(engine, mpi, words, "--expect-ranks", "6").code == 0
    assert "give 0 to 4" in check(engine, mpi, words, "--expect-ranks", "5").err


def test_files_are_looked_at(engine: Path, mpi: Mpi, tmp_path: Path) -> None:
    """An output that exists, an order that does not list every process."""
    order, output = tmp_path / "order", tmp_path / "out.jsonl"
    order.write_text("1 0\n")
    listed = {**GOOD, "--output": None, "--rank-order": f"list:{order}"}
    assert check(engine, mpi, listed, "--expect-ranks", "2").code == 0
    assert "0 to 2" in check(engine, mpi, listed, "--expect-ranks", "3").err
    assert check(engine, mpi, {**GOOD, "--output": str(output)}).code == 0
    output.write_text("")
    assert "exists" in check(engine, mpi, {**GOOD, "--output": str(output)}).err
