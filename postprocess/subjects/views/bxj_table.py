# SPDX-License-Identifier: BSD-3-Clause
"""`view-bxj-….csv`: the machine, messages, parameters, and collectives beside their models, as in the BXJ study."""

from __future__ import annotations

from dataclasses import replace
from math import isinf
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.models import cost_models as registry
from isochron.postprocess.estimate.models.cost_models import Costs
from isochron.postprocess.estimate.models.curves import MODEL_POINT_COLUMNS
from isochron.postprocess.estimate.models.loggp import LOGGP, LOGP, VARIANTS, Messages, Wire, loggp, logp, time
from isochron.postprocess.estimate.models.parameters import (
    GIVEN,
    PING_PONG,
    SENDRECV,
    SITUATION,
    SOURCE,
    Known,
    Parameters,
    bxj,
    parameters,
)
from isochron.postprocess.formatting.labels import simulation
from isochron.postprocess.formatting.numbers import MIB, MIB_IN_MB
from isochron.postprocess.ingest.inputs import KEYS, RESULT_KEY
from isochron.postprocess.kit.table import TableContext
from isochron.postprocess.subjects.environment.table import PROVENANCE
from isochron.postprocess.subjects.results.table import make_summary
from isochron.postprocess.subjects.views.request import mib_per_s, view

PLACE = {name: KEYS[name] for name in SITUATION}
MACHINE_COLUMNS = {"fact": "what it is", "here": "of this campaign", "bxj": "of BXJ"}
WHERE = {"fitted": "with this campaign's parameters", "published": "with those published for BXJ"}
PING_PONG_COLUMNS = {
    **{name: meaning for name, meaning in KEYS.items() if name != "operation"},
    "latency_us": "half of the round trip of a message",
    "one_way_mib_per_s": "bytes / latency; MiB/s, 2²⁰ bytes, which the source calls MB/s",
    **{
        f"{where}_{name}": f"{words} {text}"
        for where, text in WHERE.items()
        for name, words in (
            ("us", "Hockney's α + mβ"),
            ("logp_us", "LogP's α + (packets - 1)·g"),
            ("loggp_us", "LogGP's α + (m - 1)G"),
        )
    },
}
SENDRECV_COLUMNS = {
    **PLACE,
    "processes": "the largest process count",
    "bytes": "message size m",
    "measured_us": "value of the row; at the smallest size, the latency",
    "imb_mib_per_s": "bandwidth of a process, bytes sent and received, 2m/t as IMB prints it: MiB/s, 2²⁰ bytes",
    "node_imb_mib_per_s": "the same for all processes of a node",
    "overlap_us": "model estimate α + mβ: both ways overlap; α is the latency, 1/β `imb_mib_per_s` at the largest size",
    "no_overlap_us": "model estimate α + 2mβ: both ways do not overlap",
    "published_per_node": "processes per node of BXJ, the nearest that are published",
    "published_latency_us": "published latency",
    "published_imb_mib_per_s": "published bandwidth of a process, of 8192",
    "published_overlap_us": "the study's model estimate α + mβ, by its latency and bandwidth",
    "published_no_overlap_us": "the study's model estimate α + 2mβ",
}
PARAMETER_COLUMNS = {
    "parameters": "`fitted` to this campaign (or given in it), or `published` for BXJ",
    **PLACE,
    "alpha_us": "α of Hockney; L + 2o of LogP and LogGP",
    "one_way_mib_per_s": "1/β of a single stream, m/t, for bcast, reduce, gather, scatter; MiB/s, 2²⁰ bytes",
    "imb_mib_per_s": "1/β of a process while all send and receive, 2m/t of IMB, for allgather, allreduce, alltoall",
    "reduction_mib_per_s": "1/γ, bytes reduced",
    "overhead_us": "o: `analysis.model.overhead_us`; of BXJ it is not published, and 0",
    "packet_bytes": "w, bytes of a packet",
    "gap_us": "g between packets: w·β of a single stream",
    "reduction_source": "where γ comes from",
}


def make_fitted(context: TableContext) -> Known:
    """Parameters of every situation of the campaign; where γ is not given it is that of BXJ."""
    summary = context.get(make_summary)
    rows = summary.assign(reliable=summary["reliable"].astype(bool))
    fitted = parameters(rows, context.inputs.campaign.analysis.model)
    gamma = bxj().reduction_mb_per_s
    return {
        key: replace(each, reduction_mb_per_s=gamma) if isinf(each.reduction_mb_per_s) else each
        for key, each in fitted.items()
    }


def both(parameters_of: Known, situation: tuple[Any, ...]) -> dict[str, Parameters]:
    """The parameters that a situation is drawn with: `fitted`, if there are any, and `published`."""
    stack, per_node, placement = situation
    fitted = parameters_of.get((stack, per_node, placement))
    return {**({"fitted": fitted} if fitted else {}), "published": bxj().parameters(per_node)}


def wires(context: TableContext) -> dict[str, Wire]:
    """What LogP has beside α, β and γ."""
    options = context.inputs.campaign.analysis.model
    return {
        "fitted": Wire(options.overhead_us, options.packet_bytes),
        "published": Wire(0.0, bxj().facts["packet_bytes"]),
    }


def make_machine(context: TableContext) -> pd.DataFrame:
    """`MACHINE_COLUMNS`."""
    campaign, facts = context.inputs.campaign, bxj().facts
    provenance = context.get(PROVENANCE.make)
    processors = ", ".join(sorted(provenance.loc[provenance["fact"] == "cpu_model", "value"]))
    rate = facts["reduction"]
    rows = [
        ("processor", processors, ""),
        ("cores of a node", context.inputs.plan.cores_per_node, facts["cores_per_node"]),
        ("sockets of a node", "", facts["sockets_per_node"]),
        ("clock, GHz", "", rate["clock_hz"] / 1e9),
        ("bytes that a cycle reduces", "", rate["bytes_per_cycle"]),
        ("network", simulation(context.launches), facts["topology"]),
        ("bytes of a packet", campaign.analysis.model.packet_bytes, facts["packet_bytes"]),
        ("processes", _list(campaign.processes), _list(facts["processes"])),
        ("processes per node", _list(campaign.processes_per_node), _list(facts["processes_per_node"])),
        ("bytes of a message", _list(campaign.sizes), _list(facts["message_bytes"])),
        ("least PingPong, µs", _least(context.get(make_summary)), facts["alpha_measured_us"]),
    ]
    return pd.DataFrame([(fact, str(here), str(there)) for fact, here, there in rows], columns=list(MACHINE_COLUMNS))


def _list(values: list[int]) -> str:
    return ", ".join(map(str, values))


def _least(summary: pd.DataFrame) -> str:
    ping_pong = summary.loc[summary["operation"] == PING_PONG, "median_us"]
    return f"{ping_pong.min():.3g}" if ping_pong.notna().any() else ""


def make_ping_pong(context: TableContext) -> pd.DataFrame:
    """`PING_PONG_COLUMNS`."""
    fitted, wire = context.get(make_fitted), wires(context)
    summary = context.get(make_summary)
    lines = []
    for row in summary[(summary["operation"] == PING_PONG) & (summary["median_us"] > 0)].to_dict("records"):
        message = Messages(1, row["bytes"])
        times = {}
        for name, values in both(fitted, tuple(row[key] for key in SITUATION)).items():
            costs = Costs(values.alpha_us, 1 / values.one_way_mb_per_s)
            times[f"{name}_us"] = costs.alpha + row["bytes"] * costs.beta
            for variant, of in ((LOGP, logp), (LOGGP, loggp)):
                times[f"{name}_{variant.lower()}_us"] = of(message, costs, wire[name])
        lines.append({**{key: row[key] for key in RESULT_KEY}, "latency_us": row["median_us"], **times})
    table = pd.DataFrame(lines, columns=[name for name in PING_PONG_COLUMNS if name != "one_way_mib_per_s"])
    rate = mib_per_s(table["bytes"], table["latency_us"]).where(table["bytes"] > 0)
    return table.assign(one_way_mib_per_s=rate)[list(PING_PONG_COLUMNS)]


def make_sendrecv(context: TableContext) -> pd.DataFrame:
    """`SENDRECV_COLUMNS`: a row for each size, of the Sendrecv of most processes of each situation."""
    summary = context.get(make_summary)
    rows = summary[(summary["operation"] == SENDRECV) & (summary["median_us"] > 0)]
    full = rows[rows["processes"] == rows.groupby(SITUATION)["processes"].transform("max")]
    full = full.sort_values([*SITUATION, "bytes"], kind="stable")
    facts, nearest = bxj().facts, full["processes_per_node"].map(bxj().nearest)
    table = full.assign(
        measured_us=full["median_us"],
        imb_mib_per_s=mib_per_s(2 * full["bytes"], full["median_us"]).where(full["bytes"] > 0),
        published_per_node=nearest,
        published_latency_us=facts["sendrecv_latency_us"],
        published_imb_mib_per_s=nearest.map(facts["sendrecv_imb"]).astype(float),
    )
    ends = table.groupby(SITUATION)
    latency, rate = ends["measured_us"].transform("first"), ends["imb_mib_per_s"].transform("last")
    low, high = _estimates(table["bytes"], latency, rate)
    published = _estimates(table["bytes"], table["published_latency_us"], table["published_imb_mib_per_s"])
    return table.assign(
        node_imb_mib_per_s=table["imb_mib_per_s"] * table["processes_per_node"],
        overlap_us=low,
        no_overlap_us=high,
        published_overlap_us=published[0],
        published_no_overlap_us=published[1],
    )[list(SENDRECV_COLUMNS)]


def _estimates(
    size: pd.Series[int], latency: pd.Series[float], rate: pd.Series[float]
) -> tuple[pd.Series[float], pd.Series[float]]:
    """α + mβ and α + 2mβ in µs, with and without overlap of both ways; `rate` in MiB/s."""
    one = size * 1e6 / (MIB * rate)
    return latency + one, latency + 2 * one


def make_parameters(context: TableContext) -> pd.DataFrame:
    """`PARAMETER_COLUMNS`: what was fitted, then what was published for 8 and 12 processes per node."""
    given = context.inputs.campaign.analysis.model.reduction_mb_per_s is not None
    rows = [
        _parameter_row("fitted", key, values, wires(context), GIVEN if given else SOURCE)
        for key, values in context.get(make_fitted).items()
    ]
    rows += [
        _parameter_row("published", ("", per_node, ""), bxj().parameters(per_node), wires(context), SOURCE)
        for per_node in bxj().facts["processes_per_node"]
    ]
    return pd.DataFrame(rows, columns=list(PARAMETER_COLUMNS))


def _parameter_row(
    kind: str, situation: tuple[Any, ...], values: Parameters, wire: dict[str, Wire], source: str
) -> dict[str, Any]:
    return {
        "parameters": kind,
        **dict(zip(SITUATION, situation, strict=True)),
        "alpha_us": values.alpha_us,
        "one_way_mib_per_s": values.one_way_mb_per_s / MIB_IN_MB,
        "imb_mib_per_s": values.imb_mb_per_s / MIB_IN_MB,
        "reduction_mib_per_s": values.reduction_mb_per_s / MIB_IN_MB,
        "overhead_us": wire[kind].overhead,
        "packet_bytes": wire[kind].packet,
        "gap_us": wire[kind].packet / values.one_way_mb_per_s,
        "reduction_source": source,
    }


BXJ_MACHINE = view(
    "bxj", "1-machine", MACHINE_COLUMNS, make_machine, "table 1 of the BXJ study: the machine, beside BXJ"
)
BXJ_PING_PONG = view(
    "bxj", "2-ping-pong", PING_PONG_COLUMNS, make_ping_pong, "table 2 of the BXJ study: PingPong, beside its models"
)
BXJ_SENDRECV = view(
    "bxj",
    "3-sendrecv",
    SENDRECV_COLUMNS,
    make_sendrecv,
    "tables 3 and 4 of the BXJ study: Sendrecv of all processes at 8 and 12 processes per node, by size",
)
BXJ_PARAMETERS = view(
    "bxj", "parameters", PARAMETER_COLUMNS, make_parameters, "parameters of the models, fitted and published for BXJ"
)


CURVE_COLUMNS = {
    **KEYS,
    "measured_us": "value of the row",
    "low_us": "lower end of its interval",
    "high_us": "upper end of its interval",
    "reliable": "whether the row is reliable",
    "algorithm": "algorithm that the models are of",
    "chosen": MODEL_POINT_COLUMNS["chosen"],
    **{
        f"{where}_{variant.lower()}_us": f"its time under {variant} {text}"
        for where, text in WHERE.items()
        for variant in VARIANTS
    },
}


def make_curves(context: TableContext) -> pd.DataFrame:
    """`CURVE_COLUMNS`: a row for each point and algorithm of an operation that has models."""
    summary = context.get(make_summary)
    return curves_of(context, summary[summary["median_us"] > 0])


def curves_of(context: TableContext, rows: pd.DataFrame) -> pd.DataFrame:
    """`CURVE_COLUMNS` of some rows. `rows`: RESULT_KEY, the median_us columns and reliable."""
    fitted, wire = context.get(make_fitted), wires(context)
    lines = []
    for row in rows.to_dict("records"):
        processes = int(row["processes"])
        size = registry.table_bytes(row["operation"], int(row["bytes"]), processes)
        parameter_sets = both(fitted, tuple(row[name] for name in SITUATION))
        for model in registry.of(row["operation"]):
            times = {
                f"{name}_{variant.lower()}_us": time(variant, model, processes, size, each.costs(model), wire[name])
                for name, each in parameter_sets.items()
                for variant in VARIANTS
            }
            lines.append(
                {**measured_of(row), "reliable": row["reliable"], **_algorithm(model, int(row["bytes"])), **times}
            )
    return pd.DataFrame(lines, columns=list(CURVE_COLUMNS))


def _algorithm(model: registry.Model, size: int) -> dict[str, Any]:
    return {"algorithm": model.algorithm, "chosen": model.algorithm == registry.chosen(model.operation, size)}


def measured_of(row: dict[Any, Any]) -> dict[Any, Any]:
    """Key, value and interval of a row of the results, as the tables of this view name them."""
    return {
        **{name: row[name] for name in RESULT_KEY},
        "measured_us": row["median_us"],
        "low_us": row["median_low_us"],
        "high_us": row["median_high_us"],
    }


BXJ_CURVES = view(
    "bxj", "curves", CURVE_COLUMNS, make_curves, "collectives beside Hockney, LogP and LogGP, fitted and published"
)
