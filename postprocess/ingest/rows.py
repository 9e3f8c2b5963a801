# SPDX-License-Identifier: BSD-3-Clause
"""Records of raw files (ns) → columns of the store (µs)."""

import json
import shlex
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from isochron.common.files import FileError
from isochron.common.hashing import content_sha256
from isochron.postprocess.ingest.measurements import overran
from isochron.postprocess.ingest.store import Columns
from isochron.schemas.run.launch_file import LaunchFile
from isochron.schemas.run.layout import launch_of, raw_file
from isochron.schemas.run.measurement_checks import flat
from isochron.schemas.run.record_parts import Overhead
from isochron.schemas.run.records import Measurement, Probes
from isochron.schemas.run.store import TABLES
from isochron.stats.launches import stretches

#: Readings whose unit in the store is that of the raw file.
AS_READ = ("cache_line_ns", "compute_ns", "copy_gbs", "switches", "frequency_mhz", "network_us")
#: All that is read, as the raw file calls it.
IN_FILE = (*AS_READ, "waited_ns", "steal_ns")


def launch_columns(launch_files: list[LaunchFile]) -> Columns:
    """Columns of `launches`, one row a file."""
    return _columns("launches", [_launch_row(launch_file) for launch_file in launch_files])


def rep_columns(launch_files: list[LaunchFile]) -> Columns:
    """Columns of `runs`, one row for each run; as arrays, for there may be millions."""
    rows = [(launch_id(launch_file), row) for launch_file in launch_files for row in launch_file.measurements]
    counts = np.array([len(row.time_ns) for _, row in rows], dtype=np.int64)
    return {
        "launch_id": _repeated([identity for identity, _ in rows], counts),
        "operation": _repeated([row.operation for _, row in rows], counts),
        "bytes": np.repeat(np.array([row.bytes for _, row in rows], dtype=np.int64), counts),
        "rep": stretches(np.zeros_like(counts), counts),
        "time_us": flat((row.time_ns for _, row in rows), np.float64) / 1e3,
        "local_us": flat((row.local_ns for _, row in rows), np.float64) / 1e3,
        "valid": flat((row.valid for _, row in rows), np.bool_),
        "overran": flat((overran(row) for _, row in rows), np.bool_),
        "disturbed": flat((_disturbed(row) for _, row in rows), np.bool_),
    }


def probe_columns(launch_files: list[LaunchFile]) -> Columns:
    """Columns of `probes`, one row for each reading; none of launches in which nothing was read."""
    rows = [(launch_file, *reading) for launch_file in launch_files for reading in _readings(launch_file)]
    counts = np.array([len(probes.t_ns) for *_, probes in rows], dtype=np.int64)
    starts = [launch_file.header.probes for launch_file, *_ in rows]

    def joined(name: str, unit: float = 1.0) -> NDArray[Any]:
        return _joined([getattr(probes, name) for *_, probes in rows], np.float64) / unit

    return {
        "launch_id": _repeated([launch_id(launch_file) for launch_file, *_ in rows], counts),
        "operation": _repeated([operation for _, operation, *_ in rows], counts),
        "bytes": np.repeat(np.array([size for _, _, size, _ in rows], dtype=np.int64), counts),
        "batch": _joined([probes.batch for *_, probes in rows], np.int64),
        "reps": _joined([probes.reps for *_, probes in rows], np.int64),
        "t_s": joined("t_ns", 1e9),
        "waited_us": joined("waited_ns", 1e3),
        "steal_ms": joined("steal_ns", 1e6),
        **{name: joined(name) for name in AS_READ},
        "network_by": _repeated(["" if start is None else start.network_by for start in starts], counts),
    }


def _disturbed(row: Measurement) -> list[bool]:
    return row.regimes.disturbed if row.regimes is not None else [False] * len(row.valid)


def _readings(launch_file: LaunchFile) -> Iterator[tuple[str, int, Probes]]:
    """Operation, bytes and readings: at the start of the launch, then of each row that has some."""
    start = launch_file.header.probes
    if start is not None and start.read:
        reference = {name: [start.reference.get(name)] for name in IN_FILE}
        yield "", 0, Probes(spent_ns=0, batch=[-1], reps=[0], t_ns=[0], **reference)
    for row in launch_file.measurements:
        if row.probes is not None:
            yield row.operation, row.bytes, row.probes


def launch_id(launch_file: LaunchFile) -> str:
    """`<run-id>.<name>`: the key of a launch over all runs."""
    return f"{_label(launch_file, 'run_id')}.{_label(launch_file, 'name')}"


def _columns(table: str, rows: list[dict[str, Any]]) -> Columns:
    return {column.name: [row[column.name] for row in rows] for column in TABLES[table]}


def _repeated(values: list[str], counts: NDArray[np.int64]) -> Any:
    """Each text as often as its count says, an Arrow array that holds it once."""
    indices = pa.array(np.repeat(np.arange(len(values), dtype=np.int32), counts))
    return pa.DictionaryArray.from_arrays(indices, pa.array(values, pa.string())).cast(pa.string())


def _joined(parts: Iterable[Iterable[Any]], kind: type[np.generic]) -> NDArray[Any]:
    return np.array(list(chain.from_iterable(parts)), dtype=kind)


def _label(launch_file: LaunchFile, key: str) -> str:
    try:
        return launch_file.header.launch[key]
    except KeyError:
        raise FileError(
            f"{launch_file.path}: header.launch.{key}: missing; give the engine --append-header {key}=…"
        ) from None


def _number(launch_file: LaunchFile, key: str) -> int:
    text = _label(launch_file, key)
    try:
        return int(text)
    except ValueError:
        raise FileError(f"{launch_file.path}: header.launch.{key}: '{text}' is no whole number") from None


def _started_at(launch_file: LaunchFile) -> datetime:
    text = launch_file.header.started_at
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise FileError(f"{launch_file.path}: header.started_at: '{text}' is no ISO 8601 time") from None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _launch_row(launch_file: LaunchFile) -> dict[str, Any]:
    header = launch_file.header
    texts = (
        "run_id", "campaign", "system", "partition", "stack", "mpi_library", "mpi_version",
        "engine_sha256", "placement",
    )  # fmt: skip
    numbers = ("processes_per_node", "nodes", "block", "launch", "attempt")
    sources = {host.clock_source for host in header.hosts if host.clock_source}
    return {
        "launch_id": launch_id(launch_file),
        **{key: _label(launch_file, key) for key in texts},
        **{key: _number(launch_file, key) for key in numbers},
        "mpi_library_version": header.mpi_library_version,
        "engine_version": header.engine_version,
        "processes": header.processes,
        "started_at": _started_at(launch_file),
        "duration_s": launch_file.footer.elapsed_ns / 1e9,
        "hosts": ",".join(sorted({host.name for host in header.hosts})),
        "oversubscribed": _label(launch_file, "oversubscribed") == "true",
        "timer": header.timer.name,
        "timer_resolution_us": header.timer.resolution_ns / 1e3,
        "timer_cost_us": header.timer.cost_ns / 1e3,
        "timer_rate_ppm": header.timer.rate_ppm,
        "clock_sources": ",".join(sorted(sources)),
        **_synchronisation(launch_file),
        "clock_error_before_us": _largest(launch_file, "before", "error_ns"),
        "clock_error_after_us": _largest(launch_file, "after", "error_ns"),
        "clock_bound_us": _bound(launch_file),
        "clock_true_before_us": _truly(launch_file, "before", "error_ns"),
        "clock_true_after_us": _truly(launch_file, "after", "error_ns"),
        **_overhead(launch_file.overhead),
        **_conditions(launch_file),
        **_gate(launch_file),
        "simulated": header.simulated,
        "simulation": header.launch.get("simulation", ""),
        "file": raw_file(launch_of(launch_file.path)),
        "raw_sha256": content_sha256(launch_file.path),
    }


def _overhead(overhead: Overhead | None) -> dict[str, float | None]:
    """What the engine adds to a time, ns → µs; None if it was not measured."""
    known_ns = {} if overhead is None else overhead.model_dump()
    columns: dict[str, float | None] = {"overhead_reps": known_ns.get("reps_valid")}
    for way in ("", "from_last_"):
        for end in ("", "low_", "high_"):
            value_ns = known_ns.get(f"{way}median_{end}ns")
            columns[f"overhead_{way}{end}us"] = None if value_ns is None else value_ns / 1e3
    return columns


def _conditions(launch_file: LaunchFile) -> dict[str, Any]:
    """How the launch was started, and what was put in its way."""
    header, footer = launch_file.header, launch_file.footer
    probes, arrivals = header.probes, header.arrival_ns or []
    return {
        "command": shlex.join(header.command),
        "options": json.dumps(header.options, ensure_ascii=False),
        "contrast": header.launch.get("contrast", ""),
        "buffers": str(header.options.get("buffers", "warm")),
        "reduce_op": str(header.options.get("reduce_op", "sum")),
        "buffered_sends": header.options.get("buffered_sends") is True,
        **{name: _real(header.options.get(name)) for name in ("sync_patience", "max_invalid", "slot_growth")},
        "mpi_standard": header.mpi_standard,
        "thread_level": header.thread_level,
        "threads_pinned": header.threads_pinned is True,
        "compiler": header.compiler,
        "rank_order": ",".join(map(str, header.rank_order or [])),
        "arrival": str(header.options.get("arrival", "none")),
        "arrival_us": ",".join(f"{each / 1e3:g}" for each in arrivals),
        "arrival_spread_us": (max(arrivals) - min(arrivals)) / 1e3 if arrivals else 0.0,
        "cache_bytes": header.cache_bytes,
        "probes_read": probes is not None and probes.read,
        "probes_why_not": probes.why_not if probes else "",
        "cache_line_pairs": probes.cache_line_pairs if probes else None,
        "network_pairs": probes.network_pairs if probes else None,
        "network_by": probes.network_by if probes else "",
        "network_why_not": probes.network_why_not if probes else "",
        "network_lost": footer.network_lost,
        "earlier_line_ns": probes.earlier_line_ns if probes else None,
        "own_messages": footer.own_messages,
        "mapped_bytes": footer.mapped_bytes,
    }


def _real(value: object) -> float | None:
    """A number as an option of the raw file has it; None if an older engine has no such option."""
    return float(value) if isinstance(value, int | float) else None


def _gate(launch_file: LaunchFile) -> dict[str, float | None]:
    """Limit of the launch, and the extra time of all its rows, ns → s; None without a gate."""
    regimes = [row.regimes for row in launch_file.measurements if row.regimes is not None]
    return {
        "gate_limit_ns": regimes[-1].limit_ns if regimes else None,
        "gate_extra_s": sum(row.extra_ns for row in regimes) / 1e9 if regimes else None,
    }


def _largest(launch_file: LaunchFile, phase: str, field: str) -> float | None:
    """Largest magnitude in the clock records of a phase, ns → µs; None if there are none."""
    return _magnitude([getattr(clock, field) for clock in launch_file.clocks if clock.phase == phase])


def _truly(launch_file: LaunchFile, phase: str, field: str) -> float | None:
    """The same over all processes; None if the clocks are not made up."""
    return _magnitude(
        [getattr(clock.truth, field) for clock in launch_file.clocks if clock.phase == phase and clock.truth]
    )


def _magnitude(lists_ns: list[list[float]]) -> float | None:
    values = [abs(value) for values in lists_ns for value in values]
    return max(values) / 1e3 if values else None


def _bound(launch_file: LaunchFile) -> float | None:
    """Largest stated bound at once after a synchronisation in µs: of all processes where it is known."""
    of_all = _truly(launch_file, "before", "bound_ns")
    return of_all if of_all is not None else _largest(launch_file, "before", "bound_ns")


def _synchronisation(launch_file: LaunchFile) -> dict[str, Any]:
    """How the clocks were synchronised first, and in what time, ns → ms."""
    first = launch_file.clocks[0] if launch_file.clocks else None
    return {
        "clock_sync": first.method if first else "none",
        "clock_estimator": first.estimator if first else "",
        "clock_sync_ms": first.duration_ns / 1e6 if first else None,
    }
