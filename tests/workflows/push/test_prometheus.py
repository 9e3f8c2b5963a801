# SPDX-License-Identifier: BSD-3-Clause
"""Metrics in Prometheus' text format: what they say, how a file and two services (real ones) are given them."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from isochron.workflows.push import prometheus
from isochron.workflows.push.batch import RefusedError
from isochron.workflows.push.prometheus import MetricsFile, MetricsReceiver, text
from tests.workflows.push.dashboards import document, filled, queries
from tests.workflows.push.samples import NEXT, RUN, answer, batch, comparison, result

CASE = 'operation="bcast",bytes="8",processes="4",processes_per_node="2",placement="packed"'
#: 2026-05-04T08:00:00Z.
TIME = 1777881600


def samples(content: str) -> dict[str, str]:
    """Name with labels, and the rest of the line."""
    lines = (line.rpartition("} ") for line in content.splitlines() if not line.startswith("#"))
    return {f"{name}}}": value for name, _, value in lines}


def test_every_number_that_is_known_has_a_sample() -> None:
    found = samples(
        text(batch(RUN, result(RUN, 8), result(RUN, 64, None), comparison(RUN, 8), answer(RUN)), with_times=False)
    )
    labels = f'{{campaign="nightly",system="alpha",stack="mpich-5.0",{CASE}}}'
    assert found[f"isochron_result_median_us{labels}"] == "2.5"
    assert found[f"isochron_result_median_low_us{labels}"] == "2.25"
    assert found[f"isochron_result_reliable{labels}"] == "1.0"
    assert f"isochron_result_median_high_us{labels}" not in found
    assert "isochron_result_median_us" + labels.replace('bytes="8"', 'bytes="64"') not in found
    pair = 'campaign="nightly",system="alpha",baseline="mpich-4.3",candidate="mpich-5.0"'
    assert found[f"isochron_comparison_ratio{{{pair},{CASE}}}"] == "1.25"
    verdicts = {name: value for name, value in found.items() if name.startswith("isochron_comparison_verdict")}
    assert verdicts.pop(f'isochron_comparison_verdict{{{pair},{CASE},verdict="slower"}}') == "1"
    assert set(verdicts.values()) == {"0"}
    assert found[f'isochron_answer_decision{{{pair},decision="keep-baseline"}}'] == "1"
    assert found[f"isochron_answer_at_risk{{{pair}}}"] == "2.0"
    assert found['isochron_run_created_at_seconds{campaign="nightly",system="alpha"}'] == f"{TIME}.0"
    assert "aaaa" not in "".join(found)  # no series of a run alone


def test_times_are_those_of_the_run() -> None:
    found = samples(text(batch(), with_times=True))
    assert len(found) > 20
    assert {value.split()[1] for value in found.values()} == {f"{TIME}000"}


def test_labels_end_where_they_should() -> None:
    strange = {**result(RUN, 8), "stack": 'a"b\\c\nd'}
    assert 'stack="a\\"b\\\\c\\nd"' in text(batch(RUN, strange), with_times=False)


def test_each_metric_has_one_heading_and_its_lines_together() -> None:
    lines = text(batch(), with_times=False).splitlines()
    headings = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(headings) == len(set(headings))
    current = ""
    for line in lines:
        if line.startswith("# TYPE"):
            current = line.split()[2]
        elif not line.startswith("#"):
            assert line.partition("{")[0] == current


def test_a_file_has_one_run_and_no_times(tmp_path: Path) -> None:
    file = tmp_path / "a b.prom"
    receiver = MetricsFile(f"file://{urllib.parse.quote(str(file))}")
    receiver.accept(batch(RUN))
    receiver.accept(batch(NEXT, result(NEXT, 8, 7.5)))
    assert file.read_text() == text(batch(NEXT, result(NEXT, 8, 7.5)), with_times=False)
    assert [path.name for path in tmp_path.iterdir()] == ["a b.prom"]


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=f"{tmp_path}/none is not a folder"):
        MetricsFile(f"file://{tmp_path}/none/a.prom").accept(batch())
    (tmp_path / "a.prom").mkdir()
    with pytest.raises(RefusedError, match=r"a\.prom: Is a directory"):
        MetricsFile(f"file://{tmp_path}/a.prom").accept(batch())


@pytest.mark.parametrize(
    ("path", "method", "with_times"),
    [("metrics/job/isochron/instance/a", "PUT", False), ("api/v1/import/prometheus", "POST", True)],
)
def test_a_gateway_is_given_no_times(monkeypatch: pytest.MonkeyPatch, path: str, method: str, with_times: bool) -> None:
    sent: list[tuple[str, ...]] = []
    monkeypatch.setattr(prometheus, "send", lambda *words: sent.append(words))
    MetricsReceiver(f"prometheus+http://host:9091/{path}").accept(batch())
    ((how, url, content, content_type),) = sent
    assert (how, url, content) == (method, f"http://host:9091/{path}", text(batch(), with_times=with_times).encode())
    assert content_type.startswith("text/plain; version=0.0.4")


@contextmanager
def serving(program: str, address_option: str, *options: str) -> Iterator[str]:
    """A service, and its address."""
    if not shutil.which(program):
        pytest.skip(f"no {program} here: apt-get install {program}")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with subprocess.Popen([program, f"{address_option}={address}", *options], stderr=subprocess.DEVNULL) as child:
        try:
            while True:
                try:
                    asked(f"http://{address}/")
                    break
                except urllib.error.URLError:
                    assert child.poll() is None
            yield address
        finally:
            child.kill()


def asked(url: str) -> bytes:
    content: bytes = urllib.request.urlopen(url).read()
    return content


def series(address: str, query: str) -> dict[str, Any]:
    """The values of an instant query half an hour after the run, by stack or verdict."""
    words = urllib.parse.urlencode({"query": query, "time": TIME + 1800})
    rows = json.loads(asked(f"http://{address}/api/v1/query?{words}"))["data"]["result"]
    return {row["metric"].get("bytes", ""): float(row["value"][1]) for row in rows}


@pytest.mark.slow
@pytest.mark.process
def test_victoria_metrics_has_each_sample_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    options = [f"-storageDataPath={tmp_path}", "-retentionPeriod=100y", "-dedup.minScrapeInterval=1ms"]
    with serving("victoria-metrics", "-httpListenAddr", *options) as address:
        receiver = MetricsReceiver(f"prometheus+http://{address}/api/v1/import/prometheus")
        receiver.accept(batch())
        receiver.accept(batch())
        asked(f"http://{address}/internal/force_flush")
        assert series(address, "last_over_time(isochron_result_median_us[1d])") == {"8": 2.5, "64": 2.5, "512": 2.5}
        assert series(address, "count_over_time(isochron_result_median_us[1d])") == {"8": 1, "64": 1, "512": 1}
        assert series(address, 'last_over_time(isochron_comparison_verdict{verdict="slower"}[1d])') == {"8": 1}


@pytest.mark.slow
@pytest.mark.process
def test_the_dashboard_shows_the_metrics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serving(
        "victoria-metrics", "-httpListenAddr", f"-storageDataPath={tmp_path}", "-retentionPeriod=100y"
    ) as address:
        weak = result(RUN, 64, reliable=False)
        receiver = MetricsReceiver(f"prometheus+http://{address}/api/v1/import/prometheus")
        receiver.accept(
            batch(RUN, result(RUN, 8), weak, comparison(RUN, 8), comparison(RUN, 64, "faster"), answer(RUN))
        )
        asked(f"http://{address}/internal/force_flush")
        answers, age, times, ratios, slower, weak_ones, verdicts = (
            series(address, query) for query in queries("prometheus", "expr").values()
        )
        assert (answers, age, times, ratios) == ({"": 1}, {"": 1800}, {"8": 2.5}, {"8": 1.25})
        assert (slower, weak_ones, len(verdicts)) == ({"8": 1.25}, {"64": 0}, 1)
        for variable in document("prometheus")["templating"]["list"]:
            if variable["type"] == "query":  # label_values(SERIES, LABEL) is Grafana's
                found, label = filled(variable["definition"]).removeprefix("label_values(").rstrip(")").rsplit(", ", 1)
                words = urllib.parse.urlencode({"match[]": found, "start": TIME - 60, "end": TIME + 60})
                answer_ = json.loads(asked(f"http://{address}/api/v1/label/{label}/values?{words}"))
                assert answer_["data"], variable["name"]


@pytest.mark.slow
@pytest.mark.process
def test_a_pushgateway_shows_the_run_that_was_pushed_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serving("prometheus-pushgateway", "--web.listen-address") as address:
        receiver = MetricsReceiver(f"prometheus+http://{address}/metrics/job/isochron/instance/alpha")
        receiver.accept(batch(RUN))
        receiver.accept(batch(NEXT, result(NEXT, 8, 7.5)))
        shown = [line for line in asked(f"http://{address}/metrics").decode().splitlines() if "isochron_result" in line]
        assert [line.split()[-1] for line in shown if line.startswith("isochron_result_median_us{")] == ["7.5"]
        wrong = MetricsReceiver(f"prometheus+http://{address}/metrics/job")
        with pytest.raises(RefusedError, match="answered 404"):
            wrong.accept(batch())
