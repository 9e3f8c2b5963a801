# SPDX-License-Identifier: BSD-3-Clause
"""The certificate of a machine: the comparisons of a series of runs, held against what was slowed."""

from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from isochron.common.files import FileError
from isochron.postprocess.analysis.saved import write_csv
from isochron.postprocess.estimate.compare.score import Truth, counts, score
from isochron.postprocess.ingest.inputs import load_inputs
from isochron.postprocess.kit.table import TableContext
from isochron.postprocess.subjects.comparison.table import make_comparison
from isochron.postprocess.subjects.environment.table import LOADS, PROVENANCE
from isochron.postprocess.subjects.results.table import make_summary
from isochron.schemas.run.certificate import (
    CERTIFICATE,
    ROWS,
    SIDES,
    Certificate,
    CertifiedTable,
    Series,
    loaded_file,
    read_shares,
    shares_file,
)


def certify(folder: Path) -> Certificate:
    """Score a complete series; its certificate and rows become the newest of the results. Raises FileError."""
    series, results = Series.load(folder / "series.json"), folder.resolve().parent.parent
    missing = [table.name for table in series.tables if table.name not in series.runs]
    if missing:
        raise FileError(f"{folder}: table {missing[0]} is not measured; `isochron certify` goes on with it")
    contexts = [TableContext(load_inputs(results / series.runs[table.name])) for table in series.tables]
    compared = [(context.get(make_comparison), context.get(make_summary)) for context in contexts]
    rules, truths = contexts[0].rules, [truth_of(folder, table) for table in series.tables]
    rows = pd.concat(
        [score(*frames, truth, rules) for frames, truth in zip(compared, truths, strict=True)], ignore_index=True
    )
    certificate = Certificate(
        made_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        isochron_version=version("isochron"),
        **_place(contexts),
        results=str(results),
        stacks=series.stacks,
        short=series.short,
        threshold=rules.threshold,
        confidence=rules.confidence,
        **counts(rows, truths, rules),
    )
    for place in (results, folder):
        write_csv(place / ROWS, rows)
        certificate.save(place / CERTIFICATE)
    return certificate


def truth_of(folder: Path, table: CertifiedTable) -> Truth:
    """What was slowed in a table. Raises FileError if the library that slows was not there."""
    files = [shares_file(folder, table.name, side) for side in SIDES]
    for path in files:
        if not loaded_file(path).is_file():
            raise FileError(
                f"table {table.name}: the launches of {table.stack} did not load the library that slows operations "
                f"({loaded_file(path)} is missing); its launcher does not hand LD_PRELOAD on, take another stack"
            )
    return Truth(table.name, table.stack, *map(read_shares, files))


def _place(contexts: list[TableContext]) -> dict[str, object]:
    """Engine, hosts, processor and load of all tables."""
    launches = pd.concat([each.launches for each in contexts])
    facts = pd.concat([PROVENANCE.make(each) for each in contexts])
    loads = pd.concat([LOADS.make(each) for each in contexts])["load"]
    processors = sorted(set(facts.loc[facts["fact"] == "cpu_model", "value"]))
    return {
        "engine_version": ", ".join(sorted(set(launches["engine_version"]))),
        "hosts": sorted({host for text in launches["hosts"] for host in text.split(",")}),
        "processor": ", ".join(processors),
        "load_average": float(loads.median()) if len(loads) else None,
    }
