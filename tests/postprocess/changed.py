# SPDX-License-Identifier: BSD-3-Clause
"""An analysis with other frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from isochron.postprocess.kit.table import Analysis, SavedFrame


def having(analysis: Analysis, changed: Mapping[SavedFrame, pd.DataFrame]) -> Analysis:
    """The analysis with these frames in place of its own."""
    frames = {**analysis.frames, **{table.name: frame for table, frame in changed.items()}}
    return replace(analysis, frames=frames)
