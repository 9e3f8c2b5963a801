# SPDX-License-Identifier: BSD-3-Clause
"""Settings as libraries report them, and which of two libraries' settings a user could have changed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from isochron.common.files import FileError
from isochron.schemas.run.explanation import ChangedSetting
from isochron.schemas.run.manifest import Environment, Manifest
from isochron.workflows.explanation.choices import algorithms, cannot_be_of
from isochron.workflows.explanation.library_settings import (
    Setting,
    differences,
    parse_settings,
    read_settings,
    shown,
)

#: As MPICH 5.0.2 describes an enumeration: its words are in the meaning only.
ALGORITHM = "Variable to select barrier algorithm\nauto - Internal algorithm selection\nnb         - Force\nsmp - x"
#: As MPICH 4.0.3 describes one: the lines are joined.
JOINED = (
    "Variable to select barrier algorithmauto - Internal algorithm selection (can be overridden with A_FILE)"
    "nb            - Force nonblocking algorithmsmp           - Force smp algorithmdissemination - Force it"
)
#: And of a nonblocking operation, where words have two widths, and of one within a node, where `auto` is the last.
NONBLOCKING = (
    "Variable to select ibcast algorithmauto - Internal algorithm selection (can be overridden with A_FILE)"
    "sched_smp         - Force smp algorithmsched_binomial    - Force in each phasetsp_tree        - Force Tree"
)
WITHIN = (
    "Variable to select algorithm for intra-node barriermpir           - Fallback to MPIR collectivesrelease_gather - "
    "Force shm, gather primitivesauto - Internal algorithm selection (can be overridden with A_FILE)"
)
#: And where it is not certain where words begin.
UNCERTAIN = JOINED + "sched_naive                - Force naivetsp_ring  - Force ring"


def setting(name: str, value: str, **changes: Any) -> dict[str, Any]:
    """Return one line of what is printed."""
    line = {"name": name, "kind": "integer", "value": value, "constant": False, "choices": [], "meaning": "a size"}
    return {**line, **changes}


def printed(*lines: dict[str, Any], library: str = "MPICH Version: 5.0.2") -> str:
    """Return what the reader prints, between lines of a launcher."""
    return "\n".join(["WARNING: no fabric", json.dumps({"library": library}), *map(json.dumps, lines), "{not json"])


def test_lines_of_others_are_skipped() -> None:
    found = parse_settings(printed(setting("A", "1"), setting("B", "x", kind="text")))
    assert found.library == "MPICH Version: 5.0.2"
    assert {name: each.value for name, each in found.settings.items()} == {"A": "1", "B": "x"}


@pytest.mark.parametrize(
    ("changes", "off"),
    [
        ({"meaning": "If set to true, MPI_Bcast will use non-blocking send."}, "0"),
        ({"meaning": "This cvar enables yaksa based reduction for local reduce."}, "0"),
        ({"meaning": "Number of thread allowed in opal_progress. Default: 1"}, None),
        ({"meaning": "ERA topology 1: binary tree; 2: star tree; 3: string tree"}, None),
        ({"meaning": "By default, enabled.\nauto - select\nread - use it"}, None),
        ({"meaning": "any", "kind": "boolean"}, "0"),
        ({"meaning": "any", "kind": "boolean", "choices": ["0:false", "1:true"]}, "false"),
        ({"meaning": "If true", "choices": ["0:poll", "1:sleep"]}, None),
        ({"meaning": "If true", "kind": "text"}, None),
    ],
)
def test_switches_that_are_on_have_a_value_that_switches_them_off(changes: dict[str, Any], off: str | None) -> None:
    assert Setting.model_validate(setting("A", "1", **changes)).off == off
    assert Setting.model_validate(setting("A", "0", **changes)).off is None


@pytest.mark.parametrize(
    ("lines", "in_force"),
    [
        ([], "0"),
        (["[0] MPI startup(): I_MPI_ADJUST_BCAST=3"], "3"),
        (
            [
                "[0] MPI startup(): Incorrect algorithm: BCAST=99, will be ignored",
                "[0] MPI startup(): I_MPI_ADJUST_BCAST=99",
            ],
            "0",
        ),
        (
            [
                "[0] MPI startup(): Incorrect algorithm: IBCAST=9, will be ignored",
                "[0] MPI startup(): I_MPI_ADJUST_BCAST=3",
            ],
            "3",
        ),
    ],
)
def test_algorithms_of_intel_mpi_are_numbers_that_it_prints(lines: list[str], in_force: str) -> None:
    """MPI_T has their names and how many there are, and never a value."""
    meaning = "Control selection of MPI_Bcast algorithm presets.$ range: 0-4 @Alias:# I_MPI_ADJUST_BCAST @Default:# -1"
    described = printed(setting("MPIR_CVAR_USE_BCAST", "", kind="text", meaning=meaning))
    settings = parse_settings("\n".join([*lines, described])).settings
    assert {name: one.value for name, one in settings.items()} == {"I_MPI_ADJUST_BCAST": in_force}
    words = [(one.variable, one.new) for one in algorithms(settings, "bcast", "{name}")]
    assert words == [("I_MPI_ADJUST_BCAST", word) for word in "1234" if word != in_force]
    assert not algorithms(settings, "ibcast", "{name}")


def test_a_library_without_a_version_is_refused() -> None:
    with pytest.raises(FileError, match="did not report its version"):
        parse_settings(json.dumps(setting("A", "1")))


def test_settings_are_those_of_the_library_of_the_manifest(monkeypatch: pytest.MonkeyPatch) -> None:
    """MPICH up to 4.0 has a tab in its version, which the engine, and so the manifest, does not have."""
    manifest = cast(Manifest, SimpleNamespace(
        stack="a", environment=Environment(unset=[], set={}, prepend={}),
        launcher=SimpleNamespace(argv=["mpiexec", "-n", "{processes}"]),
        mpi_library_version="MPICH Version: 4.0.3",
    ))  # fmt: skip
    versions = [f"MPICH Version:\t{version}\nMPICH Device:\tch4:ucx" for version in ("4.0.3", "4.1.3")]
    calls: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        calls.append(command)
        return subprocess.CompletedProcess(command, 0, printed(setting("A", "1"), library=versions[len(calls) - 1]), "")

    monkeypatch.setattr(subprocess, "run", run)
    assert list(read_settings(Path("reader"), manifest).settings) == ["A"]
    with pytest.raises(FileError, match=r"stack a: the settings are of 'MPICH Version:\t4.1.3"):
        read_settings(Path("reader"), manifest)
    assert calls == [["mpiexec", "-n", "1", "reader"]] * 2


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(FileError, match="kind"):
        parse_settings(printed(setting("A", "1", kind="complex")))


def test_only_what_a_user_could_set_differs() -> None:
    old = parse_settings(
        printed(setting("SAME", "1"), setting("SIZE", "16384"), setting("major", "4", constant=True),
                setting("files", "/opt/a/x.conf", kind="text"), setting("gone", "1"))
    )  # fmt: skip
    new = parse_settings(
        printed(setting("SAME", "1"), setting("SIZE", "8192"), setting("major", "5", constant=True),
                setting("files", "/opt/b/x.conf", kind="text"), setting("fresh", "1"))
    )  # fmt: skip
    found = differences(old, new)
    assert [(each.name, each.old, each.new) for each in found.changed] == [("SIZE", "16384", "8192")]
    assert [each.name for each in found.removed] == ["gone"]
    assert [each.name for each in found.added] == ["fresh"]


def test_a_number_is_no_change_where_one_library_has_no_words_for_it() -> None:
    """Else all settings would differ whose words a release tells in another way."""
    old = parse_settings(printed(setting("A", "0", meaning=UNCERTAIN), setting("B", "0", meaning=UNCERTAIN)))
    new = parse_settings(printed(setting("A", "0", meaning=ALGORITHM), setting("B", "1", meaning=ALGORITHM)))
    assert [(each.name, each.old, each.new) for each in differences(old, new).changed] == [("B", "0", "nb")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (setting("X", "2", meaning=ALGORITHM), "smp"),
        (setting("X", "3", meaning=ALGORITHM), "3"),
        (setting("X", "-1", meaning=ALGORITHM), "-1"),
        (setting("X", "0", meaning=JOINED), "auto"),
        (setting("X", "1", meaning=JOINED), "nb"),
        (setting("X", "3", meaning=JOINED), "dissemination"),
        (setting("X", "2", meaning=NONBLOCKING), "sched_binomial"),
        (setting("X", "3", meaning=NONBLOCKING), "tsp_tree"),
        (setting("X", "2", meaning=WITHIN), "auto"),
        (setting("X", "1", meaning=UNCERTAIN), "1"),
        (setting("X", "1", kind="boolean", choices=["0:false", "1:true"]), "true"),
        (setting("X", "8192"), "8192"),
        (setting("X", "", kind="text"), ""),
    ],
)
def test_values_are_shown_as_a_user_writes_them(line: dict[str, Any], expected: str) -> None:
    assert shown(Setting.model_validate(line)) == expected


def test_algorithms_are_those_of_the_operation_itself() -> None:
    listed = "Variable to select\nauto - x\nring - x\nbrucks - x"
    settings = parse_settings(
        printed(
            setting("MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "0", meaning=listed),
            setting("MPIR_CVAR_ALLGATHER_POSIX_INTRA_ALGORITHM", "0", meaning="x\nmpir - x\nipc_read - x"),
            setting("MPIR_CVAR_ALLGATHER_INTER_ALGORITHM", "0", meaning=listed),
            setting("MPIR_CVAR_ALLGATHERV_INTRA_ALGORITHM", "0", meaning=listed),
            setting("MPIR_CVAR_IALLGATHER_INTRA_ALGORITHM", "0", meaning=listed),
            setting("MPIR_CVAR_NEIGHBOR_ALLGATHER_INTRA_ALGORITHM", "0", meaning=listed),
            setting("coll_tuned_allgather_algorithm", "1", choices=["0:ignore", "1:linear", "2:ring"]),
            setting("coll_tuned_allgather_algorithm_count", "7", constant=True),
        )
    ).settings
    found = algorithms(settings, "allgather", "X_{name}")
    assert [(each.variable, each.old, each.new) for each in found] == [
        ("X_MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "auto", "ring"),
        ("X_MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM", "auto", "brucks"),
        ("X_MPIR_CVAR_ALLGATHER_POSIX_INTRA_ALGORITHM", "mpir", "ipc_read"),
        ("X_coll_tuned_allgather_algorithm", "linear", "ring"),
    ]
    assert [each.setting for each in algorithms(settings, "neighbor-allgather", "{name}")] == [
        "MPIR_CVAR_NEIGHBOR_ALLGATHER_INTRA_ALGORITHM"
    ] * 2


@pytest.mark.parametrize(
    ("word", "processes", "cannot"), [("two_proc", [2], False), ("two_procs", [2, 4], True), ("ring", [4], False)]
)
def test_an_algorithm_of_two_processes_is_not_for_more(word: str, processes: list[int], cannot: bool) -> None:
    choice = ChangedSetting(setting="coll_tuned_barrier_algorithm", variable="X", old="auto", new=word)
    assert cannot_be_of(choice, processes) is cannot


def test_a_scatter_is_not_a_reduce_scatter() -> None:
    meaning = "Variable to select\nauto - x\nring - x"
    names = ("SCATTER", "ISCATTER", "REDUCE_SCATTER", "IREDUCE_SCATTER", "REDUCE_SCATTER_BLOCK")
    texts = (setting(f"MPIR_CVAR_{name}_INTRA_ALGORITHM", "0", meaning=meaning) for name in names)
    settings = parse_settings(printed(*texts)).settings
    for operation in ("scatter", "iscatter", "reduce_scatter", "reduce_scatter_block"):
        [only] = algorithms(settings, operation, "{name}")
        assert only.setting == f"MPIR_CVAR_{operation.upper()}_INTRA_ALGORITHM"
