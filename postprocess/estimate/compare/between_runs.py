# SPDX-License-Identifier: BSD-3-Clause
"""Two runs compared result by result: is a stack slower than it was?

Launches of one night are not independent: two nights of five launches are not ten independent ones. What a night does
to all stacks alike cancels against a stack's *controls*: the other stacks of both runs whose library did not change.
What it does to each stack separately is known only from earlier nights with the libraries of the baseline: a claim
needs enough of these that the new night can be significant (`isochron.stats`), and two controls. Until then the ratio
is described, with an interval over the blocks of these two nights alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from isochron.common.files import FileError
from isochron.postprocess.estimate.compare.comparison import COMPARISON_COLUMNS, OPEN, first_that_holds
from isochron.postprocess.estimate.compare.history import NOWHERE
from isochron.postprocess.estimate.compare.pairs import Pair, Rules, pairs
from isochron.postprocess.estimate.compare.rows import Rows, rows_of
from isochron.postprocess.estimate.history_cache.cache import Archive, stored_rows
from isochron.postprocess.estimate.values.candles import in_candles
from isochron.postprocess.estimate.values.summary import summarise, usable
from isochron.postprocess.ingest.inputs import CASE, KEYS, POINT, RESULT_KEY, RunInputs, planned_rows
from isochron.schemas.run.comparisons import VERDICT_COLUMN
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.stats.launches import Values
from isochron.stats.nights import Controlled, controlled, nights_needed

#: What a stack is of: version, and the hash of each file of the library by its name.
Library: TypeAlias = tuple[str, frozenset[tuple[str, str]]]


def library(manifest: Manifest | None) -> Library | None:
    """The library of a stack; None if it is not known."""
    if manifest is None:
        return None
    files = frozenset((Path(path).name, sha) for path, sha in manifest.library_sha256.items())
    return manifest.mpi_version, files


def logs_of(values: pd.DataFrame, rows: pd.MultiIndex) -> Values:
    """Logarithms of the reliable values, NaN if there is none.

    `values`: RESULT_KEY, median_us and reliable; `rows`: of RESULT_KEY.
    """
    reliable = values[values["reliable"].to_numpy(dtype=bool) & (values["median_us"] > 0).to_numpy()]
    logs = pd.Series(np.log(reliable["median_us"].to_numpy()), index=pd.MultiIndex.from_frame(reliable[RESULT_KEY]))
    return logs.reindex(rows).to_numpy(dtype=np.float64)


def nights_with(
    libraries: Mapping[str, Library | None], runs: Sequence[RunLayout], archive: Archive, rows: pd.MultiIndex
) -> Values:
    """`logs_of` each run, of the stacks that had these libraries: shape (N, R). What cannot be read is no night."""
    nights = []
    for run in runs:
        with suppress(FileError):
            ((values,),) = archive.values([run])
            same = [stack for stack in values["stack"].unique() if had_library(run, stack, libraries.get(stack))]
            nights.append(logs_of(values[values["stack"].isin(same)], rows))
    return np.array(nights).reshape(len(nights), len(rows))


def had_library(run: RunLayout, stack: str, expected: Library | None) -> bool:
    """Return True if a stack of a run is of that library. Raises FileError if its manifest cannot be read."""
    return expected is not None and library(Manifest.load(run.manifest(stack))) == expected


Logs: TypeAlias = "pd.Series[float]"

#: Columns: `baseline` and `candidate` are runs, and every row has its stack.
BETWEEN_RUNS_COLUMNS = {
    **KEYS,
    "baseline": "the run that the candidate is compared with",
    "candidate": "the run that is compared",
    **{name: COMPARISON_COLUMNS[name] for name in ("baseline_median_us", "candidate_median_us")},
    "ratio": "candidate / baseline, each divided by the median of the controls. Where `interval_of` is `nights`, the "
    "value of the candidate over the mean of the nights before; where it is `blocks`, the factor between blocks of the "
    "two runs (Hodges-Lehmann)",
    "ratio_low": "lower end of its interval",
    "ratio_high": "upper end of that interval",
    "confidence": "the confidence level that this interval really has",
    "interval_of": "what the interval covers. `nights`: that nights differ, as they did before; `blocks`: only that "
    "blocks of these two nights differ: another night may lie far outside",
    **{name: COMPARISON_COLUMNS[name] for name in ("baseline_launches", "candidate_launches")},
    "controls": "the other stacks of both runs whose library did not change, separated by commas",
    "nights": "nights up to the baseline in which the row and its controls had the libraries of the baseline, and "
    "values that are reliable",
    "further_nights": "how many more of these a verdict needs; 0 where there are enough",
    "p_value": "p value that the candidate is one more of these nights, by Student's t; empty below 5 nights",
    "p_adjusted": "the same, corrected over all rows by the largest difference of each of these nights from the others",
    "verdict": VERDICT_COLUMN,
    "reason": "why the verdict is `inconclusive`, `missing` or `new`",
    "own_ratio": "ratio of the two values, without controls",
    "candles": "version of the standard candle in both runs; `1, 2` if they differ, so that times in candles are not "
    "compared; empty if a run has none",
    "candles_ratio": "candidate / baseline, each in candles: times over those of the standard candle in the same "
    "session and case, which no library can influence; the factor between blocks of the two runs (Hodges-Lehmann). "
    "No verdict uses it",
    "candles_low": "lower end of its interval over the blocks of these two runs",
    "candles_high": "upper end of that interval",
}
OF_BLOCKS, OF_NIGHTS = "blocks", "nights"
#: Controls that a verdict needs at least.
MIN_CONTROLS = 2
#: Blocks of the second run are never blocks of the first, whatever their numbers.
APART = 1_000_000
ALONE = "what a night adds is not known without other, unchanged stacks in both runs; see history"
ONE = "which of the stack and its only control has changed cannot be known; take a third stack into the campaign"
FEW = " nights with these libraries: by how much nights differ is not known; "
ODD = "the other stacks, which did not change, are as on no night before: it may be the machine; see history"


@dataclass(frozen=True)
class _Run:
    """A run. `rows`: every planned row with its launches, by stack; `in_candles`: the same with times in candles.

    `candle`: the version of its standard candle; empty if it has none.
    """

    inputs: RunInputs
    rows: dict[str, Rows]
    candle: str
    in_candles: dict[str, Rows]

    @classmethod
    def read(cls, inputs: RunInputs, rules: Rules) -> _Run:
        """Raises FileError if it has no store."""
        _, rows = stored_rows(inputs)
        used, summary = usable(rows), summarise(planned_rows(inputs), rows, rules.confidence)
        candles = in_candles(inputs, used)
        return cls(inputs, rows_of(summary, used), candles.version, rows_of(summary, candles.rows))


@dataclass(frozen=True)
class _Sides:
    """Both runs. `names`: made distinct."""

    runs: tuple[_Run, _Run]
    names: tuple[str, str]

    @property
    def rows(self) -> tuple[dict[str, Rows], dict[str, Rows]]:
        """Every planned row of both runs with its launches, by stack."""
        return self.runs[0].rows, self.runs[1].rows

    @property
    def stacks(self) -> list[str]:
        """Of both, those of the candidate first."""
        return list(dict.fromkeys([*self.rows[1], *self.rows[0]]))

    @property
    def common(self) -> list[str]:
        """The stacks that both have."""
        return [stack for stack in self.stacks if all(stack in rows for rows in self.rows)]

    @property
    def unchanged(self) -> list[str]:
        """The stacks that both have, with the same library."""
        kept = self.common
        libraries = ([library(run.inputs.manifests.get(stack)) for stack in kept] for run in self.runs)
        return [stack for stack, old, new in zip(kept, *libraries, strict=True) if old is not None and old == new]

    @property
    def values(self) -> list[pd.DataFrame]:
        """Of each run RESULT_KEY, median_us, launches_used, reliable and verdict of every planned row."""
        columns = [*RESULT_KEY, "median_us", "launches_used", "reliable", "verdict"]
        return [
            pd.concat([each.summary.assign(stack=stack) for stack, each in rows.items()])[columns] for rows in self.rows
        ]


def compare_runs(
    baseline: RunInputs, candidate: RunInputs, before: Sequence[RunLayout] = (), archive: Archive = NOWHERE
) -> pd.DataFrame:
    """`BETWEEN_RUNS_COLUMNS`: every row that either run planned, by the rules (threshold, confidence) of `candidate`.

    An outer join: what only one of them has is `missing` or `new`. The correction is over all rows. `before`: runs of
    the campaign that are older than the baseline, of which those nights count that had its libraries; `archive`: where
    their values are kept.
    """
    analysis = candidate.campaign.analysis
    rules = Rules(analysis.threshold, analysis.confidence, candidate.campaign.seed)
    sides = _Sides((_Run.read(baseline, rules), _Run.read(candidate, rules)), _names(baseline, candidate))
    cases = pd.concat(sides.values)[CASE].drop_duplicates()
    rows = pd.MultiIndex.from_frame(pd.DataFrame({"stack": sides.stacks}).merge(cases, how="cross")[RESULT_KEY])
    libraries = {stack: library(baseline.manifests.get(stack)) for stack in sides.stacks}
    nights = [*nights_with(libraries, before, archive, rows), *(logs_of(values, rows) for values in sides.values)]
    logs = np.stack(nights).reshape(len(nights), len(sides.stacks), len(cases))
    controls = _controls(sides, logs, nights_needed(rules.confidence))
    controlled_ratios = controlled(logs, np.isin(sides.stacks, controls), rules.confidence, rules.margin)
    table = _of_nights(_of_blocks(sides, controls, rules), controlled_ratios, rows, rules)
    table = _with_candles(table, sides, rules)
    return _judged(table, rules)[list(BETWEEN_RUNS_COLUMNS)]


def _controls(sides: _Sides, logs: Values, needed: int) -> list[str]:
    """The unchanged stacks; without those that are too new, where two are left for each of the others."""
    nights = (~np.isnan(logs[:-1])).any(axis=2).sum(axis=0)
    lasting = [stack for stack in sides.unchanged if nights[sides.stacks.index(stack)] >= needed]
    return lasting if len(lasting) > MIN_CONTROLS else sides.unchanged


def _of_blocks(sides: _Sides, controls: list[str], rules: Rules) -> pd.DataFrame:
    """All rows with both values, their controls, and ratio and interval over the blocks of the two runs."""
    one, other = sides.values
    table = pd.concat([other[RESULT_KEY], one[RESULT_KEY]]).drop_duplicates().merge(one, on=RESULT_KEY, how="left")
    table = table.merge(other, on=RESULT_KEY, how="left", suffixes=("_1", "_2"))
    for number, side in enumerate(("baseline", "candidate")):
        table[side] = sides.names[number]
        table[f"{side}_median_us"] = table[f"median_us_{number + 1}"]
        table[f"{side}_launches"] = table[f"launches_used_{number + 1}"].fillna(0).astype(int)
    table["own_ratio"] = table["candidate_median_us"] / table["baseline_median_us"]
    columns = ["ratio_low", "ratio", "ratio_high", "confidence"]
    table[columns] = np.nan
    for stack in sides.stacks:
        others, mine = [name for name in controls if name != stack], table["stack"] == stack
        table.loc[mine, "controls"] = ",".join(others)
        if stack not in sides.common:
            continue
        first, second = (_controlled(rows[stack], [rows[name] for name in others]) for rows in sides.rows)
        for at, pair in _pairs_at(table[mine], first, second, rules):
            table.loc[at, columns[:-1]] = np.exp([pair.ratio.low, pair.ratio.estimate, pair.ratio.high]).T
            table.loc[at, "confidence"] = pair.ratio.confidence
    return table


def _pairs_at(table: pd.DataFrame, first: Rows, second: Rows, rules: Rules) -> Iterator[tuple[pd.Index[int], Pair]]:
    """The rows of a stack, and their comparison over the blocks of the two runs, in groups of the same launches."""
    for point, group in table.groupby(POINT, sort=False):
        cases = pd.MultiIndex.from_frame(group[["operation", "bytes"]])
        for pair in pairs(first.at(point, cases), _apart(second).at(point, cases), rules, 1):
            yield group.index[pair.cases], pair


def _with_candles(table: pd.DataFrame, sides: _Sides, rules: Rules) -> pd.DataFrame:
    """The table with the ratio of times in candles, if both runs had the same candle."""
    one, other = sides.runs
    versions = list(dict.fromkeys([one.candle, other.candle])) if one.candle and other.candle else []
    columns = ["candles_low", "candles_ratio", "candles_high"]
    table[columns] = np.nan
    for stack in sides.common if len(versions) == 1 else []:
        first, second = (_controlled(run.in_candles[stack], []) for run in sides.runs)
        for at, pair in _pairs_at(table[table["stack"] == stack], first, second, rules):
            table.loc[at, columns] = np.exp([pair.ratio.low, pair.ratio.estimate, pair.ratio.high]).T
    return table.assign(candles=", ".join(versions))


def _of_nights(table: pd.DataFrame, controlled_ratios: Controlled, rows: pd.MultiIndex, rules: Rules) -> pd.DataFrame:
    """The table with what the nights say; ratio and interval are theirs if there are enough for an interval.

    `rows`: RESULT_KEY of what was found.
    """
    at, night = rows.get_indexer(pd.MultiIndex.from_frame(table[RESULT_KEY])), controlled_ratios.night
    seen = np.isfinite(night.shift[at])
    for name, shift in (("ratio", night.shift), ("ratio_low", night.low), ("ratio_high", night.high)):
        table[name] = np.where(seen, np.exp(shift[at]), table[name])
    return table.assign(
        confidence=table["confidence"].where(~seen, rules.confidence),
        interval_of=np.select([seen, table["ratio"].notna()], [OF_NIGHTS, OF_BLOCKS], ""),
        nights=night.nights[at],
        further_nights=np.maximum(0, nights_needed(rules.confidence) - night.nights[at]),
        p_value=night.p_value[at],
        p_adjusted=night.p_adjusted[at],
        least=controlled_ratios.least.ravel()[at],
        odd=np.broadcast_to(controlled_ratios.odd[:, None], controlled_ratios.least.shape).ravel()[at],
    )


def _judged(table: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """The table with `verdict` and `reason`: of each row the first of these lines that holds."""
    controls = table["controls"].str.split(",").map(len).where(table["controls"] != "", 0)
    doubts = [
        (table[side] + ": " + table[f"verdict_{number}"]).where(~table[f"reliable_{number}"].eq(True), "")
        for number, side in enumerate(("baseline", "candidate"), start=1)
    ]
    doubt = (doubts[0] + "; " + doubts[1]).str.removeprefix("; ").str.removesuffix("; ")
    nights, further = table["nights"].astype(str), table["further_nights"].astype(str)
    few = nights + f" of {nights_needed(rules.confidence)}" + FEW + further + " more, or see history"
    changed = (table["p_adjusted"] <= rules.alpha) & (table["least"] >= rules.margin)
    not_slower = table["ratio_high"] <= 1 + rules.threshold
    not_faster = table["ratio_low"] >= 1 / (1 + rules.threshold)
    lines: list[tuple[Any, str, Any]] = [
        (table["candidate_launches"] == 0, "missing", table["candidate"] + " has no time here"),
        (table["baseline_launches"] == 0, "new", table["baseline"] + " has no time here"),
        (doubt != "", "inconclusive", doubt),
        (controls == 0, "inconclusive", ALONE),
        (controls < MIN_CONTROLS, "inconclusive", ONE),
        (table["further_nights"] > 0, "inconclusive", few),
        (changed & table["odd"], "inconclusive", ODD),
        (changed & (table["ratio"] > 1), "slower", ""),
        (changed, "faster", ""),
        (not_slower & not_faster, "equivalent", ""),
        (not_slower, "not-slower", ""),
        (not_faster, "not-faster", ""),
        ((table["ratio_low"] > 1) | (table["ratio_high"] < 1), "inconclusive", OPEN),
    ]
    verdict, reason = first_that_holds(lines, len(table))
    return table.assign(verdict=verdict, reason=reason)


def _controlled(rows: Rows, controls: list[Rows]) -> Rows:
    """One unit for each block: the mean (of logarithms) over its launches, less the median over the controls."""
    stack_blocks = _blocks(rows.launches)
    if controls:
        others = (
            pd.concat([_blocks(_reliable(each)) for each in controls]).groupby(level=stack_blocks.index.names).median()
        )
        stack_blocks = (stack_blocks - others).dropna()
    units = stack_blocks.rename("median_us").reset_index()
    launches = units.assign(median_us=np.exp(units["median_us"]), launch_id=units["allocation"].astype(str))
    return Rows(rows.summary, launches[rows.launches.columns])


def _blocks(launches: pd.DataFrame) -> Logs:
    """Mean logarithm of the launch medians by CASE and allocation."""
    timed = launches[launches["median_us"] > 0]
    block_means: Logs = timed.assign(log=np.log(timed["median_us"])).groupby([*CASE, "allocation"])["log"].mean()
    return block_means


def _reliable(rows: Rows) -> pd.DataFrame:
    reliable = rows.summary.loc[rows.summary["reliable"].astype(bool), CASE]
    return rows.launches.merge(reliable, on=CASE)


def _names(baseline: RunInputs, candidate: RunInputs) -> tuple[str, str]:
    """Names of the runs, made distinct if two copies of one run are compared."""
    first, second = baseline.layout.run_id, candidate.layout.run_id
    return first, second if second != first else f"{second} (second)"


def _apart(rows: Rows) -> Rows:
    return Rows(rows.summary, rows.launches.assign(allocation=rows.launches["allocation"] + APART))
