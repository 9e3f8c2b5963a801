# SPDX-License-Identifier: BSD-3-Clause
"""Times in candles: times over those of the standard candle of the same session, in the same case.

The candle is no library and never changes, so it shows what the machine did, also in another night: a time in candles
of one run can be compared with that of another run if both had the same version of the candle.
"""

from dataclasses import dataclass

import pandas as pd

from isochron.postprocess.estimate.values.launches import CANDLE, with_candle
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.ingest.store import read_table
from isochron.postprocess.ingest.turns import read_candles


@dataclass(frozen=True)
class InCandles:
    """Of a run: `version` of its candle, empty if it has none or several; `rows` whose `median_us` is in candles."""

    version: str
    rows: pd.DataFrame


def in_candles(inputs: RunInputs, rows: pd.DataFrame) -> InCandles:
    """Return those of the rows that have a candle. `rows`: launch_id, operation, bytes and median_us, and any others.

    Raises FileError if the store cannot be read.
    """
    candles = read_candles(inputs.layout)
    versions = candles["candle_version"].unique().tolist()
    if len(versions) != 1:
        return InCandles("", rows.iloc[:0])
    slices = read_table(inputs.layout, "slices", ["launch_id", "session"])
    timed = with_candle(rows, slices, candles)
    timed = timed[timed[CANDLE] > 0]
    return InCandles(str(versions[0]), timed.assign(median_us=timed["median_us"] / timed[CANDLE]).drop(columns=CANDLE))
