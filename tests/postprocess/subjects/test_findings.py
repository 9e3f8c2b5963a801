# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from isochron.postprocess.analysis.analyse import analyse, collect
from isochron.postprocess.estimate.compare.interference import WHY
from isochron.postprocess.estimate.machine.provenance import Observation, binding_table, provenance_table
from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.ingest import ingest
from isochron.postprocess.ingest.inputs import POINT, RunInputs, load_inputs
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.comparison import finding as stacks
from isochron.postprocess.subjects.comparison.table import COMPARISON, FASTEST
from isochron.postprocess.subjects.environment.finding import bound_differently, carried_differently, environment
from isochron.postprocess.subjects.environment.table import BINDINGS, PROVENANCE
from isochron.postprocess.subjects.interference import finding as regimes
from isochron.postprocess.subjects.results.table import SUMMARY
from isochron.postprocess.subjects.stacks.table import SIDE_BY_SIDE
from isochron.postprocess.subjects.trust import finding as quality
from isochron.postprocess.subjects.verdicts.finding import dependent
from tests.postprocess.changed import having
from tests.postprocess.synthetic import Spec, write_run
from tests.reframe_checks.fakes import write_raw

pytestmark = pytest.mark.heavy


def made(spec: Spec, tmp_path_factory: pytest.TempPathFactory) -> tuple[RunInputs, Analysis]:
    inputs = load_inputs(write_run(tmp_path_factory.mktemp("made") / "run", spec))
    ingest(inputs)
    return inputs, analyse(inputs)


TWO = Spec(stacks=["openmpi-5.0", "mpich-5.0"], operations=["bcast"], sizes=[8, 64], processes=[4])


def test_the_winner_is_named_with_its_lead(tmp_path_factory: pytest.TempPathFactory) -> None:
    spec = replace(TWO, speed={"openmpi-5.0": 1.0, "mpich-5.0": 2.0})
    inputs, analysis = made(spec, tmp_path_factory)
    (finding,) = stacks.fastest(inputs, analysis)
    assert finding.text.startswith(
        "openmpi-5.0 is the fastest in 2 of 2 cases. Its largest lead over the next stack is 2."
    )
    assert "before mpich-5.0 in bcast at" in finding.text
    assert finding.details == [f"4 processes on one node: bcast (8{numbers.GAP}B and 64{numbers.GAP}B)"]
    assert finding.numbers["largest_lead"] == pytest.approx(2, rel=0.1)
    assert stacks.not_established(inputs, analysis) == []


def test_equals_have_no_winner(tmp_path_factory: pytest.TempPathFactory) -> None:
    spec = replace(TWO, speed={"openmpi-5.0": 1.0, "mpich-5.0": 1.0}, launch_spread=0.005)
    inputs, analysis = made(spec, tmp_path_factory)
    assert stacks.fastest(inputs, analysis) == []
    (finding,) = stacks.not_established(inputs, analysis)
    assert "In 2 of 2 cases no stack is established as the fastest; in 2 of them" in finding.text
    assert "launches could show one" not in finding.text


@pytest.mark.parametrize(("launches", "needed"), [(3, "4"), (4, "5")])
def test_too_few_launches_say_how_many_would_do(
    launches: int, needed: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    stacks_ = TWO.stacks if launches == 3 else [*TWO.stacks, "intel-mpi-2021"]
    spec = replace(TWO, launches=launches, stacks=stacks_, speed={"mpich-5.0": 9.0})
    inputs, analysis = made(spec, tmp_path_factory)
    assert stacks.fastest(inputs, analysis) == []  # nine times faster, but not significantly so
    (finding,) = stacks.not_established(inputs, analysis)
    assert f"With {launches} launches of each stack no difference can be significant" in finding.text
    assert f"{needed} launches could show one" in finding.text


def test_one_stack_has_no_contest(tmp_path_factory: pytest.TempPathFactory) -> None:
    inputs, analysis = made(replace(TWO, stacks=["mpich-5.0"]), tmp_path_factory)
    kinds = {finding.kind for finding in collect(inputs, analysis).findings}
    assert kinds.isdisjoint({"fastest", "open"})
    assert (analysis[FASTEST]["state"] == "only-stack").all()


def test_environment_warnings(demo: RunInputs, demo_analysis: Analysis) -> None:
    assert environment(demo, demo_analysis) == []
    launches = demo_analysis.launches.copy()
    launches.loc[launches.index[:4], "oversubscribed"] = True
    launches.loc[launches.index[0], "clock_sources"] = "hpet,tsc"
    launches.loc[launches.index[0], "engine_sha256"] = "other"
    summary = demo_analysis[SUMMARY].assign(clock_error_us=demo_analysis[SUMMARY]["median_us"] / 4)
    texts = [f.text for f in environment(demo, replace(having(demo_analysis, {SUMMARY: summary}), launches=launches))]
    assert texts[0].startswith("4 launches of 99 ran more processes or threads than cores")
    assert texts[1] == "The nodes use different clock sources: hpet and tsc."
    assert "different engines" in texts[2]
    assert texts[3].startswith("In 204 reliable results the clock error may be more than 10")


#: Two nodes of two sockets with two cores of two threads each.
NODE = {
    "cpus_online": "0-7", "smt_threads": "0-3 4-7", "socket_cpus": "0-1,4-5 2-3,6-7", "numa_cpus": "0-1,4-5 2-3,6-7",
}  # fmt: skip


@pytest.mark.parametrize(
    ("processors", "sentence"),
    [
        ({"mpich-5.0": ("0", "1")}, ""),
        ({"mpich-5.0": ("1", "0")}, ""),  # the same cores
        (
            {"mpich-5.0": ("0", "2")},
            "The stacks were bound differently, to other sockets, in 1 of 1 numbers of processes and placements: "
            "differences between them may come from that (openmpi-5.0: socket 0; mpich-5.0: socket 0-1, with 4 "
            "processes, 2 per node).",
        ),
        ({"openmpi-5.0": ("0", "0"), "mpich-5.0": ("0", "0")}, ""),
        ({"openmpi-5.0": ("0",) * 2, "mpich-5.0": ("0", "4")}, "(openmpi-5.0: shared cores; mpich-5.0: threads of "),
        ({"mpich-5.0": ("0", "5")}, "to other threads of the same cores (SMT), in 1 of 1 numbers"),
        ({"openmpi-5.0": ("0-1",) * 2}, "(openmpi-5.0: not bound; mpich-5.0: cores of their own, with 4 processes"),
        (
            {"openmpi-5.0": ("0-1",) * 2, "mpich-5.0": ("0-1",) * 2},
            "The processes of openmpi-5.0 and mpich-5.0 were not bound to cores of their own: the system may have "
            "moved them while they were measured.",
        ),
        ({"mpich-5.0": ()}, ""),  # not known
    ],
)  # fmt: skip
def test_stacks_that_were_bound_differently(
    processors: dict[str, tuple[str, ...]], sentence: str, tmp_path: Path
) -> None:
    spec = replace(TWO, processes_per_node=[2], launches=1, operations=["barrier"])
    inputs = load_inputs(write_run(tmp_path / "run", spec))
    launches = [(launch.stack, 4, 2, "packed", launch.file) for launch in inputs.plan.launches]
    for stack, *_, file in launches:
        own = processors.get(stack, ("0", "1"))
        header, *rows = (json.loads(line) for line in inputs.layout.raw(file).read_text().splitlines()[:-1])
        bindings = [
            {"host": f"node{node}", "cpus": cpus, "ranks": str(2 * node + rank)}
            for node in range(2)
            for rank, cpus in enumerate(own)
        ]
        write_raw(inputs.layout.raw(file), [{**header, "bindings": bindings}, *rows])
    table = binding_table(
        inputs, pd.DataFrame(launches, columns=["stack", *POINT, "file"]), {"node0": NODE, "node1": NODE}
    )
    said = bound_differently(table)
    assert sentence in "".join(said) and len(said) == bool(sentence), said


@pytest.mark.parametrize(
    ("carried", "sentence"),
    [
        ({"a": ["pml ob1, btl sm"], "b": ["pml ob1, btl sm"]}, ""),
        ({"a": ["pml ob1, btl sm"], "b": ["not known"]}, ""),
        ({"a": ["pml ob1, btl sm"], "other": ["provider tcp"]}, ""),  # of another library
        ({"a": ["pml ucx", "pml ob1, btl sm"], "b": ["pml ob1, btl sm", "pml ucx"]}, ""),
        (
            {"a": ["pml ob1, btl sm"], "b": ["pml ucx"], "other": ["provider tcp"]},
            "The messages of a and b, all Open MPI, were not carried in the same way: differences between them may "
            "come from that (a: pml ob1, btl sm; b: pml ucx).",
        ),
        (
            {"a": ["pml ob1, btl sm"], "b": ["pml ob1, btl sm", "pml ucx"]},
            "(a: pml ob1, btl sm; b: pml ob1, btl sm or pml ucx)",
        ),
    ],
)
def test_stacks_of_a_library_whose_messages_were_carried_differently(
    carried: dict[str, list[str]], sentence: str
) -> None:
    observed = [
        Observation(f"{stack}.{number}", stack, "n0", "transport", value)
        for stack, values in carried.items()
        for number, value in enumerate(values)
    ]
    libraries = {"a": "Open MPI", "b": "Open MPI", "other": "MPICH"}
    said = carried_differently(provenance_table(observed), libraries)
    assert sentence in "".join(said) and len(said) == bool(sentence), said


def test_a_transport_of_the_launches_is_part_of_the_report(tmp_path: Path) -> None:
    inputs = load_inputs(write_run(tmp_path / "run", replace(TWO, stacks=["openmpi-4.1", "openmpi-5.0"], launches=2)))
    for launch in inputs.plan.launches:
        way = "pml ucx" if launch.stack == "openmpi-5.0" else "pml ob1, btl sm"
        lines = [{"record": "launch", "host": "node0"}, {"record": "transport", "transport": way}]
        inputs.layout.provenance(launch.name).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    ingest(inputs)
    analysis = analyse(inputs)
    (finding,) = [finding for finding in environment(inputs, analysis) if "carried" in finding.text]
    assert "(openmpi-4.1: pml ob1, btl sm; openmpi-5.0: pml ucx)" in finding.text
    rows = analysis[SIDE_BY_SIDE].query("fact == 'transport'")
    assert rows["value"].tolist() == ["pml ob1, btl sm", "pml ucx"] and rows["differs"].all()
    assert not analysis[PROVENANCE].query("fact == 'transport'")["differs"].any()


def test_the_stacks_of_an_analysis_that_were_not_bound(demo: RunInputs, demo_analysis: Analysis) -> None:
    unbound = demo_analysis[BINDINGS].assign(sharing="unbound")
    (finding,) = environment(demo, having(demo_analysis, {BINDINGS: unbound}))
    assert "were not bound to cores of their own" in finding.text


def test_an_empty_run_has_one_finding_to_say_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    spec = replace(TWO, launches=2)
    names = {f"b00{block}.{stack}.p4.n4.packed.1" for block in (1, 2) for stack in spec.stacks}
    inputs, analysis = made(replace(spec, missing=frozenset(names)), tmp_path_factory)
    findings = collect(inputs, analysis).findings
    assert findings[0].text.startswith("4 of 4 planned launches are missing")
    assert {finding.kind for finding in findings} == {"incomplete", "unreliable"}
    assert set(analysis[SUMMARY]["verdict"]) == {"missing"}
    assert set(analysis[COMPARISON]["verdict"]) == {"missing"}


def test_two_groups_are_told_and_are_no_outliers(demo: RunInputs, demo_analysis: Analysis) -> None:
    assert quality.bimodal(demo, demo_analysis) == []
    gaps = demo_analysis[SUMMARY].assign(
        mode_ratio=demo_analysis[SUMMARY]["median_us"].where(demo_analysis[SUMMARY]["bytes"] == 8) * 0 + 2.8
    )
    (finding,) = quality.bimodal(demo, having(demo_analysis, {SUMMARY: gaps}))
    assert "2.80× apart in the median" in finding.text
    assert "whole blocks" not in finding.text
    assert finding.severity == "warning"
    assert len(finding.details) == 5
    together = having(demo_analysis, {SUMMARY: gaps.assign(modes_by_block=gaps["operation"] == "bcast")})
    (finding,) = quality.bimodal(demo, together)
    assert f"In {finding.numbers['rows_by_block']} of them the groups are whole blocks" in finding.text
    assert 0 < int(finding.numbers["rows_by_block"]) < int(finding.numbers["rows"])


def test_blocks_with_too_few_launches_for_a_test_within_them_are_told(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    inputs, analysis = made(replace(TWO, launches=5, speed={}, launch_spread=0.2), tmp_path_factory)
    (finding,) = stacks.not_established(inputs, analysis)
    assert "In 2 of them the test is over all launches" in finding.text
    within = having(analysis, {COMPARISON: analysis[COMPARISON].assign(test="blocks")})
    (finding,) = stacks.not_established(inputs, within)
    assert "over all launches" not in finding.text


def test_what_does_not_hold_in_the_quiet_regime_is_told(demo: RunInputs, demo_analysis: Analysis) -> None:
    table = demo_analysis[COMPARISON].assign(by_regime="", reason="")
    assert regimes.by_regime(demo, having(demo_analysis, {COMPARISON: table})) == []
    table.loc[[3, 5], ["by_regime", "reason"]] = ["differs", f"{WHY['differs']}: 1.00 in the quiet one"]
    table.loc[7, "by_regime"] = "same"
    (finding,) = regimes.by_regime(demo, having(demo_analysis, {COMPARISON: table}))
    assert finding.text.startswith(f"2 of {len(table)} comparisons are left open")
    assert len(finding.details) == 2 and finding.details[0].endswith(": 1.00 in the quiet one")


def test_rows_whose_interval_does_not_hold_are_told(demo: RunInputs, demo_analysis: Analysis) -> None:
    rows = demo_analysis[SUMMARY].assign(interval_validity="yes")
    assert dependent(demo, having(demo_analysis, {SUMMARY: rows})) == []
    chosen = rows.index[rows["reliable"].astype(bool)][:3]
    rows.loc[chosen, ["interval_validity", "interval_reason"]] = ["no", "regimes"]
    (finding,) = dependent(demo, having(demo_analysis, {SUMMARY: rows}))
    assert finding.text.startswith(f"The interval of 3 of {int(rows['reliable'].sum())} reliable results is not valid")
    assert len(finding.details) == 3 and finding.details[0].endswith(": regimes")
