# SPDX-License-Identifier: BSD-3-Clause
"""Files of rules: each measured case gets its algorithm, everything else the library's own choice."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.common.files import FileError
from isochron.schemas.run.tuning import Rule
from isochron.workflows.explanation.library_settings import Setting
from isochron.workflows.tuning.files import (
    PARAMETERS,
    RULES,
    algorithm_at,
    has_sizes,
    openmpi_numbers,
    openmpi_rules,
    write_files,
)


def rule(operation: str, processes: int, low: int, high: int, number: int, setting: str = "") -> Rule:
    """A rule of Open MPI, if nothing else is said."""
    name = setting or f"coll_tuned_{operation.replace('-', '_')}_algorithm"
    return Rule(
        operation=operation, processes=processes, low=low, high=high, setting=name, variable=f"OMPI_MCA_{name}",
        algorithm=f"word-{number}", number=number,
    )  # fmt: skip


RULES_OF_TWO = [
    rule("bcast", 4, 64, 1024, 6),
    rule("bcast", 4, 4096, 4096, 1),
    rule("bcast", 16, 64, 64, 2),
    rule("alltoall", 4, 64, 256, 3),
    rule("barrier", 4, 0, 0, 5),
]


@pytest.mark.parametrize(
    ("operation", "size", "processes", "number"),
    [
        ("bcast", 63, 4, 0), ("bcast", 64, 4, 6), ("bcast", 500, 4, 6), ("bcast", 1024, 4, 6), ("bcast", 1025, 4, 0),
        ("bcast", 4096, 4, 1), ("bcast", 4097, 4, 0), ("bcast", 1 << 30, 4, 0), ("bcast", 64, 3, 0),
        ("bcast", 64, 5, 0), ("bcast", 64, 16, 2), ("bcast", 1024, 16, 0), ("bcast", 64, 17, 0),
        ("alltoall", 63, 4, 0), ("alltoall", 64, 4, 3), ("alltoall", 256, 4, 3), ("alltoall", 257, 4, 0),
        ("barrier", 0, 4, 5), ("barrier", 0, 2, 0), ("reduce", 64, 4, 0),
    ],
)  # fmt: skip
def test_a_case_has_its_algorithm_and_no_other_size_or_number_has(
    operation: str, size: int, processes: int, number: int
) -> None:
    assert algorithm_at(openmpi_rules(RULES_OF_TWO, {}), operation, size, processes) == number


def test_rules_next_to_each_other_do_not_end_each_other() -> None:
    text = openmpi_rules([rule("bcast", 2, 8, 8, 1), rule("bcast", 2, 9, 16, 2)], {})
    assert [algorithm_at(text, "bcast", size, 2) for size in (7, 8, 9, 16, 17)] == [0, 1, 2, 2, 0]


def test_fanout_and_segment_are_those_of_a_forced_algorithm() -> None:
    settings = {
        name: Setting(name=name, kind="integer", value=value, constant=False, choices=[], meaning="")
        for name, value in (
            ("coll_tuned_bcast_algorithm_chain_fanout", "7"),
            ("coll_tuned_bcast_algorithm_tree_fanout", "8"),
            ("coll_tuned_bcast_algorithm_segmentsize", "1024"),
        )
    }
    numbers = openmpi_numbers(openmpi_rules([rule("bcast", 2, 8, 8, 1)], settings))
    assert numbers == [1, 7, 3, 0, 1, 0, 0, 0, 0, 2, 3, 0, 0, 0, 0, 8, 1, 7, 1024, 9, 0, 0, 0, 3, 1, 0, 0, 0, 0]


def test_a_file_that_ends_too_early_is_refused() -> None:
    text = openmpi_rules(RULES_OF_TWO, {})
    with pytest.raises(FileError, match="ends too early"):
        algorithm_at(text[: len(text) // 2].rpartition("\n")[0], "barrier", 0, 4)


def test_which_settings_have_sizes() -> None:
    assert has_sizes("coll_tuned_bcast_algorithm", "bcast")
    assert not has_sizes("coll_libnbc_ibcast_algorithm", "ibcast")
    assert not has_sizes("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "bcast")
    assert not has_sizes("coll_tuned_exscan_algorithm", "exscan")  # its rules are looked up by the processes alone


def test_files_and_variables_put_rules_in_force(tmp_path: Path) -> None:
    always = rule("ibcast", 0, 8, 64, 2, "coll_libnbc_ibcast_algorithm")
    files, variables = write_files(tmp_path, [RULES_OF_TWO[0], always], {"NEED": "1"}, {})
    assert [path.name for path in files] == [
        RULES, PARAMETERS, "settings.sh", "settings.lua", "settings.tcl",
    ]  # fmt: skip
    assert variables == {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
        "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(tmp_path / RULES),
        "NEED": "1",
        "OMPI_MCA_coll_libnbc_ibcast_algorithm": "word-2",
    }
    lines = (tmp_path / PARAMETERS).read_text().splitlines()
    assert lines == [
        "coll_tuned_use_dynamic_rules = 1", f"coll_tuned_dynamic_rules_filename = {tmp_path / RULES}",
    ]  # fmt: skip
    exports = (tmp_path / "settings.sh").read_text()
    assert exports == "export NEED=1\nexport OMPI_MCA_coll_libnbc_ibcast_algorithm=word-2\n"
