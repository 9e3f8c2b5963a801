# SPDX-License-Identifier: BSD-3-Clause
"""The reader of raw files in isochron.schemas, which both sides of the store use."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import fmean

import pytest

from isochron.common.files import FileError
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.schemas.run.launch_file import LaunchFile, foreign, problems, read_launch
from tests.postprocess.synthetic import whole

READINGS: dict[str, object] = {
    "spent_ns": 24_000, "batch": [0, 2], "reps": [4, 12], "t_ns": [5, 7],
    "cache_line_ns": [100.0, None], "compute_ns": [970.0, None], "copy_gbs": [20.0, None], "switches": [1, None],
    "waited_ns": [0, None], "steal_ns": [None, 0], "frequency_mhz": [None, None],
}  # fmt: skip


def regimes(disturbed: list[bool]) -> dict[str, object]:
    """The member of a row whose runs are disturbed or not."""
    return {"quiet_ns": 100, "limit_ns": 200, "disturbed_ns": 400, "extra_ns": 5_000_000, "disturbed": disturbed}


def first(run: RunInputs) -> Path:
    return sorted(run.layout.launches.glob("*.jsonl"))[0]


def records(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()][:-1]


def checked(launch: LaunchFile, run: RunInputs, **changes: object) -> list[str]:
    planned = next(plan for plan in run.plan.launches if plan.name == launch.header.launch["name"])
    asked = {"processes": planned.point.processes, "nodes": planned.point.nodes, "cases": run.cases}
    return problems(launch, **(asked | {"launch_name": planned.name} | changes))  # type: ignore[arg-type]


def test_a_whole_file(small: RunInputs) -> None:
    launch = read_launch(first(small))
    assert [(row.operation, row.bytes) for row in launch.measurements] == small.cases
    assert [clock.phase for clock in launch.clocks] == ["before", "after"]
    assert checked(launch, small) == []


def test_a_whole_file_that_is_another_launch(small: RunInputs) -> None:
    path = first(small)
    launch = read_launch(path).header.launch
    name, run_id = launch["name"], launch["run_id"]
    assert foreign(path, name, [run_id]) == ""
    assert foreign(path, name, ["another", run_id]) == ""
    assert f"header.launch.name: '{name}'; it must be other" in foreign(path, "other", [run_id])
    assert f"header.launch.run_id: '{run_id}'; it must be another" in foreign(path, name, ["another"])


@pytest.mark.parametrize("kept", [0, 1, 100, -1, -2, -30])
def test_truncated(small: RunInputs, kept: int) -> None:
    path = first(small)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(FileError, match=rf"{path.name}: .*no footer.*run the launch again"):
        read_launch(path)


def test_a_lost_record(small: RunInputs) -> None:
    path = first(small)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2] + lines[3:]))
    with pytest.raises(FileError, match=r"footer.records: 7, but the file has 6"):
        read_launch(path)


def test_every_flipped_bit_is_noticed(small: RunInputs) -> None:
    path = first(small)
    content = path.read_bytes()
    for place in range(0, content.index(b'{"record": "footer"'), 97):  # the sum is of all lines before the footer
        path.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        with pytest.raises(FileError):
            read_launch(path)


def test_the_header_comes_first(small: RunInputs) -> None:
    path = first(small)
    lines = records(path)
    path.write_bytes(whole([*lines[1:], lines[0]]))
    with pytest.raises(FileError, match="header must come first"):
        read_launch(path)


def test_schema_and_lengths(small: RunInputs) -> None:
    path = first(small)
    lines = records(path)
    path.write_bytes(whole([lines[0], {**lines[3], "verdict": "splendid"}]))
    with pytest.raises(FileError, match=r"line 2: measurement.verdict"):
        read_launch(path)
    path.write_bytes(whole([lines[0], {**lines[3], "valid": [True]}]))
    with pytest.raises(FileError, match="the numbers must be equal"):
        read_launch(path)


def test_a_newer_engine_may_say_more(small: RunInputs) -> None:
    path = first(small)
    lines = records(path)
    path.write_bytes(whole([{**line, "novelty": 1} for line in lines]))
    assert checked(read_launch(path), small) == []


def test_problems(small: RunInputs) -> None:
    launch = read_launch(first(small))
    assert "ranks" in checked(launch, small, processes=3)[0]
    assert "distinct" in checked(launch, small, nodes=7)[0]
    assert "header.launch.name" in checked(launch, small, launch_name="b999")[0]
    assert checked(launch, small, cases=[*small.cases, ("scan", 8)]) == ["measurement: scan at 8 bytes is missing"]
    assert checked(launch, small, cases=small.cases[1:]) == ["measurement: barrier at 0 bytes was not requested"]


def test_doubled_rows(small: RunInputs) -> None:
    path = first(small)
    lines = records(path)
    path.write_bytes(whole([*lines, lines[-2]]))
    assert checked(read_launch(path), small) == ["measurement: bcast at 1024 bytes is listed 2 times"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"reps_made": 3}, "reps_made: 3, but 12 repetitions are listed"),
        ({"reps_valid": 1}, "reps_valid: 1, but 10 of the listed repetitions are valid"),
        ({"reps_used": 99}, "reps_used: 99"),
        ({"median_ns": 1.0}, "median_ns: 1.0, but the median of the listed repetitions that started in time is"),
        ({"median_ns": None}, "median_ns: missing"),
        ({"min_ns": 1e15}, "min_ns: 1000000000000000.0, above median_ns"),
        ({"ci_low_ns": 1e15}, "ci_low_ns: 1000000000000000.0, above mean_ns"),
        ({"slot_ns": -1}, "slot_ns: -1"),
        ({"confidence": 1.5}, "confidence: 1.5"),
        ({"invalid": {"overrun": -1}}, "invalid: "),
        ({"invalid": {"overrun": 13}}, "invalid: 13 repetitions, but only 12 were made"),
        ({"overran": [False] * 3}, "overran: 3 repetitions, but 12 are listed"),
        ({"overran": [True] * 12}, "invalid: 0 overruns, but 12 are listed"),
        ({"overran": [True] * 12, "invalid": {"overrun": 12}}, "valid, overran: a repetition is both"),
        ({"probes": {**READINGS, "copy_gbs": [20.0]}}, "must be equal"),
        ({"probes": {**READINGS, "t_ns": [7, 5]}}, "probes.t_ns: [7, 5]"),
        ({"probes": {**READINGS, "reps": [4, 13]}}, "probes.reps: [4, 13], but 12 repetitions were made"),
        ({"regimes": regimes([])}, "regimes.disturbed: 0 repetitions, but 12 were made"),
        ({"regimes": regimes([True] * 12)}, "repetitions in the sample, but the verdict is ok"),
        (
            {"regimes": regimes([False] * 12), "invalid": {"late_start": 1, "overrun": 0, "disturbed": 1}},
            "invalid: 1 disturbed repetitions, but 0 of the listed ones",
        ),
        ({"time_ns": [-5] * 12}, "time_ns, local_ns: -5 and "),
        ({"time_ns": [10**18] * 12}, "time_ns, local_ns: 1000000000000000000 and "),
        ({"time_ns": [10**30] * 12}, "time_ns"),
        ({"mean_ns": float("inf")}, "mean_ns"),
        ({"mean_ns": float("nan")}, "mean_ns"),
    ],
)
def test_a_row_that_contradicts_itself(small: RunInputs, changes: dict[str, object], words: str) -> None:
    path = first(small)
    lines = records(path)
    path.write_bytes(whole([lines[0], {**lines[3], **changes}]))
    with pytest.raises(FileError, match=re.escape(words)):
        read_launch(path)


def test_all_count_where_there_was_no_quiet_time(small: RunInputs) -> None:
    """Then the verdict says so, and disturbed runs are in the sample."""
    path = first(small)
    lines = records(path)
    told = {"regimes": regimes([True] * 12), "verdict": "disturbed", "reason": "a cache line took 400 ns"}
    path.write_bytes(whole([lines[0], {**lines[3], **told}]))
    assert sum(read_launch(path).measurements[0].in_time) == lines[3]["reps_valid"]


def with_overruns(count: int, used: int, verdict: str) -> dict[str, object]:
    """12 runs of 100 ns, and so many that overran, of 300 µs."""
    times = [100] * 12 + [300_000] * count
    valid = [True] * 12 + [False] * count
    cut = (12 + count - used) // 2
    mean = fmean(times[cut : cut + used])
    statistics = {"mean_ns": mean, "ci_low_ns": mean, "ci_high_ns": mean, "median_low_ns": 100, "median_high_ns": 100}
    return {
        "reps_made": len(times), "reps_valid": 12, "reps_used": used, "time_ns": times, "local_ns": times,
        "valid": valid, "overran": [not each for each in valid], "invalid": {"late_start": 0, "overrun": count},
        "min_ns": 100, "median_ns": 100, "max_ns": 300_000, "verdict": verdict, "reason": "", **statistics,
    }  # fmt: skip


def test_what_overran_counts_and_may_not_be_more_than_is_trimmed(small: RunInputs) -> None:
    """As in the engine: 4 of 16 are trimmed at each end, 6 of 18 are not."""
    path = first(small)
    lines = records(path)
    for count, used, verdict in ((4, 8, "ok"), (6, 10, "unstable")):
        path.write_bytes(whole([lines[0], {**lines[3], **with_overruns(count, used, verdict)}]))
        assert sum(read_launch(path).measurements[0].in_time) == 12 + count
    path.write_bytes(whole([lines[0], {**lines[3], **with_overruns(6, 10, "ok")}]))
    with pytest.raises(FileError, match="verdict: ok, but 6 overruns were longer than all other repetitions"):
        read_launch(path)


def test_a_row_without_a_median_is_not_ok(small: RunInputs) -> None:
    path = first(small)
    lines = records(path)
    nothing = {name: None for name in lines[3] if name.startswith(("m", "ci_", "se_")) and name.endswith("_ns")}
    empty: dict[str, object] = {"time_ns": [], "local_ns": [], "valid": [], "reps_made": 0, "reps_valid": 0}
    path.write_bytes(whole([lines[0], {**lines[3], **nothing, **empty, "reps_used": 0, "invalid": {}}]))
    with pytest.raises(FileError, match="verdict: ok without a median"):
        read_launch(path)


@pytest.mark.parametrize("start", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "yesterday", "2026-13-01T00:00:00Z"])
def test_a_start_that_is_no_time(small: RunInputs, start: str) -> None:
    path = first(small)
    lines = records(path)
    path.write_bytes(whole([{**lines[0], "started_at": start}, *lines[1:]]))
    with pytest.raises(FileError, match=r"header\.started_at"):
        read_launch(path)
