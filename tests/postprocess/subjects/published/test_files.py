# SPDX-License-Identifier: BSD-3-Clause
"""Files of published findings: those that come with Isochron, and one clear message for each mistake in another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from isochron.common.files import FileError
from isochron.common.resources import shipped
from isochron.postprocess.subjects.published.table import check_names
from isochron.postprocess.subjects.views.section import VIEWS
from isochron.schemas.input.published_findings import (
    Departs,
    Fastest,
    Value,
    findings_path,
    load_findings,
    quantities,
    studies,
)

SENTENCE: dict[str, Any] = {
    "name": "paradox", "text": "A bcast takes 0.4 ms.", "place": "table 2",
    "check": {
        "kind": "value", "quantity": {"table": "summary", "column": "median_us", "rows": {"operation": "bcast"}},
        "near": 400, "within": 0.05,
    },
}  # fmt: skip


def write(folder: Path, **changes: Any) -> Path:
    """A file with one sentence, whose check has these keys."""
    sentence = {**SENTENCE, "check": {**SENTENCE["check"], **changes}}
    path = folder / "study.yaml"
    path.write_text(yaml.safe_dump({"schema": 1, "title": "t", "source": "s", "sentences": [sentence]}))
    return path


@pytest.mark.parametrize("view", studies())
def test_what_comes_with_isochron_names_tables_and_columns_that_there_are(view: str) -> None:
    path = findings_path(view)
    study = load_findings(path)
    check_names(study, path)
    assert view in VIEWS and all(sentence.place for sentence in study.sentences)


def test_studies_with_views_have_findings() -> None:
    assert set(studies()) == set(VIEWS) - {"mpiperf-local"}


def test_numbers_are_those_of_the_published_tables() -> None:
    """The parameters of BXJ and of the two sites stand in files of their own."""
    bxj = yaml.safe_load(shipped("postprocess", "published", "bxj.yaml").read_text())
    sites = yaml.safe_load(shipped("postprocess", "published", "two-sites.yaml").read_text())
    checks = {
        sentence.name: sentence.check
        for view in ("bxj", "two-sites")
        for sentence in load_findings(findings_path(view)).sentences
    }
    near = {name: check.near for name, check in checks.items() if isinstance(check, Value) and check.near}
    assert {count: near[f"sendrecv-bandwidth-{count}"] for count in (8, 12)} == bxj["sendrecv_imb"]
    assert near["ping-pong-latency"] == bxj["alpha_measured_us"]
    assert near["sendrecv-latency"] == bxj["sendrecv_latency_us"]
    for per_node, name in ((8, "sendrecv-estimate-8"), (12, "sendrecv-estimate-12")):
        check = checks[name]
        assert isinstance(check, Value) and list(check.ends) == bxj["sendrecv_64KiB_model_us"][per_node]
    assert (
        near["latency"] == 1e3 * sites["ping_measured_ms"]
        and near["paradox-intel"] == near["paradox-mpich"] == 1e3 * sites["measured_bcast_mean_ms"]
    )
    assert near["many-pairs"] == sites["multi_pair_mb_per_s"]
    gigabits = {
        "single-stream": sites["single_stream_mbit_per_s"] / 1e3,
        "four-streams": sites["four_streams_gbit_per_s"],
    }
    gigabits["all-nodes"] = sites["all_nodes_gbit_per_s"]
    assert {name: near[name] for name in gigabits} == pytest.approx({k: v * 125 for k, v in gigabits.items()})
    light, bound = checks["light"], checks["faster-than-light"]
    assert isinstance(light, Value) and light.at_least == 1e3 * sites["propagation_one_way_ms"]
    assert isinstance(bound, Value) and bound.at_most == 1e3 * sites["lower_bound_bcast_mean_ms"]
    (order,) = (next(iter(quantities(check))) for name, check in checks.items() if name == "order")
    assert order.rows["operation"] == sites["operations"]
    kinds = {name: check for name, check in checks.items() if isinstance(check, Fastest)}
    assert {each for check in kinds.values() for each in check.among} == set(bxj["operations"])


def test_a_sharp_rise_of_bxj_is_stated_where_it_is_checked() -> None:
    """Section 5.4 has scatter above its model from 1024 processes on, 5.5 the rise of allgather at 4096 and 8192.

    Those of allreduce (5.6) and alltoall (5.7), with 4096 or 8192 processes, it has sometimes.
    """
    sentences = {sentence.name: sentence for sentence in load_findings(findings_path("bxj")).sentences}
    rising = [name for name, sentence in sentences.items() if "sharp" in sentence.text]
    rise, scatter = (sentences[name].check for name in ("allgather-small-rise", "scatter-large"))
    sometimes = [f"{name}-large-rise-{processes}" for name in ("allreduce", "alltoall") for processes in (4096, 8192)]
    assert sorted(rising) == ["allgather-small-rise", *sometimes]
    assert [name for name, sentence in sentences.items() if sentence.sometimes] == sometimes
    assert isinstance(rise, Departs) and rise.processes == [4096, 8192] and rise.beyond == 0
    assert isinstance(scatter, Departs) and scatter.beyond == 512


def test_a_mean_below_light_is_stated_of_the_libraries_and_operations_that_section_4_3_names() -> None:
    """Of Intel MPI six operations with a root, of MPICH four; Open MPI is not named."""
    checks = {sentence.name: sentence.check for sentence in load_findings(findings_path("two-sites")).sentences}
    six, four = (next(iter(quantities(checks[f"paradox-{library}"]))).rows for library in ("intel", "mpich"))
    assert set(six["operation"]) == {"reduce", "gather", "gatherv", "scatter", "scatterv", "bcast"}
    assert set(four["operation"]) == {"gatherv", "scatter", "scatterv", "bcast"}
    assert "smpi-intel" in six["stack"] and "smpi-mpich" in four["stack"]
    named = next(iter(quantities(checks["faster-than-light"]))).rows["stack"]
    assert set(named) == {*six["stack"], *four["stack"]} and not [each for each in named if "openmpi" in each]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "fast"}, "does not match any of the expected tags"),
        ({"near": None}, "give it together with within"),
        ({"at_least": 3}, "give either near and within, or at_least, at_most or both"),
        ({"near": None, "within": None}, "give either near and within"),
        ({"near": None, "within": None, "at_least": 3, "at_most": 2}, "at_least: 3 is above at_most, 2"),
        ({"quantity": {"table": "summary", "column": "c", "low": "l"}}, "low and high: give both columns"),
        ({"quantity": {"table": "summary"}}, "column: Field required"),
        ({"kind": "fastest", "near": None, "within": None, "along": "operation", "fastest": "a", "among": ["b", "c"]},
         "Extra inputs are not permitted"),
    ],
)  # fmt: skip
def test_a_mistake_has_one_message(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = write(tmp_path, **changes)
    with pytest.raises(FileError) as refused:
        load_findings(path)
    assert str(refused.value).startswith(f"{path}: sentences[0].check") and message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_fastest_is_among_those_compared(tmp_path: Path) -> None:
    path = write(tmp_path)
    document = yaml.safe_load(path.read_text())
    check = {"kind": "fastest", "quantity": SENTENCE["check"]["quantity"], "along": "operation"}
    document["sentences"][0]["check"] = {**check, "fastest": "a", "among": ["b", "c"]}
    path.write_text(yaml.safe_dump(document))
    with pytest.raises(FileError, match="fastest: a is not in among; add it"):
        load_findings(path)


def test_a_name_is_of_one_sentence(tmp_path: Path) -> None:
    path = write(tmp_path)
    document = yaml.safe_load(path.read_text())
    document["sentences"] *= 2
    path.write_text(yaml.safe_dump(document, default_flow_style=False))
    with pytest.raises(FileError, match="paradox is the name of two sentences; rename one"):
        load_findings(path)


@pytest.mark.parametrize(
    ("quantity", "message"),
    [
        ({"table": "summaries", "column": "median_us"}, "unknown table 'summaries', did you mean 'summary'"),
        ({"table": "summary", "column": "medan_us"}, "summary has no column 'medan_us', did you mean 'median_us'"),
        ({"table": "summary", "column": "median_us", "rows": {"size": 8}}, "summary has no column 'size'"),
    ],
)
def test_tables_and_columns_are_those_of_a_run(quantity: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = write(tmp_path, quantity=quantity)
    with pytest.raises(FileError) as refused:
        check_names(load_findings(path), path)
    assert str(refused.value).startswith(f"{path}: sentence paradox: {message}")
