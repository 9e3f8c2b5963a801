# SPDX-License-Identifier: BSD-3-Clause
"""The newest certificate beside the campaigns of a run: how often verdicts were wrong where the truth was known."""

from contextlib import suppress

import pandas as pd

from isochron.common.files import FileError
from isochron.schemas.run.certificate import CERTIFICATE, Certificate
from isochron.schemas.run.layout import RunLayout

#: Columns of what is kept of it: a line for each injected effect, the rest the same in all.
CERTIFICATE_COLUMNS = {
    "made_at": "when it was made",
    "results": "the folder of results in which its tables lie",
    "hosts": "hosts that it is of, separated by commas",
    "processor": "their processor",
    "engine_version": "version of the engine",
    "stacks": "stacks that were compared with themselves, separated by commas",
    "same_hosts": "whether all launches of this run were on those hosts",
    "same_engine": "whether all launches of this run had that version of the engine",
    "false_tables": "tables with a false verdict",
    "tables": "tables",
    "false_high": "upper bound of their share",
    "confidence": "confidence level of the bound, and of intervals and tests",
    "threshold": "practical threshold",
    "covered_rows": "rows whose interval holds the injected ratio",
    "rows": "rows with an interval",
    "effect": "share by which operations were slowed",
    "detected": "rows with that effect that were detected",
    "of": "rows with that effect",
    "detected_low": "lower end of the interval of the probability to detect it",
    "detected_high": "upper end of that interval",
}


def certificate_table(layout: RunLayout, launches: pd.DataFrame) -> pd.DataFrame:
    """`CERTIFICATE_COLUMNS`; no line if there is no certificate, or none that can be read: it is no part of the run.

    `launches`: hosts and engine_version.
    """
    lines = []
    with suppress(FileError):
        certificate = Certificate.load(layout.root.parent.parent / CERTIFICATE)
        hosts = {host for text in launches["hosts"] for host in text.split(",")}
        common = {
            **certificate.model_dump(
                include={"made_at", "results", "processor", "engine_version", "confidence", "threshold"}
            ),
            "hosts": ",".join(certificate.hosts),
            "stacks": ",".join(certificate.stacks),
            "same_hosts": hosts <= set(certificate.hosts),
            "same_engine": set(launches["engine_version"]) <= set(certificate.engine_version.split(", ")),
            "false_tables": certificate.false_tables.hits,
            "tables": certificate.false_tables.of,
            "false_high": certificate.false_tables.high,
            "covered_rows": certificate.covered.hits,
            "rows": certificate.covered.of,
        }
        lines = [
            {
                **common,
                "effect": each.effect,
                "detected": each.detected.hits,
                "of": each.detected.of,
                "detected_low": each.detected.low,
                "detected_high": each.detected.high,
            }
            for each in certificate.effects
        ]
    return pd.DataFrame(lines, columns=list(CERTIFICATE_COLUMNS))
