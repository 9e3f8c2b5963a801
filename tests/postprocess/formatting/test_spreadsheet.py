# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import numpy as np
import pandas as pd

from isochron.postprocess.formatting.spreadsheet import as_csv


def test_numbers_have_the_digits_of_the_format_and_other_cells_their_own() -> None:
    table = pd.DataFrame(
        {
            "us": [1 / 3, np.nan, -np.inf, 1e22],
            "count": [1, 2, 3, 10**15],
            "mixed": pd.Series([True, 1, 1.5, "=1+1"], dtype=object),
            "text": ["a,b", "", "=1+1", 'q"'],
        }
    )
    lines = as_csv(table, float_format="%.7g").splitlines()
    assert lines == [
        "us,count,mixed,text",
        '0.3333333,1,True,"a,b"',
        ",2,1,",
        "-inf,3,1.5,'=1+1",
        '1e+22,1000000000000000,\'=1+1,"q"""',
    ]
