# SPDX-License-Identifier: BSD-3-Clause
"""The views of the BXJ study (Luo Hongbing, Zhang Xiaoxia, 2017), from raw files and the study's numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import inf, log, nan
from statistics import median
from typing import Any

from tests.postprocess.subjects.views.recomputed import algorithms, coarse
from tests.postprocess.subjects.views.recomputed.algorithms import Algorithm, Cost
from tests.postprocess.subjects.views.recomputed.raw import KEY, MIB, Raw, Record, Value, mib_per_s

SITUATION = ("stack", "processes_per_node", "placement")
Situation = tuple[str, int, str]
VARIANTS = ("hockney", "logp", "loggp")
#: What was published: α, γ, MiB/s of one message and of all; Sendrecv of 8192 processes.
ALPHA, ONE_WAY, IMB = 2.37, 3183, {8: 569, 12: 450}
SENDRECV_LATENCY, SENDRECV = 3.20, {8: 656.54, 12: 450.74}
REDUCED_MB_PER_S, SOURCE = 2.2e9 * 32 / 1e6, "published for BXJ"
OF_STUDY = ("reduce", "gather", "alltoall", "bcast", "scatter", "allgather", "allreduce")
BLOCKING = (
    "barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv",
    "alltoallw", "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan",
)  # fmt: skip
#: Operations whose counts are equal here, so that they have the models of another one.
SAME_AS = {"gatherv": "gather", "scatterv": "scatter", "allgatherv": "allgather", "alltoallv": "alltoall",
           "alltoallw": "alltoall"}  # fmt: skip


#: Numbers of `view-bxj-largest`, which operations that were not measured lack.
NUMBERS = ("measured_us", "low_us", "high_us", "fitted_us", "fitted_factor", "published_us")


@dataclass(frozen=True)
class Parameters:
    """α in µs, rates in bytes per µs, and where γ is from; o and w of LogP."""

    alpha: float
    one_way: float
    imb: float
    reduced: float
    source: str
    overhead: float
    packet: int

    def cost(self, algorithm: Algorithm) -> Cost:
        rate = self.one_way if algorithm.beta == "one_way" else self.imb
        return Cost(self.alpha, 1 / rate, 1 / self.reduced, self.overhead, self.packet)


def _published(per_node: int) -> Parameters:
    imb = IMB[_nearest(per_node)] * MIB / 1e6
    return Parameters(ALPHA, ONE_WAY * MIB / 1e6, imb, REDUCED_MB_PER_S, SOURCE, 0.0, 64)


def _nearest(per_node: int) -> int:
    return 8 if per_node <= 10 else 12


def _line_through(points: list[tuple[int, float]]) -> tuple[float, float] | None:
    """α and β of the least squares of (1 - (α + mβ)/t), in exact fractions."""
    if len({size for size, _ in points}) < 2:
        return None
    exact = [(Fraction(size) / Fraction(time), 1 / Fraction(time)) for size, time in points]
    aa, ab, bb = (sum(f(x, u) for x, u in exact) for f in (
        lambda _x, u: u * u, lambda x, u: x * u, lambda x, _u: x * x))  # fmt: skip
    a, b = sum(u for _, u in exact), sum(x for x, _ in exact)
    alpha, beta = (a * bb - b * ab) / (aa * bb - ab * ab), (b * aa - a * ab) / (aa * bb - ab * ab)
    return (float(alpha), float(beta)) if alpha > 0 and beta > 0 else None


def _cases(raw: Raw, situation: Situation | None = None) -> Iterator[tuple[Record, Value]]:
    for values, value in raw.values.items():
        key = dict(zip(KEY, values, strict=True))
        if situation is None or tuple(key[name] for name in SITUATION) == situation:
            yield key, value


def _situations(raw: Raw) -> list[Situation]:
    return list(dict.fromkeys((key["stack"], key["processes_per_node"], key["placement"]) for key, _ in _cases(raw)))


def _fitted(raw: Raw, situation: Situation) -> Parameters | None:
    """α and β of ping-pong, between two nodes if there are several; 2/β of the sendrecv of most processes."""
    stack, per_node, placement = situation
    options = raw.campaign["analysis"]["model"]
    every = [(key, value) for key, value in _cases(raw) if key["stack"] == stack and value.is_reliable]
    between = [(key, value) for key, value in every if key["operation"] == "ping-pong"
               and key["processes"] > key["processes_per_node"]
               and (key["processes_per_node"] == 1 or key["placement"] == "round-robin")]  # fmt: skip
    one_node = all(key["processes"] <= per_node for key, _ in _cases(raw, situation))
    placements = {key["placement"] for key, _ in between}
    if not one_node and placement == "packed" and placement not in placements and "round-robin" in placements:
        placement = "round-robin"
    usable = [(key, value) for key, value in every if key["placement"] == placement]
    messages = [each for each in usable if each[0]["operation"] == "ping-pong"]
    across = [(key, value) for key, value in between if key["placement"] == placement]
    near = [(key, value) for key, value in messages if key["processes_per_node"] == per_node]
    line = _line_through([(key["bytes"], value.median) for key, value in (near if one_node or not across else across)])
    alpha = options.get("alpha_us") or (line and line[0])
    one_way = options.get("one_way_mb_per_s") or (line and 1 / line[1])
    if not (alpha and one_way):
        return None
    full = [(key, value) for key, value in usable
            if key["operation"] == "sendrecv" and key["processes_per_node"] == per_node]  # fmt: skip
    most = max((key["processes"] for key, _ in full), default=0)
    both = _line_through([(key["bytes"], value.median) for key, value in full if key["processes"] == most])
    imb = options["imb_mb_per_s"].get(per_node) or (2 / both[1] if both else one_way)
    given = options.get("reduction_mb_per_s")
    source = "given in the campaign file" if given else SOURCE
    reduced = given or REDUCED_MB_PER_S
    return Parameters(alpha, one_way, imb, reduced, source, options["overhead_us"], options["packet_bytes"])


def _sets(raw: Raw, situation: Situation) -> dict[str, Parameters]:
    fitted = _fitted(raw, situation)
    return {**({"fitted": fitted} if fitted else {}), "published": _published(situation[1])}


def machine(raw: Raw) -> Iterator[Record]:
    """`view-bxj-1-machine`."""
    processors = set()
    for launch in raw.launches:
        path = raw.folder / "launches" / f"{launch.planned['name']}.provenance"
        for line in path.read_text().splitlines() if path.is_file() else []:
            if line.startswith("{"):  # the simulator writes there, too
                processors.add(json.loads(line).get("cpu_model"))
    campaign, least = raw.campaign, [v.median for key, v in _cases(raw) if key["operation"] == "ping-pong"]
    rows = (
        ("processor", ", ".join(sorted(processors - {None})), ""),
        ("cores of a node", raw.plan["cores_per_node"], 12), ("sockets of a node", "", 2), ("clock, GHz", "", 2.2),
        ("bytes that a cycle reduces", "", 32),
        ("network", raw.simulation, "two-level fat tree of high-radix routers"),
        ("bytes of a packet", campaign["analysis"]["model"]["packet_bytes"], 64),
        ("processes", _listed(campaign["processes"]), _listed([2**k for k in range(4, 14)])),
        ("processes per node", _listed(campaign["processes_per_node"]), "8, 12"),
        ("bytes of a message", _listed(campaign["sizes"]), "128, 16384"),
        ("least PingPong, µs", f"{min(least):.3g}" if least else "", 2.72),
    )  # fmt: skip
    return ({"fact": fact, "here": str(here), "bxj": str(there)} for fact, here, there in rows)


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def ping_pong(raw: Raw) -> Iterator[Record]:
    """`view-bxj-2-ping-pong`."""
    for key, value in _cases(raw):
        if key["operation"] != "ping-pong" or not value.median > 0:
            continue
        sets = _sets(raw, tuple(key[name] for name in SITUATION))  # type: ignore[arg-type]
        line = {name: key[name] for name in KEY if name != "operation"} | {"latency_us": value.median}
        line["one_way_mib_per_s"] = mib_per_s(key["bytes"], value.median) if key["bytes"] else nan
        for name in ("fitted", "published"):
            cost = sets[name].cost(algorithms.of("bcast")[0]) if name in sets else None
            for variant, column in (("hockney", f"{name}_us"), ("logp", f"{name}_logp_us"),
                                    ("loggp", f"{name}_loggp_us")):  # fmt: skip
                line[column] = algorithms.message(variant, key["bytes"], cost) if cost else nan
        yield line


def sendrecv(raw: Raw) -> Iterator[Record]:
    """`view-bxj-3-sendrecv`."""
    for situation in _situations(raw):
        all_rows = [(key, value) for key, value in _cases(raw, situation)
                    if key["operation"] == "sendrecv" and value.median > 0]  # fmt: skip
        most = max((key["processes"] for key, _ in all_rows), default=0)
        rows = sorted((key["bytes"], value.median) for key, value in all_rows if key["processes"] == most)
        for size, time in rows:
            per_node, (last, longest) = situation[1], rows[-1]
            published = SENDRECV[_nearest(per_node)]
            rate = mib_per_s(2 * size, time) if size else nan
            beta, beta_there = longest / (2 * last) if last else nan, 1e6 / (published * MIB)
            yield {
                **dict(zip(SITUATION, situation, strict=True)), "processes": most, "bytes": size, "measured_us": time,
                "imb_mib_per_s": rate, "node_imb_mib_per_s": rate * per_node,
                "overlap_us": rows[0][1] + size * beta, "no_overlap_us": rows[0][1] + 2 * size * beta,
                "published_per_node": _nearest(per_node), "published_latency_us": SENDRECV_LATENCY,
                "published_imb_mib_per_s": published,
                "published_overlap_us": SENDRECV_LATENCY + size * beta_there,
                "published_no_overlap_us": SENDRECV_LATENCY + 2 * size * beta_there,
            }  # fmt: skip


def parameters(raw: Raw) -> Iterator[Record]:
    """`view-bxj-parameters`."""
    rows = [("fitted", situation, _fitted(raw, situation)) for situation in _situations(raw)]
    rows += [("published", ("", per_node, ""), _published(per_node)) for per_node in IMB]
    for kind, situation, values in rows:
        if values is not None:
            yield {
                "parameters": kind, **dict(zip(SITUATION, situation, strict=True)), "alpha_us": values.alpha,
                "one_way_mib_per_s": values.one_way * 1e6 / MIB, "imb_mib_per_s": values.imb * 1e6 / MIB,
                "reduction_mib_per_s": values.reduced * 1e6 / MIB, "overhead_us": values.overhead,
                "packet_bytes": values.packet, "gap_us": values.packet / values.one_way,
                "reduction_source": values.source,
            }  # fmt: skip


def curves(raw: Raw) -> Iterator[Record]:
    """`view-bxj-curves`."""
    for key, value in _cases(raw):
        for row in _models(raw, key, value.median) if value.median > 0 else []:
            low, high = raw.interval(tuple(key[name] for name in KEY))
            yield row | {"low_us": low, "high_us": high, "reliable": value.is_reliable}


def _models(raw: Raw, key: Record, measured_us: float) -> Iterator[Record]:
    """The algorithms of an operation at its point, with all models of each."""
    operation, processes, size = key["operation"], key["processes"], key["bytes"]
    models = algorithms.of(operation)
    sets = _sets(raw, tuple(key[name] for name in SITUATION)) if models else {}  # type: ignore[arg-type]
    n = algorithms.vector(operation, size, processes)
    for model in models:
        line = {name: key[name] for name in KEY} | {
            "measured_us": measured_us, "algorithm": model.name,
            "chosen": model.name == algorithms.chosen(operation, size),
        }  # fmt: skip
        for name in ("fitted", "published"):
            for variant in VARIANTS:
                cost = sets[name].cost(model) if name in sets else None
                line[f"{name}_{variant}_us"] = algorithms.time(variant, model, processes, n, cost) if cost else nan
        yield line


def largest(raw: Raw) -> Iterator[Record]:
    """`view-bxj-largest`: the study's operations, then the others, where most is moved."""
    operations = [*OF_STUDY, *(name for name in BLOCKING if name not in OF_STUDY)]
    planned = [key["bytes"] for key, _ in _cases(raw) if key["operation"] in BLOCKING]
    size = max(planned or raw.campaign["sizes"])
    all_curves = list(curves(raw))
    made = {tuple(row[name] for name in KEY): row for row in points(raw)}
    for situation in _situations(raw):
        most = max(key["processes"] for key, _ in _cases(raw, situation))
        for operation in operations:
            key = {**dict(zip(SITUATION, situation, strict=True)), "processes": most, "bytes": size,
                   "operation": operation}  # fmt: skip
            line = {**key, **dict.fromkeys(NUMBERS, nan), "algorithm": "", "left_out": "", "made": ""}
            value = raw.values.get(tuple(key[name] for name in KEY))
            point = made.get(tuple(key[name] for name in KEY), {})
            models = [row for row in all_curves if all(row[name] == key[name] for name in key)]
            if operation == "barrier":
                line["left_out"] = "it has no message size"
            elif point.get("made") == "coarse":
                models = list(_models(raw, key, point["time_us"]))
                line |= {"measured_us": point["time_us"], "made": "coarse", **_best(models)}
                if not models:
                    line["left_out"] = "there is no model of it"
            elif value is None:
                line["left_out"] = point.get("reason") or "not among the campaign's cases"
            elif not value.median > 0:
                line["left_out"] = value.reason or value.verdict
            else:
                low, high = raw.interval(tuple(key[name] for name in KEY))
                line |= {"measured_us": value.median, "low_us": low, "high_us": high, **_best(models)}
                line["made"] = point.get("made", "")
                if not models:
                    line["left_out"] = "there is no model of it"
                if not value.is_reliable:
                    line["left_out"] = f"not reliable: {value.reason or value.verdict}"
            yield line


def _best(models: list[Record]) -> Record:
    """The model nearest to what was measured; the one that libraries choose if two are as near."""
    if not models:
        return {}
    name = "fitted_hockney_us" if models[0]["fitted_hockney_us"] == models[0]["fitted_hockney_us"] else (
        "published_hockney_us")  # fmt: skip
    best = min(models, key=lambda row: (abs(log(row["measured_us"] / row[name])), not row["chosen"]))
    fitted = best["fitted_hockney_us"]
    return {
        "algorithm": best["algorithm"], "fitted_us": fitted, "published_us": best["published_hockney_us"],
        "fitted_factor": best["measured_us"] / fitted if fitted > 0 else nan,
    }  # fmt: skip


def points(raw: Raw) -> Iterator[Record]:
    """`view-bxj-points`: of each blocking collective at each point its time, or a model's with the error it had."""
    run = "simulated" if raw.simulation else "measured"
    collectives = [(key, value) for key, value in _cases(raw) if key["operation"] in BLOCKING]
    sizes = sorted({key["bytes"] for key, _ in collectives} - {0})
    skipped = {
        (item["stack"], item["operation"], item["bytes"], *item["point"].values()): item["reason"]
        for item in raw.plan["skipped"] if item["operation"]
    }  # fmt: skip
    for situation in dict.fromkeys((k["stack"], k["processes_per_node"], k["placement"]) for k, _ in collectives):
        values = next(iter(_sets(raw, situation).values()))
        for operation in BLOCKING:
            for size in [0] if operation == "barrier" else sizes:
                times = {
                    key["processes"]: value.median for key, value in _cases(raw, situation)
                    if (key["operation"], key["bytes"]) == (operation, size) and value.median > 0
                }  # fmt: skip
                for processes in raw.campaign["processes"]:
                    key = {**dict(zip(SITUATION, situation, strict=True)), "operation": operation, "bytes": size,
                           "processes": processes}  # fmt: skip
                    key = {name: key[name] for name in KEY}
                    reason = _reason(raw, tuple(key.values()), skipped)
                    steps = {count: coarse.time_us(raw, {**key, "processes": count}) for count in (*times, processes)}
                    name = coarse.algorithm(raw, key["stack"], operation)
                    coarsely = ({count: time for count, time in steps.items() if time}, name[0] if name else "")
                    yield key | _point(operation, size, processes, times, values, run, reason, coarsely)


def _reason(raw: Raw, key: tuple[Any, ...], skipped: dict[tuple[Any, ...], str]) -> str:
    value = raw.values.get(key)
    without = f"no time: {value.reason or value.verdict}" if value else "not among the campaign's cases"
    return skipped.get(key, without)


def _point(
    operation: str, size: int, processes: int, times: dict[int, float], values: Parameters, run: str, reason: str,
    coarsely: tuple[dict[int, float], str],
) -> Record:  # fmt: skip
    numbers = dict.fromkeys(("time_us", "largest_run", "largest_factor", "second_run", "second_factor"), nan)
    line: Record = {"made": run, "algorithm": "", "model_of": "", "reason": "", **numbers}
    line["coarse_us"] = coarsely[0].get(processes, nan)
    if processes in times:
        return line | {"time_us": times[processes]}
    name = SAME_AS.get(operation, operation)
    compared = {count: time for count, time in times.items() if count > 1}
    if processes in coarsely[0]:
        line |= {"made": "coarse", "time_us": coarsely[0][processes], "algorithm": coarsely[1], "reason": reason}
        both = [count for count in sorted(compared, reverse=True) if count in coarsely[0]]
        for which, count in zip(("largest", "second"), both, strict=False):
            line |= {f"{which}_run": count, f"{which}_factor": compared[count] / coarsely[0][count]}
        return line

    def modelled(model: Algorithm, count: int) -> float:
        return algorithms.time("hockney", model, count, algorithms.vector(name, size, count), values.cost(model))

    best, nearest = None, (inf, True)
    for model in algorithms.of(name):
        apart = [abs(log(time / modelled(model, count))) for count, time in compared.items()]
        distance = (median(apart) if apart else 0.0, model.name != algorithms.chosen(name, size))
        if best is None or distance < nearest:
            best, nearest = model, distance
    if best is None:
        return line | {"made": "none", "reason": reason}
    line |= {"made": "model", "time_us": modelled(best, processes), "algorithm": best.name, "model_of": name}
    for which, count in zip(("largest", "second"), sorted(compared, reverse=True), strict=False):
        line |= {f"{which}_run": count, f"{which}_factor": compared[count] / modelled(best, count)}
    return line | {"reason": reason}
