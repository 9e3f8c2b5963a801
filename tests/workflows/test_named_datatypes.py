# SPDX-License-Identifier: BSD-3-Clause
"""Operations with a datatype in their name, from the campaign file to the plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.cli.main import main
from isochron.schemas.engine.contract import (
    BURSTS,
    HALVED,
    MOVED,
    ROOTED,
    base_operation,
    cases,
    contract,
    datatype_name,
    fits_datatype,
    memory_bytes,
    operation,
    with_datatype,
)
from isochron.schemas.engine.option_values import TextValue, parse_text_value
from isochron.schemas.input.session_memory import session_bytes
from isochron.workflows.planning import simulation
from isochron.workflows.planning.estimate import operation_us
from isochron.workflows.planning.plan import make_plan
from tests.workflows.conftest import CampaignFile, campaign

NAMED = contract().named_datatypes
TYPED = {"operations": ["barrier", "bcast", "bcast@vector-32"], "sizes": [8, 512, 4096]}


@pytest.mark.parametrize("named", NAMED, ids=lambda named: named.name)
def test_a_named_datatype_is_what_its_description_says(named: object) -> None:
    datatype = next(one for one in NAMED if one == named)
    parsed = parse_text_value(contract().option("datatype"), datatype.datatype)
    assert isinstance(parsed, TextValue) and (parsed.size, parsed.extent) == (datatype.bytes, datatype.extent)
    assert 4096 % datatype.bytes == 0


def test_an_operation_is_looked_up_by_what_is_before_its_datatype() -> None:
    assert (base_operation("bcast@indexed"), datatype_name("bcast@indexed")) == ("bcast", "indexed")
    assert (base_operation("bcast"), datatype_name("bcast")) == ("bcast", "")
    assert (with_datatype("bcast", "indexed"), with_datatype("bcast", "")) == ("bcast@indexed", "bcast")
    typed, plain = operation("bcast@indexed"), operation("bcast")
    assert typed.name == "bcast@indexed" and typed.named_datatype in NAMED and plain.named_datatype is None
    assert typed.model_copy(update={"name": "bcast", "named_datatype": None}) == plain
    with pytest.raises(KeyError):
        operation("bcast@vector-33")


def test_properties_of_an_operation_are_those_with_a_datatype() -> None:
    assert {"ping-pong@vector-8", "ping-pong"} <= HALVED & MOVED
    assert "bcast@indexed" in ROOTED and "reduce" in ROOTED and "reduce@indexed" not in ROOTED
    assert operation_us("bcast@indexed", 4096, 8, 1) == operation_us("bcast", 4096, 8, 1)
    assert all(operation_us(f"{name}@indexed", 64, 8, 5) == operation_us(name, 64, 8, 5) for name in BURSTS)


def test_sizes_that_a_datatype_does_not_fit_are_no_cases() -> None:
    assert [size for size in (0, 8, 512, 1000) if fits_datatype("bcast@vector-32", size)] == [0, 512]
    listed = [("barrier", 0), ("bcast", 8), ("bcast", 512), ("bcast", 4096)]
    assert cases(TYPED["operations"], TYPED["sizes"]) == [
        *listed, ("bcast@vector-32", 512), ("bcast@vector-32", 4096),
    ]  # fmt: skip


def test_a_plan_names_the_sizes_that_a_datatype_does_not_fit(
    campaign_file: CampaignFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["plan", str(campaign_file(**TYPED)), "--results", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "6 operations × sizes in each launch" in printed
    assert "bcast@vector-32: not measured at 8 bytes, which are not multiples of 512" in printed


def test_all_cases_are_measured_in_one_launch() -> None:
    planned = campaign(**TYPED)
    plan = make_plan(planned)
    assert all(not launch.operations and not launch.sizes for launch in plan.launches)
    assert plan.launches[0].cases(planned.operations, planned.sizes) == planned.chosen


def test_fewer_sizes_of_one_operation_need_no_launch_for_those_that_do_not_fit() -> None:
    """8 bytes are measured with 4096, where the datatype is, too; 512 without it."""
    planned = campaign(**TYPED, sizes_by_operation={"bcast@vector-32": [4096]})
    launches = {(tuple(one.operations), tuple(one.sizes)) for one in make_plan(planned).launches}
    assert launches == {(("barrier", "bcast", "bcast@vector-32"), (8, 4096)), (("bcast",), (512,))}
    measured = [case for operations, sizes in launches for case in cases(list(operations), list(sizes))]
    assert sorted(measured) == sorted(planned.chosen)


def test_a_launch_lists_no_operation_of_which_it_measures_nothing() -> None:
    planned = campaign(**TYPED, sizes_by_operation={"bcast": [8], "bcast@vector-32": [512, 4096]})
    launches = {(tuple(one.operations), tuple(one.sizes)) for one in make_plan(planned).launches}
    assert launches == {(("barrier", "bcast"), (8,)), (("bcast@vector-32",), (512, 4096))}


def test_gaps_of_a_datatype_need_memory() -> None:
    assert memory_bytes("bcast@vector-32", 4096) == 8192 and memory_bytes("bcast", 4096) == 4096
    plain, typed = (
        session_bytes(campaign(operations=[name], sizes=[2**24]), 2, 2, 3) for name in ("bcast", "bcast@vector-32")
    )
    assert typed - plain == plain - session_bytes(campaign(operations=["barrier"]), 2, 2, 3)
    costs = [simulation.cost(name, 4096, 4, 10, 10).bytes for name in ("bcast", "bcast@vector-32")]
    assert costs[1] == 2 * costs[0] > 0
