# SPDX-License-Identifier: BSD-3-Clause
"""Where stacks differ most, which is the fastest and where, and what interim analyses decided."""

from collections.abc import Callable
from math import log, sqrt

import pandas as pd

from isochron.common.detectable import MIN_BLOCKS
from isochron.postprocess.estimate.answer.decision import answering, by_least, oriented
from isochron.postprocess.estimate.answer.least import at_least
from isochron.postprocess.estimate.compare.comparison import launches_needed
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import CASE, RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.answer.table import ANSWERS
from isochron.postprocess.subjects.answer.verdict import FURTHER
from isochron.postprocess.subjects.comparison.table import COMPARISON, FASTEST, TAIL_COMPARISON
from isochron.postprocess.subjects.results.table import SUMMARY
from isochron.schemas.run.comparisons import BOUNDED, DECIDED

#: Differences that are named.
MOST = 5


def versions(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """A finding for each answer to the campaign's question."""
    table = oriented(analysis[COMPARISON], inputs.campaign.analysis)
    lines = analysis[ANSWERS].to_dict("records")
    return [_upgrade(line["baseline"], line["candidate"], answering(table, line), inputs) for line in lines]


def largest(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """The largest differences that are established: of each stack in each operation the worst."""
    table = oriented(analysis[COMPARISON], inputs.campaign.analysis)
    slower = by_least(table[table["verdict"] == "slower"], slowest_first=True)
    if not len(slower):
        return []
    groups = [group for _, group in slower.groupby(["stack", "other", "operation"], sort=False)]
    ranked = sorted(groups, key=_weight, reverse=True)
    named: dict[tuple[str, str], pd.DataFrame] = {}
    for group in ranked:
        worst = group.iloc[0]
        named.setdefault((str(worst["stack"]), str(worst["operation"])), group)
    chosen = list(named.values())[:MOST]
    worst = chosen[0].iloc[0]
    text = (
        f"The largest difference: {_slower(worst)} in {labels.case(worst.to_dict(), inputs)}. "
        f"{numbers.count(len(slower), 'difference')} of two stacks in one case "
        f"{'is' if len(slower) == 1 else 'are'} established, among "
        f"{numbers.count(len(analysis[COMPARISON]), 'comparison')}."
    )
    return [
        Finding(
            kind="differences",
            severity="result",
            text=text,
            details=[_line(group, inputs) for group in chosen],
            numbers={
                "stack": str(worst["stack"]),
                "other": str(worst["other"]),
                "operation": str(worst["operation"]),
                "bytes": int(worst["bytes"]),
                "ratio": float(worst["ratio"]),
                "least": float(worst["least"]),
                "ratio_low": float(worst["ratio_low"]),
                "ratio_high": float(worst["ratio_high"]),
                "established": len(slower),
            },
        )
    ]


def tails(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """Where a stack is slower in a quantile of its repetitions, and not in the median."""
    table = _slower_tails(inputs, analysis)
    chosen = by_least(table[~table["in_median"]], slowest_first=True)
    if not len(chosen):
        return []
    worst = chosen.iloc[0]
    groups = [group for _, group in chosen.groupby(["stack", "other", "operation"], sort=False)][:MOST]
    compared = numbers.count(len(analysis[TAIL_COMPARISON]), "comparison")
    text = (
        f"Long repetitions: in {len(chosen)} of {compared} of p95, p99 or p99.9 a stack is slower than another one "
        f"whose median is not shown to be faster. The largest of these differences: {_slower_tail(worst)} in "
        f"{labels.case(worst.to_dict(), inputs)}."
    )
    shown: dict[str, float | int | str] = {
        **{name: str(worst[name]) for name in ("stack", "other", "operation", "quantile")},
        "bytes": int(worst["bytes"]),
        **{name: float(worst[name]) for name in ("ratio", "least", "ratio_low", "ratio_high")},
        "established": len(table),
        "not_in_median": len(chosen),
    }
    details = [_line(group, inputs, _slower_tail) for group in groups]
    return [Finding(kind="tails", severity="result", text=text, details=details, numbers=shown)]


def _slower_tails(inputs: RunInputs, analysis: Analysis) -> pd.DataFrame:
    """The comparisons of quantiles in which `stack` is slower than `other`, and whether its median is (`in_median`)."""
    tested, campaign = analysis[TAIL_COMPARISON], inputs.campaign.analysis
    least = at_least(tested.assign(regime=""), campaign.confidence, campaign.threshold)
    pair = {"candidate": "stack", "baseline": "other"}
    turned = {"candidate": "other", "baseline": "stack", "ratio_low": "ratio_high", "ratio_high": "ratio_low"}
    ratios = ["ratio", "ratio_low", "ratio_high", "least"]
    one, back = (tested.assign(least=least)[tested["verdict"] == word] for word in ("slower", "faster"))
    both = pd.concat([one.rename(columns=pair), back.assign(**(1 / back[ratios])).rename(columns=turned)])
    medians = oriented(analysis[COMPARISON], campaign)
    medians = medians.loc[medians["verdict"] == "slower", [*CASE, "stack", "other"]].assign(in_median=True)
    table = both.merge(medians, on=[*CASE, "stack", "other"], how="left")
    return table.assign(in_median=table["in_median"].eq(True), regime="")


def _slower_tail(row: pd.Series) -> str:
    """`p99 of mpich-5.0 is at least 2.45×, measured …, that of mpich-4.3`."""
    interval = numbers.ratio_interval(row["ratio_low"], row["ratio_high"])
    times = f"at least {numbers.factor_at_least(row['least'])}×, measured {numbers.ratio(row['ratio'])} {interval}"
    return f"{row['quantile']} of {row['stack']} is {times}, that of {row['other']}"


def _upgrade(older: str, newer: str, rows: pd.DataFrame, inputs: RunInputs) -> Finding:
    counts = {verdict: int((rows["verdict"] == verdict).sum()) for verdict in ("slower", "faster", "equivalent")}
    further = {verdict: int((rows["verdict"] == verdict).sum()) for verdict in FURTHER}
    left = len(rows) - sum(counts.values()) - sum(further.values())
    parts, details = [], []
    for verdict, worst in (("slower", "at worst"), ("faster", "at best")):
        verdict_rows = by_least(rows[rows["verdict"] == verdict], slowest_first=verdict == "slower")
        parts.append(
            f"{verdict} in {len(verdict_rows)}"
            + (f" ({worst} {_factor(verdict_rows.iloc[0], inputs)})" if len(verdict_rows) else "")
        )
        details += [_line(group, inputs) for _, group in verdict_rows.groupby("operation", sort=False)]
    parts.append(f"equivalent in {counts['equivalent']}")
    parts += [f"{FURTHER[verdict]} in {number} more" for verdict, number in further.items() if number]
    text = f"{newer} against {older}: of {numbers.count(len(rows), 'case')} it is {numbers.listing(parts)}"
    undecided = rows[~rows["verdict"].isin([*DECIDED, "not-slower"]) & rows["ratio_high"].notna()]
    if left:
        text += f"; {left} {'is' if left == 1 else 'are'} inconclusive"
    if len(undecided):
        bound = undecided["ratio_high"].max()
        text += f", with a slowdown of at most {numbers.ratio(bound)}" if bound > 1 else ", without a slowdown"
    return Finding(
        kind="versions",
        severity="result",
        text=text + ".",
        details=details,
        numbers={
            "older": older,
            "newer": newer,
            "cases": len(rows),
            **counts,
            **{verdict.replace("-", "_"): number for verdict, number in further.items()},
            "inconclusive": left,
        },
    )


def _factor(row: pd.Series, inputs: RunInputs) -> str:
    """`at least 2.45×, measured 2.70× [2.50; 2.91], alltoall at 8 B`; of what is faster the factor by which it is."""
    ratio, low, high, least = row["ratio"], row["ratio_low"], row["ratio_high"], row["least"]
    if ratio < 1:
        ratio, low, high, least = 1 / ratio, 1 / high, 1 / low, 1 / least
    measured = f"{numbers.ratio(ratio)} {numbers.ratio_interval(low, high)}{_regime(row)}"
    factor = f"at least {numbers.factor_at_least(least)}×, measured {measured}"
    return f"{factor}, {labels.case(row.to_dict(), inputs)}"


def _slower(row: pd.Series) -> str:
    """`mpich-5.0 takes at least 2.45×, measured 2.70× [2.50; 2.91], the time of mpich-4.3`."""
    interval = numbers.ratio_interval(row["ratio_low"], row["ratio_high"])
    times = f"at least {numbers.factor_at_least(row['least'])}×, measured {numbers.ratio(row['ratio'])} {interval}"
    return f"{row['stack']} takes {times}, the time of {row['other']}{_regime(row)}"


def _regime(row: pd.Series) -> str:
    """` in the quiet regime`, if the ratio is of one regime of the machine."""
    return f" in the {row['regime']} regime" if row["regime"] else ""


def _line(group: pd.DataFrame, inputs: RunInputs, differs: Callable[[pd.Series], str] = _slower) -> str:
    """A stack against another in one operation, the extreme case first: where, and in how many cases."""
    worst = group.iloc[0]
    more = f", and in {numbers.count(len(group) - 1, 'further case')}" if len(group) > 1 else ""
    return f"{labels.case(worst.to_dict(), inputs)}: {differs(worst)}{more}"


def _weight(group: pd.DataFrame) -> float:
    """How much a difference matters: what is shown at least in its worst case, and its breadth."""
    return log(float(group["least"].max())) * sqrt(len(group))


#: Stacks that get a sentence of their own.
MAX_WINNERS = 3


def fastest(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """A finding for each stack that is established as the fastest somewhere."""
    table = analysis[FASTEST]
    if len(inputs.campaign.stacks) < 2:
        return []
    established = table[table["state"] == "established"]
    ranked = established["fastest"].value_counts(sort=True)
    findings = [
        _winner(str(stack), established[established["fastest"] == stack], len(table), inputs)
        for stack in ranked.index[:MAX_WINNERS]
    ]
    others = ranked.iloc[MAX_WINNERS:]
    if len(others):
        text = numbers.listing([f"{stack} in {number}" for stack, number in others.items()])
        findings.append(Finding(kind="fastest", severity="result", text=f"Fastest in few cases: {text}."))
    return findings


def _winner(stack: str, won: pd.DataFrame, cases: int, inputs: RunInputs) -> Finding:
    best = won.sort_values(["lead_low", "lead"], kind="stable").iloc[-1]
    lead = f"{numbers.ratio(best['lead'])} {numbers.ratio_interval(best['lead_low'], best['lead_high'])}"
    text = (
        f"{stack} is the fastest in {len(won)} of {numbers.count(cases, 'case')}. "
        f"Its largest lead over the next stack is {lead}, "
        f"before {best['runner_up']} in {labels.case(best.to_dict(), inputs)}"
    )
    if len(won) > 1:
        text += f", and {numbers.ratio(won['lead'].median())} in the median"
    return Finding(
        kind="fastest",
        severity="result",
        text=text + ".",
        details=_where(won, inputs),
        numbers={
            "stack": stack,
            "cases_won": len(won),
            "cases": cases,
            "largest_lead": float(best["lead"]),
            "largest_lead_low": float(best["lead_low"]),
            "largest_lead_high": float(best["lead_high"]),
            "median_lead": float(won["lead"].median()),
        },
    )


def _where(cases: pd.DataFrame, inputs: RunInputs) -> list[str]:
    """`8 processes, 4 per node: bcast (8 B to 64 KiB), barrier`, a line for each point."""
    lines = []
    for _, at_point in cases.groupby(["processes", "processes_per_node", "placement"], sort=False):
        parts = []
        for operation, rows in at_point.groupby("operation", sort=False):
            sizes = labels.sizes(rows["bytes"], inputs.campaign.sizes) if rows["bytes"].any() else ""
            parts.append(f"{operation} ({sizes})" if sizes else str(operation))
        lines.append(f"{labels.point(at_point.iloc[0].to_dict())}: {numbers.listing(parts)}")
    return lines


def not_established(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """Cases in which no stack is shown to be the fastest, and whether more launches would help."""
    table = analysis[FASTEST]
    open_cases = table[table["state"].isin(["inconclusive", "tied", "depends"])]
    if not len(open_cases):
        return []
    equal, dependent = (int((open_cases["state"] == state).sum()) for state in ("tied", "depends"))
    text = f"In {len(open_cases)} of {numbers.count(len(table), 'case')} no stack is established as the fastest"
    if equal:
        threshold = numbers.given_percent(inputs.campaign.analysis.threshold)
        text += f"; in {equal} of them the leading stacks are equivalent within {threshold}"
    if dependent:
        text += f"; in {dependent} it depends on the regime of the machine"
    tests = int(analysis[COMPARISON]["p_value"].notna().sum())
    details = [
        f"{labels.case(row, inputs)}: {numbers.listing(str(row['contenders']).split(','))}"
        for row in open_cases.to_dict("records")
    ]
    return [
        Finding(
            kind="open",
            severity="result",
            text=f"{text}.{_pairs(analysis)}{_over_launches(analysis)}{_more_launches(inputs, analysis)}",
            details=details,
            numbers={
                "cases_open": len(open_cases),
                "cases_equal": equal,
                "cases_dependent": dependent,
                "cases": len(table),
                "tests": tests,
            },
        )
    ]


def _pairs(analysis: Analysis) -> str:
    """A further sentence: what the comparisons of two stacks each show."""
    verdicts = analysis[COMPARISON]["verdict"]
    differ, equal = int(verdicts.isin(["faster", "slower"]).sum()), int((verdicts == "equivalent").sum())
    bounded, dependent = int(verdicts.isin(BOUNDED).sum()), int((verdicts == "depends").sum())
    return (
        f" Of all {numbers.count(len(verdicts), 'comparison')} of two stacks, {differ} "
        f"{'shows' if differ == 1 else 'show'} which is faster, and {equal} {'shows' if equal == 1 else 'show'} that "
        "they are equivalent"
        + (f"; {bounded} only that one of them is not slower" if bounded else "")
        + (f"; in {dependent} that depends on the regime of the machine." if dependent else ".")
    )


def _over_launches(analysis: Analysis) -> str:
    """A further sentence if blocks had too few launches for a test within them."""
    table = analysis[COMPARISON]
    over = int(((table["test"] == "launches") & (table["blocks"] >= MIN_BLOCKS)).sum())
    if not over:
        return ""
    return (
        f" In {over} of them the test is over all launches, since the blocks hold too few for a test within blocks to "
        "be significant; what differs between blocks then counts as noise. More launches in each block would help."
    )


def _more_launches(inputs: RunInputs, analysis: Analysis) -> str:
    """A further sentence if no difference, however large, could have been significant."""
    confidence = inputs.campaign.analysis.confidence
    launches = int(analysis[SUMMARY]["launches_used"].max())
    pairs = max(1, len(inputs.asked.pairs))
    needed = launches_needed(pairs, confidence)
    if launches < 1 or launches >= needed:
        return ""
    return (
        f" With {numbers.count(launches, 'launch', 'launches')} of each stack no difference can be significant "
        f"among {numbers.count(pairs, 'pair')} of stacks, however large it is; {needed} launches could show one."
    )


def interim(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """Nothing of other campaigns."""
    campaign, table = inputs.campaign, analysis[COMPARISON]
    if not campaign.replication.sequential or not len(table):
        return []
    most = campaign.replication.blocks
    early = table[(table["decided_after"] > 0) & (table["decided_after"] < most)]
    still = int(table["verdict"].isin(["inconclusive", *BOUNDED]).sum())
    text = (
        f"Interim analyses decided {len(early)} of {numbers.count(len(table), 'comparison')}, which were then "
        f"measured no more; {still} {'is' if still == 1 else 'are'} open. They share the level of the tests, so a "
        "verdict is as sure as after all blocks."
    )
    counts = table.loc[table["decided_after"] > 0, "decided_after"].value_counts().sort_index()
    lines = [
        f"after {blocks} of {most} blocks: {numbers.count(int(each), 'comparison')}" for blocks, each in counts.items()
    ]
    shown: dict[str, float | int | str] = {"decided_early": len(early), "open": still}
    return [Finding(kind="interim", severity="note", text=text, details=lines, numbers=shown)]
