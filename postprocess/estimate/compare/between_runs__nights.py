# SPDX-License-Identifier: BSD-3-Clause
"""The nights in which the stacks had certain libraries, as one array of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

from isochron.common.files import FileError
from isochron.postprocess.estimate.history_cache.cache__cache import Archive
from isochron.postprocess.ingest.inputs__inputs import RESULT_KEY
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.stats.launches import Values

#: What a stack is of: version, and the hash of each file of the library by its name.
Library: TypeAlias = tuple[str, frozenset[tuple[str, str]]]


def library(manifest: Manifest | None) -> Library | None:
    """The library of a stack; None where it is not known."""
    if manifest is None:
        return None
    files = frozenset((Path(path).name, sha) for path, sha in manifest.library_sha256.items())
    return manifest.mpi_version, files


def logs_of(values: pd.DataFrame, rows: pd.MultiIndex) -> Values:
    """Logarithms of the reliable values, NaN where there is none.

    `values`: RESULT_KEY, median_us and reliable; `rows`: of RESULT_KEY.
    """
    reliable = values[values["reliable"].to_numpy(dtype=bool) & (values["median_us"] > 0).to_numpy()]
    known = pd.Series(np.log(reliable["median_us"].to_numpy()), index=pd.MultiIndex.from_frame(reliable[RESULT_KEY]))
    return known.reindex(rows).to_numpy(dtype=np.float64)


def nights_with(
    libraries: Mapping[str, Library | None], runs: Sequence[RunLayout], archive: Archive, rows: pd.MultiIndex
) -> Values:
    """`logs_of` each run, of the stacks that had these libraries: shape (N, R). What cannot be read is no night."""
    nights = []
    for run in runs:
        with suppress(FileError):
            ((values,),) = archive.values([run])
            same = [stack for stack in values["stack"].unique() if _had(run, stack, libraries.get(stack))]
            nights.append(logs_of(values[values["stack"].isin(same)], rows))
    return np.array(nights).reshape(len(nights), len(rows))


def _had(run: RunLayout, stack: str, expected: Library | None) -> bool:
    return expected is not None and library(Manifest.load(run.manifest(stack))) == expected
