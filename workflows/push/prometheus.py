# SPDX-License-Identifier: BSD-3-Clause
"""Records as metrics in Prometheus' text format (version 0.0.4): pushed, or in a file for node_exporter.

The name of a metric is `isochron_`, the kind of the record and the column. Labels are what the record is of, and never
the run: a result has one series over all runs. With times (VictoriaMetrics) a sample has that at which its run began;
Pushgateway and node_exporter take none, and show what was pushed last.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from isochron.common.files import FileError, write_atomically
from isochron.schemas.run.comparisons import VERDICTS
from isochron.workflows.push.batch import Batch, RefusedError
from isochron.workflows.push.over_http import send

OF_ALL = ["campaign", "system"]
OF_CASE = ["operation", "bytes", "processes", "processes_per_node", "placement"]
OF_PAIR = ["baseline", "candidate"]

#: By kind of the records their labels.
LABELS = {
    "result": [*OF_ALL, "stack", *OF_CASE],
    "comparison": [*OF_ALL, *OF_PAIR, *OF_CASE],
    "answer": [*OF_ALL, *OF_PAIR],
}

#: By kind and column the meaning of the metric.
METRICS = {
    "result": {
        "median_us": "median over launches of the launch medians, in microseconds",
        "median_low_us": "lower end of its interval",
        "median_high_us": "upper end of its interval",
        "reliable": "1 if the result is reliable, else 0",
    },
    "comparison": {
        "ratio": "candidate / baseline",
        "ratio_low": "lower end of its interval",
        "ratio_high": "upper end of its interval",
    },
    "answer": {
        "cases": "comparisons that count",
        "slower": "of these, slower by more than the practical threshold",
        "faster": "of these, faster by more than the practical threshold",
        "regressed": "of these, slower by more than the accepted loss",
        "at_risk": "of these, a loss beyond the accepted one is neither shown nor excluded",
        "effect_ratio": "weighted geometric mean of the ratios",
    },
}

#: By kind and column the words of which a record has one: a series for each, 1 for that one and 0 for the others.
STATES = {
    ("comparison", "verdict"): VERDICTS,
    ("answer", "decision"): ("upgrade", "keep-baseline", "adopt", "undecided"),
}


def text(batch: Batch, *, with_times: bool) -> str:
    """Return the metrics of a batch; a number that is not known has no sample."""
    return "".join(f"{line}\n" for line in _lines(batch, with_times=with_times))


def _lines(batch: Batch, *, with_times: bool) -> Iterator[str]:
    for kind, columns in METRICS.items():
        records = [(record, _time(record, with_times)) for record in batch.of_kind(kind)]
        for column, meaning in columns.items():
            yield from _heading(f"isochron_{kind}_{column}", meaning)
            for record, time in records:
                if record.get(column) is not None:
                    yield f"isochron_{kind}_{column}{_labels(record, kind)} {float(record[column])!r}{time}"
    for (kind, column), words in STATES.items():
        yield from _heading(f"isochron_{kind}_{column}", f"1 for the {column}, 0 for every other one")
        for record in batch.of_kind(kind):
            for word in words:
                labels = _labels({**record, column: word}, kind, column)
                yield f"isochron_{kind}_{column}{labels} {int(record[column] == word)}{_time(record, with_times)}"
    yield from _heading("isochron_run_created_at_seconds", "when the run began, in seconds since 1970")
    for record in batch.records[:1]:
        pairs = _pairs({name: record[name] for name in OF_ALL})
        yield f"isochron_run_created_at_seconds{pairs} {_began(record)!r}{_time(record, with_times)}"


def _heading(name: str, meaning: str) -> Iterator[str]:
    yield f"# HELP {name} {meaning}"
    yield f"# TYPE {name} gauge"


def _began(record: dict[str, Any]) -> float:
    """Return when the run of a record began, in seconds since 1970."""
    return datetime.fromisoformat(record["created_at"]).timestamp()


def _time(record: dict[str, Any], with_times: bool) -> str:
    """Return the end of a sample's line: when its run began, in milliseconds since 1970; empty without times."""
    return f" {round(_began(record) * 1000)}" if with_times else ""


def _labels(record: dict[str, Any], kind: str, *more: str) -> str:
    return _pairs({name: record[name] for name in [*LABELS[kind], *more]})


def _pairs(values: dict[str, Any]) -> str:
    escapes = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
    return "{" + ",".join(f'{name}="{str(value).translate(escapes)}"' for name, value in values.items()) + "}"


@dataclass(frozen=True)
class MetricsReceiver:
    """A service that takes metrics: a Pushgateway (its paths have `/metrics/job`), else one that keeps times."""

    url: str

    def accept(self, batch: Batch) -> None:
        """Send all metrics in one request, which replaces a group of a Pushgateway."""
        address = self.url.removeprefix("prometheus+")
        is_gateway = "/metrics/job" in urlsplit(address).path
        content = text(batch, with_times=not is_gateway).encode()
        send("PUT" if is_gateway else "POST", address, content, "text/plain; version=0.0.4; charset=utf-8")


@dataclass(frozen=True)
class MetricsFile:
    """A file that node_exporter reads (`--collector.textfile.directory`): it always has all metrics of one run."""

    url: str

    @property
    def path(self) -> Path:
        """The file."""
        return Path(unquote(urlsplit(self.url).path))

    def __post_init__(self) -> None:
        """Raise FileError if node_exporter would not read it."""
        if (
            urlsplit(self.url).netloc not in ("", "localhost")
            or self.path.suffix != ".prom"
            or not self.path.is_absolute()
        ):
            raise FileError(f"{self.url}: is no file of metrics; give an absolute one that ends in .prom: {FILE}")

    def accept(self, batch: Batch) -> None:
        """Replace the file."""
        if not self.path.parent.is_dir():
            raise RefusedError(f"{self.path.parent} is not a folder")
        try:
            write_atomically(self.path, text(batch, with_times=False))
        except OSError as error:
            raise RefusedError(f"{self.path}: {error.strerror}") from None


FILE = "file:///FOLDER/NAME.prom"
