# SPDX-License-Identifier: BSD-3-Clause
"""Orders of hosts in a whole run, real and simulated; and pairs that share a link of a trunk."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from isochron.postprocess.analysis.saved import load_analysis
from isochron.postprocess.estimate.compare.placements import PLACEMENT_COLUMNS, advice
from isochron.postprocess.estimate.compare.trunks import orders_that_tell, pairs_by_link
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.kit.finding import FINDINGS, Finding, Findings
from isochron.postprocess.kit.section import Source
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.placements.finding import orders, places, trunk_orders
from isochron.postprocess.subjects.placements.section import build
from isochron.postprocess.subjects.placements.table import PLACEMENTS, named_hosts
from isochron.postprocess.subjects.registry import ALL_SAVED
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.next_blocks import Flagged
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.machine_file import load_machine
from tests.postprocess.reported import report
from tests.postprocess.synthetic import Spec, campaign_of, plan_of, write_run

LISTS = {
    "one-site": ["a1", "a2", "a3", "a4"],
    "one-remote": ["b1", "a1", "a2", "a3"],
    "one-remote-last": ["a1", "a2", "a3", "b1"],
}
#: µs of a gather with each order.
TIMES = {"one-site": 1000.0, "one-remote": 6200.0, "one-remote-last": 3700.0}
SPEC = Spec(
    stacks=["mpich-5.0"], operations=["gather"], sizes=[16384], processes=[4], processes_per_node=[1], launches=10,
    runs=8, probes=False, launch_spread=0.01, run_spread=0.01, node_lists=LISTS,
    truth=lambda _operation, _size, point: TIMES[point.placement],
)  # fmt: skip


@pytest.mark.heavy
def test_orders_of_hosts_are_compared_and_the_remote_host_goes_last(tmp_path: Path) -> None:
    inputs = load_inputs(write_run(tmp_path / "run", SPEC))
    report(inputs.layout.root, "no figure")
    table = load_analysis(inputs.layout, ALL_SAVED)[PLACEMENTS].set_index(["placement", "baseline_placement"])
    assert table["ratio"].to_dict() == pytest.approx(
        {
            ("one-remote", "one-site"): 6.2,
            ("one-remote-last", "one-site"): 3.7,
            ("one-remote-last", "one-remote"): 3.7 / 6.2,
        },
        rel=0.02,
    )
    assert table["hosts"].tolist() == ["other hosts", "other hosts", "b1 last"]
    assert table["ratio_low"].notna().all() and table["within_blocks"].all()
    findings = {finding.kind: finding for finding in Findings.load(inputs.layout.tables / FINDINGS).findings}
    text, advised = findings["placements"].text, findings["placement-advice"]
    assert text.startswith("Of 3 comparisons of host orders") and "3 are established to differ" in text
    assert re.search(
        r"gather at 16.KiB takes 6\.\d\d× \[\d\.\d\d; 6\.\d\d\] as long on one-remote as on one-site\.$", text
    )
    assert advised.text.startswith("Put b1 last (one-remote-last instead of one-remote): gather at 16")
    assert advised.text.endswith("Nothing that was measured is established to be slower so.")
    assert advised.numbers["placement_us"] == pytest.approx(3700, rel=0.02)
    page = inputs.layout.report.read_text()
    assert 'id="placements"' in page and "put b1 last" in page


def analysed(spec: Spec, campaign: Campaign, rows: list[dict[str, Any]]) -> tuple[RunInputs, Analysis]:
    """A run with these lines of `placements.csv` alone, and the advice that follows."""
    inputs = RunInputs(RunLayout(Path("run")), campaign, plan_of(spec), None, {})
    table = pd.DataFrame(rows).reindex(columns=list(PLACEMENT_COLUMNS))
    frames = {"placements": table, "placement-advice": advice(table, named_hosts(inputs))}
    return inputs, Analysis(pd.DataFrame(), Flagged(rows=[], points=[]), frames)


LINE = {
    "stack": "mpich-5.0", "operation": "gather", "bytes": 16384, "processes": 4, "processes_per_node": 1,
    "placement": "one-remote-last", "baseline_placement": "one-remote", "baseline_per_node": 1, "hosts": "b1 last",
    "baseline_median_us": 6200.0, "candidate_median_us": 3700.0, "ratio": 3.7 / 6.2, "verdict": "faster",
    "simulated": True,
}  # fmt: skip


def test_simulated_ratios_are_said_to_have_no_interval() -> None:
    inputs, analysis = analysed(SPEC, campaign_of(SPEC), [LINE])
    (finding,) = places(inputs, analysis)
    assert "takes 1.68× as long on one-remote as on one-remote-last." in finding.text
    assert finding.text.endswith("All are simulated: each launch takes the same time, so the ratios have no interval.")
    assert finding.numbers["times_low"] is None


PER_NODE = {
    **LINE, "operation": "allgather", "processes_per_node": 12, "baseline_per_node": 8, "hosts": "", "ratio": 9.0,
    "verdict": "slower", "placement": "round-robin", "baseline_placement": "round-robin",
}  # fmt: skip
PACKED = {"placement": "packed", "baseline_placement": "packed"}


@pytest.mark.parametrize(
    "packed", [{"ratio": 1.0, "verdict": "equivalent"}, {"ratio": 0.5, "verdict": "faster"}], ids=["equal", "other way"]
)
def test_processes_per_node_that_differ_on_one_placement_alone_are_in_the_table_only(packed: dict[str, Any]) -> None:
    inputs, analysis = analysed(SPEC, campaign_of(SPEC), [PER_NODE, PER_NODE | PACKED | packed])
    (finding,) = places(inputs, analysis)
    assert finding.text.startswith("Of 2 comparisons") and "as long with" not in finding.text
    assert not finding.details
    assert "times" not in finding.numbers
    view = build(Source(inputs, analysis, [finding], []))
    assert view is not None
    rows = {(row.slow, row.fast, row.times) for row in view.rows}
    assert ("12 processes per node, round-robin", "8", "9.00×") in rows
    assert len(rows) == (2 if packed["verdict"] == "faster" else 1)


def test_processes_per_node_that_differ_on_every_placement_are_told_with_it() -> None:
    """The ratio is that of its placement, and the other one is among the details."""
    lines = [PER_NODE, PER_NODE | PACKED | {"ratio": 1.5}]
    inputs, analysis = analysed(SPEC, campaign_of(SPEC), lines)
    (finding,) = places(inputs, analysis)
    assert "takes 1.50× (packed) and 9.00× (round-robin) as long with 12 processes per node as with 8." in finding.text
    assert finding.numbers["times"] == pytest.approx(1.5)
    assert len(finding.details) == 1


def test_of_one_placement_processes_per_node_are_told_with_its_name() -> None:
    inputs, analysis = analysed(SPEC, campaign_of(SPEC), [PER_NODE])
    (finding,) = places(inputs, analysis)
    assert "takes 9.00× as long with 12 processes per node as with 8 (round-robin)." in finding.text


def test_what_is_slower_in_the_recommended_order_is_said_too() -> None:
    worse = {"operation": "bcast", "candidate_median_us": 9300.0, "ratio": 1.5, "verdict": "slower"}
    inputs, analysis = analysed(SPEC, campaign_of(SPEC), [LINE, LINE | worse])
    (finding,) = orders(inputs, analysis)
    assert "gather at" in finding.text
    assert "But in 1 case it is slower so: bcast at" in finding.text
    assert "takes 1.50× as long on one-remote-last as on one-remote." in finding.text
    assert len(finding.details) == 2


def test_a_message_between_other_hosts_is_neither_the_largest_difference_nor_a_loss() -> None:
    """With b1 last ping-pong is inside a site: nothing that an order of the hosts gains or costs."""
    other = {"operation": "ping-pong", "hosts": "other hosts", "ratio": 0.02, "candidate_median_us": 50.0}
    slower = {**other, "ratio": 50.0, "verdict": "slower", "bytes": 8}
    inputs, analysis = analysed(SPEC, campaign_of(SPEC), [LINE | other, LINE, LINE | slower])
    (difference,), (advised,) = places(inputs, analysis), orders(inputs, analysis)
    assert difference.text.startswith("Of 3 comparisons") and "3 are established to differ" in difference.text
    assert "gather at" in difference.text and "ping-pong" not in difference.text
    assert difference.numbers["times"] == pytest.approx(6.2 / 3.7)
    assert advised.numbers["advice"] == 1 and "gather at" in advised.text
    assert advised.text.endswith("Nothing that was measured is established to be slower so.")


def test_equal_places_are_a_note() -> None:
    inputs, analysis = analysed(SPEC, campaign_of(SPEC), [LINE | {"ratio": 1.01, "verdict": "equivalent"}])
    (finding,) = places(inputs, analysis)
    assert finding.severity == "note" and "0 are established to differ by more than 5" in finding.text
    assert orders(inputs, analysis) == []


def test_pairs_between_sites_by_the_link_that_their_addresses_choose() -> None:
    """The orders of the shipped campaign: like numbers meet on half of the links, the other list uses all."""
    campaign = load_campaign(Path("workflows/campaigns/two-sites-streams.yaml"))
    machine = load_machine("two-sites-aggregated", Path())
    used = {name: pairs_by_link(machine, hosts) for name, hosts in campaign.node_lists.items()}
    assert used["one-site"] == {}
    for name, pairs in used.items():
        for link, members in pairs.items():
            ends = [[int(host[1:]) for host in pair.split("–")] for pair in members]
            # The addresses of the second site begin at an odd number (two-sites-aggregated).
            assert {(one ^ (1 + other - 16)) % 4 for one, other in ends} == {link}, name
    assert len(used["like-numbers"]) == 2 and len(used["all-links"]) == 4
    assert sum(map(len, used["all-links"].values())) == 8


@pytest.mark.parametrize("count", [4, 7, 8, 16])
def test_two_orders_of_pairs_tell_whether_addresses_select_their_links(count: int) -> None:
    """For all first addresses, addresses in steps of one and two, and as many links as there are pairs or fewer."""
    one, other = ([f"{site}{number}" for number in range(count)] for site in "ab")
    told = orders_that_tell(one[::-1], other)
    assert {frozenset(hosts) for hosts in told.values()} == {frozenset([*one, *other])}
    numbers = {
        name: [tuple(int(host[1:]) for host in pair) for pair in zip(hosts[::2], hosts[1::2], strict=True)]
        for name, hosts in told.items()
    }
    for links, step in ((2, 1), (4, 1), (8, 1), (4, 2), (8, 2)):
        for first, second in product(range(links), repeat=2):
            used = {
                name: len({((first + step * i) ^ (second + step * j)) % links for i, j in pairs})
                for name, pairs in numbers.items()
            }
            if links <= count:
                assert used["like-numbers"] <= links // 2 and used["even-first"] >= 2 * used["like-numbers"]


TWO_SITES = {"locations": {"here": ["a*"], "there": ["b*"]}, "trunk_mb_per_s": 1250}
ALTERNATING = [host for number in range(1, 5) for host in (f"a{number}", f"b{number}")]
EVEN_FIRST = ["a1", "b1", "a2", "b3", "a3", "b2", "a4", "b4"]


def trunk_finding(operations: list[str], lists: dict[str, list[str]], site: dict[str, Any]) -> list[Finding]:
    spec = Spec(
        stacks=["mpich-5.0"], operations=operations, processes=[8], processes_per_node=[1], launches=1, node_lists=lists
    )
    campaign = Campaign.model_validate(campaign_of(spec).model_dump(by_alias=True) | {"site": site})
    return trunk_orders(*analysed(spec, campaign, []))


def test_the_orders_that_tell_are_named_for_a_real_machine_until_they_are_measured() -> None:
    mixed = {"mixed": ALTERNATING[::-1]}
    (finding,) = trunk_finding(["multi-ping-ping"], mixed, TWO_SITES)
    assert finding.details == [
        f"like-numbers: [{', '.join(ALTERNATING)}]", f"even-first: [{', '.join(EVEN_FIRST)}]"
    ]  # fmt: skip
    both = {"pairs": ALTERNATING, "others": EVEN_FIRST}
    assert trunk_finding(["multi-ping-ping"], both, TWO_SITES) == []
    assert trunk_finding(["ping-pong"], mixed, TWO_SITES) == [], "a single pair shares nothing"
    assert trunk_finding(["multi-ping-ping"], mixed, {}) == [], "nobody knows the sites"
    assert trunk_finding(["multi-ping-ping"], {"few": ALTERNATING[:6]}, TWO_SITES) == []


def test_pairs_that_share_a_link_are_named() -> None:
    campaign = load_campaign(Path("workflows/campaigns/two-sites-streams.yaml"))
    spec = Spec(
        stacks=["mpich-5.0"], processes=[16], processes_per_node=[1], launches=1, node_lists=campaign.node_lists
    )
    line = LINE | {
        "operation": "multi-ping-ping", "processes": 16, "placement": "all-links", "baseline_placement": "like-numbers",
        "hosts": "other order", "baseline_median_us": 147e3, "candidate_median_us": 74.7e3, "ratio": 74.7 / 147,
    }  # fmt: skip
    (finding,) = orders(*analysed(spec, campaign, [line]))
    assert finding.text.startswith("Use all-links instead of like-numbers: multi-ping-ping at 16")
    assert "takes 74.7 instead of 147 ms, 1.97× faster" in finding.text
    sharing = "the pairs of like-numbers use 2 of 4 links of the trunk (n0–n16, n2–n18, n4–n20 and n6–n22 share one)"
    assert sharing in finding.text and finding.text.endswith("those of all-links use 4.")
    machine = load_machine("two-sites", Path())
    assert machine.topology.trunk_links == 1
    one_link = campaign.model_copy(update={"site": campaign.site.model_copy(update={"machine": machine})})
    (plain,) = orders(*analysed(spec, one_link, [line]))
    assert "of the trunk" not in plain.text
