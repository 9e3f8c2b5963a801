# SPDX-License-Identifier: BSD-3-Clause
"""Every field of every record of a raw file is a column of the store, or stands in a list with the reason why not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

import pandas as pd
import pyarrow as pa
import pytest
from pydantic import BaseModel

from isochron.postprocess.ingest.ingest import _tables
from isochron.postprocess.ingest.store import arrow_schema
from isochron.postprocess.subjects.registry import ALL_SAVED
from isochron.schemas.run.launch_file import LaunchFile
from isochron.schemas.run.record_parts import Overhead
from isochron.schemas.run.records import RECORD, Clock, Footer, Header, Measurement, Memory
from isochron.schemas.run.store import TABLES
from tests.postprocess.subjects.details.made import SPEC, write_everything

RECORDS: dict[str, type[BaseModel]] = {
    "header": Header, "clock": Clock, "memory": Memory, "measurement": Measurement, "overhead": Overhead,
    "footer": Footer,
}  # fmt: skip
#: The table of the store that a record's fields are in; a field `x_ns` is the column `x_us`.
TABLE = {
    "header": "launches", "clock": "clocks", "memory": "memory", "measurement": "measurements", "overhead": "launches",
    "footer": "launches", "header.startup": "startup",
    "measurement.per_rank": "ranks", "measurement.overlap": "overlap", "measurement.stragglers": "stragglers",
    "measurement.invalid_by_rank": "stragglers", "measurement.probes": "probes",
}  # fmt: skip
#: Fields with another name, or in another table.
ELSEWHERE = {
    "header.hosts.name": "launches.hosts",
    "header.hosts.clock_source": "launches.clock_sources",
    "header.timer.name": "launches.timer",
    "header.timer.resolution_ns": "launches.timer_resolution_us",
    "header.timer.cost_ns": "launches.timer_cost_us",
    "header.timer.rate_ppm": "launches.timer_rate_ppm",
    "header.probes.read": "launches.probes_read",
    "header.probes.why_not": "launches.probes_why_not",
    "header.probes.earlier_line_ns": "launches.earlier_line_ns",
    "header.probes.reference": "probes.cache_line_ns",
    "clock.duration_ns": "clocks.duration_ms",
    "clock.ranks": "clocks.rank",
    "clock.begin_ns": "clocks.begin_ns",
    "clock.x0_ns": "clocks.x0_ns",
    "clock.truth.error_ns": "clocks.true_error_us",
    "clock.truth.bound_ns": "clocks.true_bound_us",
    "memory.steps.processes": "memory.figure",
    "memory.steps.processes.sum": "memory.sum_bytes",
    "memory.steps.processes.min": "memory.min_bytes",
    "memory.steps.processes.median": "memory.median_bytes",
    "memory.steps.processes.max": "memory.max_bytes",
    "memory.steps.hosts": "memory.sum_bytes",
    "measurement.invalid": "measurements.invalid_late_start",
    "measurement.per_rank.operations_ns": "loops.time_us",
    "measurement.time_ns": "repetitions.time_us",
    "measurement.local_ns": "repetitions.local_us",
    "measurement.valid": "repetitions.valid",
    "measurement.regimes.limit_ns": "launches.gate_limit_ns",
    "measurement.regimes.extra_ns": "launches.gate_extra_s",
    "measurement.regimes.disturbed": "repetitions.disturbed",
    "measurement.overran": "repetitions.overran",
    **{f"measurement.rank_mean.{name}_ns": f"measurements.rank_{name}_us" for name in ("avg", "min", "max", "zero")},
    "measurement.stragglers.batches": "measurements.batches",
    "measurement.costs.timer_ns": "measurements.cost_timer_us",
    "measurement.costs.barrier_ns": "measurements.cost_barrier_us",
    "measurement.costs.cost_ns": "measurements.cost_us",
    **{f"measurement.wrong.{name}": f"measurements.wrong_{name}" for name in ("rank", "element", "expected", "found")},
    "measurement.causality.violations": "measurements.causality_violations",
    "measurement.causality.worst_ns": "measurements.causality_worst_us",
    "measurement.causality.rank": "measurements.causality_rank",
    "measurement.causality.error_ns": "measurements.causality_error_us",
    **{
        f"measurement.late_initialisation.{who}_{call}_ns": f"measurements.late_{who}_{call}_us"
        for who in ("rank0", "slowest")
        for call in ("first", "second", "later")
    },
    "measurement.late_initialisation.calls": "measurements.late_calls",
    "measurement.late_initialisation.slowest_rank": "measurements.late_slowest_rank",
    "measurement.late_initialisation.span_first_ns": "measurements.late_span_first_us",
    "measurement.late_initialisation.skew_first_ns": "measurements.late_skew_first_us",
    "measurement.cold.sets": "measurements.cold_sets",
    "measurement.cold.ring_bytes": "measurements.cold_ring_bytes",
    "measurement.cold.first_touch_ns": "measurements.cold_first_touch_us",
    "measurement.cold.first_use_ns": "measurements.cold_first_use_us",
    **{
        f"measurement.from_last.{name}_ns": f"measurements.from_last_{name}_us"
        for name in ("mean", "se", "ci_low", "ci_high", "median", "median_low", "median_high", "min", "max")
    },
    "measurement.from_last.autocorrelation": "measurements.from_last_autocorrelation",
    "measurement.probes.spent_ns": "measurements.probes_spent_us",
    "measurement.probes.t_ns": "probes.t_s",
    "measurement.probes.steal_ns": "probes.steal_ms",
    "measurement.probes.cache_line_ns": "probes.cache_line_ns",
    "measurement.probes.compute_ns": "probes.compute_ns",
    **{
        f"overhead.{way}median{end}_ns": f"launches.overhead_{way}{end.removeprefix('_')}{'_' if end else ''}us"
        for way in ("", "from_last_")
        for end in ("", "_low", "_high")
    },
    "overhead.reps_valid": "launches.overhead_reps",
    "footer.elapsed_ns": "launches.duration_s",
    "header.processes_began_ns": "startup.all_us",
    "footer.finalize_ns": "startup.all_us",
}
#: Fields that are in no column, and why.
REASONS = {
    **{f"{record}.record": "says which record it is, and so which table" for record in RECORDS},
    "header.schema_version": "one version is read; another is refused",
    "header.launch": "each of its pairs is a column of `launches`, as `stack`; `launched_at` begins one of `startup`",
    "header.hosts.ranks": "the binding of every host has them: analysis/bindings.parquet",
    "header.bindings": "analysis/bindings.parquet, and the report's environment",
    "header.timer.monotonic": "a launch with another timer ends before it measures; timers.csv has it of every node",
    "header.timer.invariant": "a launch with another timer ends before it measures; timers.csv has it of every node",
    "header.probes.gates": "a launch that gates has a limit, which is a column",
    **{
        f"header.turns.{name}": "the plan of the run has it, the same for all launches of a block but the index"
        for name in ("index", "residents", "seed", "rounds", "passes", "cases", "limit_ns")
    },
    "measurement.regimes.quiet_ns": "the limit follows from it, and is a column",
    "measurement.regimes.disturbed_ns": "part of the reason of the row, and of the readings in `probes`",
    "measurement.processes": "that of the launch, or the file is refused",
    "measurement.from_last.time_ns": "single runs: the time less the spread of starts, which `ranks` has; its "
    "statistics are columns",
    "measurement.from_last.confidence": "that of the row",
    **{
        f"overhead.{name}": "single runs of an empty operation: their medians are columns"
        for name in ("time_ns", "from_last_ns", "valid", "overran", "reps_made", "pass_reps")
    },
    "overhead.operations_per_rep": "that of the rows",
    "overhead.confidence": "that of the rows",
    "footer.records": "counted when the file is read",
    "footer.crc32": "compared when the file is read",
    "footer.file_crc32": "compared when the file is read",
}


def models_of(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models within an annotation: of options, lists and dictionaries."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) in (Union, UnionType, list, dict, tuple):
        for part in get_args(annotation):
            yield from models_of(part)


def fields_of(model: type[BaseModel], path: str) -> Iterator[str]:
    """Paths of all fields that are no models themselves."""
    for name, field in model.model_fields.items():
        inner = list(models_of(field.annotation))
        own = f"{path}.{name}"
        if not inner:
            yield own
        for each in inner:
            yield from fields_of(each, own)


def target(field: str) -> tuple[str, str]:
    """Table and column of a field."""
    if field in ELSEWHERE:
        table, column = ELSEWHERE[field].split(".")
        return table, column
    parent, name = field.rsplit(".", 1)
    while parent not in TABLE:
        parent = parent.rsplit(".", 1)[0]
    return TABLE[parent], f"{name.removesuffix('_ns')}_us" if name.endswith("_ns") else name


FIELDS = [field for record, model in RECORDS.items() for field in fields_of(model, record)]


def test_every_field_has_a_column_or_a_reason() -> None:
    columns = {(name, column.name) for name, table in TABLES.items() for column in table}
    lacking = [field for field in FIELDS if field not in REASONS and target(field) not in columns]
    assert not lacking, f"no column, and no reason: {lacking}"
    assert len(FIELDS) > 150


def test_nothing_is_listed_that_does_not_exist() -> None:
    both = {*ELSEWHERE, *REASONS}
    assert not both - {*FIELDS, "memory.steps.processes"}
    assert {"bindings"} <= {kept.name for kept in ALL_SAVED}
    assert not set(REASONS) & set(ELSEWHERE)


#: Fields that made-up launches have not, with a value to put there.
LACKING: dict[str, Any] = {
    "header.startup": {
        name: {"min_ns": 1, "median_ns": 2.0, "max_ns": 3, "all_ns": 4}
        for name in ("loading", "init", "first_message", "first_barrier")
    },
    "header.processes_began_ns": 6, "footer.finalize_ns": 5,
    "header.rank_order": [1, 0], "clock.x0_ns": [5, 6], "clock.offset_se_ns": [5, 6], "clock.slope_ppm": [5, 6],
    "header.thread_level": "single",
    "clock.slope_se_ppm": [5, 6], "clock.error_bound_ns": [5, 6], "measurement.overran": None,
    "measurement.pass_reps": [SPEC.runs], "measurement.interval_basis": "reps",
    "measurement.wrong": {"rank": 0, "element": 3, "expected": 1, "found": 2},
    "measurement.late_initialisation": {
        "calls": 10, "rank0_first_ns": 1, "rank0_second_ns": 2, "rank0_later_ns": 3, "slowest_first_ns": 4,
        "slowest_second_ns": 5, "slowest_later_ns": 6, "slowest_rank": 1, "span_first_ns": 7, "skew_first_ns": 8,
    },
    "measurement.regimes": {
        "quiet_ns": 50.0, "limit_ns": 70.0, "disturbed_ns": None, "extra_ns": 9, "disturbed": [False] * SPEC.runs,
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The records of one launch that has all fields."""
    inputs = write_everything(tmp_path_factory.mktemp("everything"))
    found = [json.loads(line) for line in sorted(inputs.layout.launches.glob("*.jsonl"))[0].read_text().splitlines()]
    for record in found:
        if record["record"] == "clock":
            record["truth"] = {"error_ns": record["error_ns"], "bound_ns": record["bound_ns"]}
        if record["record"] == "header":
            record["launch"]["launched_at"] = "0.000000001"
        for name, value in LACKING.items():
            kind, member = name.split(".")
            if record["record"] == kind:
                record[member] = [False] * len(record["valid"]) if value is None else value
    return found


@pytest.fixture(scope="module")
def before(records: list[dict[str, Any]]) -> dict[str, pd.DataFrame]:
    """The store's tables of that launch."""
    return frames(records)


def frames(records: list[dict[str, Any]]) -> dict[str, pd.DataFrame]:
    """The store's tables of one launch."""
    parsed: list[Any] = [RECORD.validate_python(record) for record in records]
    clocks = [each for each in parsed if isinstance(each, Clock)]
    rows = [each for each in parsed if isinstance(each, Measurement)]
    steps = [step for each in parsed if isinstance(each, Memory) for step in each.steps]
    any_file = Path(__file__)  # its SHA-256 is a column
    overhead = next(each for each in parsed if isinstance(each, Overhead))
    file = LaunchFile(any_file, parsed[0], clocks, steps, rows, overhead, parsed[-1])
    return {
        name: pa.Table.from_pydict(columns, schema=arrow_schema(name)).to_pandas()
        for name, columns in _tables(file).items()
    }


def changed(value: Any) -> Any:
    """The same kind of value, but another one."""
    if isinstance(value, dict):
        return {name: changed(each) for name, each in value.items()}
    if isinstance(value, list):
        return [changed(each) for each in value]
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        known = {"before": "after", "after": "before", "ok": "unstable", "reps": "passes"}
        return known.get(value, "2027-01-01T00:00:00Z" if value[:2] == "20" else f"{value}x")
    return 1 if value is None else value + 1


def with_changed(value: Any, path: list[str]) -> Any:
    """`value` with the field at `path` changed wherever it stands; what a record lacks is put there as a 1."""
    if isinstance(value, list):
        return [with_changed(each, path) for each in value]
    name, *rest = path
    if rest and name == "processes":
        return {**value, name: {key: with_changed(each, rest) for key, each in value[name].items()}}
    if rest:
        inner = value.get(name)
        return {**value, name: with_changed(inner, rest)} if inner is not None else value
    alias = {"schema_version": "schema"}.get(name, name)
    return {**value, alias: changed(value.get(alias))}


@pytest.mark.parametrize("field", [field for field in FIELDS if field not in REASONS])
def test_a_changed_field_changes_its_column(
    records: list[dict[str, Any]], before: dict[str, pd.DataFrame], field: str
) -> None:
    """Whatever the value is in the raw file, it is what stands in the store."""
    record, *path = field.split(".")
    others = [with_changed(each, path) if each["record"] == record else each for each in records]
    table, column = target(field)
    assert before[table][column].astype(str).tolist() != frames(others)[table][column].astype(str).tolist()
