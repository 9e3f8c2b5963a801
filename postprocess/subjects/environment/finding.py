# SPDX-License-Identifier: BSD-3-Clause
"""Warnings about the machine: oversubscribed nodes, bindings, different clock sources, engines, clock errors."""

from collections.abc import Mapping

import pandas as pd

from isochron.postprocess.estimate.answer.trust import LARGE_SHARE
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import POINT, RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.environment.table import BINDINGS, PROVENANCE
from isochron.postprocess.subjects.results.table import SUMMARY
from isochron.schemas.run.provenance import TRANSPORT, UNKNOWN


def environment(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """What about the machine should make a reader careful."""
    launches, warnings = analysis.launches, []
    crowded = launches[launches["oversubscribed"]]
    if len(crowded):
        stacks = numbers.listing(sorted(crowded["stack"].unique()))
        warnings.append(
            f"{numbers.count(len(crowded), 'launch', 'launches')} of {len(launches)} ran more processes or threads "
            f"than cores ({stacks}): their times include the scheduling of the operating system."
        )
    warnings += bound_differently(analysis[BINDINGS])
    libraries = {stack: manifest.mpi_library for stack, manifest in inputs.manifests.items()}
    warnings += carried_differently(analysis[PROVENANCE], libraries)
    sources = sorted({source for text in launches["clock_sources"] for source in text.split(",") if source})
    if len(sources) > 1:
        warnings.append(f"The nodes use different clock sources: {numbers.listing(sources)}.")
    hashes = launches.groupby("stack", sort=False)["engine_sha256"].nunique()
    warnings += [
        f"{stack} was measured with {number} different engines." for stack, number in hashes.items() if number > 1
    ]
    warnings += _clock_share(analysis[SUMMARY])
    return [Finding(kind="environment", severity="warning", text=text) for text in warnings]


#: How bindings can differ, the most important first: column, in words, and how its values begin.
DIFFERENCES = {
    "sharing": ("some of them did not bind processes to cores of their own", ""),
    "sockets": ("to other sockets", "socket "),
    "domains": ("to other NUMA domains", "domain "),
    "cores": ("to other cores", "core "),
    "processors": ("to other threads of the same cores (SMT)", "processor "),
}
SHARING = {
    "": "cores of their own",
    "unbound": "not bound",
    "cores": "threads of the same cores",
    "processors": "shared cores",
}


def bound_differently(bindings: pd.DataFrame) -> list[str]:
    """A sentence if stacks were bound differently at a point: the most important difference, at the first such point.

    Where all were bound alike, a sentence if they were not bound.

    `bindings`: `BINDING_COLUMNS`. Compared are the nodes on which all stacks of a point ran, if there are any.
    """
    by_point = [rows for _, rows in bindings.groupby(POINT, sort=False)]
    for column, (words, unit) in DIFFERENCES.items():
        differing = [(rows, values) for rows in by_point if len(set((values := _bound(rows, column)).values())) > 1]
        if differing:
            rows, values = differing[0]
            own = [f"{stack}: {' or '.join(_named(column, unit, value))}" for stack, value in values.items()]
            return [
                f"The stacks were bound differently, {words}, in {len(differing)} of {len(by_point)} numbers of "
                f"processes and placements: differences between them may come from that ({'; '.join(own)}, with "
                f"{labels.point(rows.iloc[0].to_dict())})."
            ]
    unbound = list(dict.fromkeys(bindings.loc[bindings["sharing"] == "unbound", "stack"]))
    if not unbound:
        return []
    return [
        f"The processes of {numbers.listing(unbound)} were not bound to cores of their own: the system may have moved "
        "them while they were measured."
    ]


def _bound(rows: pd.DataFrame, column: str) -> dict[str, tuple[str, ...]]:
    """The values of a column by stack, of one point; none of a stack whose processors are not known."""
    known = rows[rows["processors"] != ""]
    hosts = {stack: set(",".join(own["hosts"]).split(",")) for stack, own in known.groupby("stack", sort=False)}
    common = set.intersection(*hosts.values()) if hosts else set()
    on_common = known[[not common or bool(common & {*names.split(",")}) for names in known["hosts"]]]
    return {str(stack): tuple(sorted(set(own[column]))) for stack, own in on_common.groupby("stack", sort=False)}


def _named(column: str, unit: str, values: tuple[str, ...]) -> list[str]:
    return [SHARING[value] if column == "sharing" else f"{unit}{value or 'not known'}" for value in values]


def carried_differently(provenance: pd.DataFrame, libraries: Mapping[str, str]) -> list[str]:
    """A sentence for each library whose stacks had their messages carried differently.

    `provenance`: `PROVENANCE_COLUMNS`; `libraries`: of each stack. What is not known is not compared.
    """
    rows = provenance[(provenance["fact"] == TRANSPORT) & (provenance["value"] != UNKNOWN)]
    transports: dict[str, dict[str, list[str]]] = {}
    for stack, library in libraries.items():
        values = [value for value, of in zip(rows["value"], rows["stacks"], strict=True) if stack in of.split(",")]
        if values:
            transports.setdefault(library, {})[stack] = values
    differing = {library: of for library, of in transports.items() if len(set(map(tuple, of.values()))) > 1}
    return [
        f"The messages of {numbers.listing(list(stacks))}, all {library}, were not carried in the same way: "
        f"differences between them may come from that ({_by_stack(stacks)})."
        for library, stacks in differing.items()
    ]


def _by_stack(transports: Mapping[str, list[str]]) -> str:
    return "; ".join(f"{stack}: {' or '.join(values)}" for stack, values in transports.items())


def _clock_share(summary: pd.DataFrame) -> list[str]:
    """A sentence if the clocks' error is a large part of reliable values."""
    rows = summary[summary["reliable"] & (summary["clock_error_us"] > LARGE_SHARE * summary["median_us"])]
    if not len(rows):
        return []
    share = (rows["clock_error_us"] / rows["median_us"]).max()
    return [
        f"In {numbers.count(len(rows), 'reliable result')} the clock error may be more than "
        f"{numbers.given_percent(LARGE_SHARE)} of the value ({numbers.percent(share)} at most)."
    ]
