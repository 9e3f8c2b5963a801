# SPDX-License-Identifier: BSD-3-Clause
"""The certificate of a machine: a series of tables with slowed operations, its measurement, and its score."""

import os
import random
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from isochron.common.children import captured, python, refuse_unquotable
from isochron.common.files import FileError, write_atomically
from isochron.common.resources import shipped
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.limits import Limits
from isochron.schemas.input.replication import Replication
from isochron.schemas.input.variant import Variant
from isochron.schemas.run.certificate import (
    CERTIFICATE,
    SERIES,
    SIDES,
    Certificate,
    CertifiedTable,
    Series,
    shares_file,
)
from isochron.schemas.run.layout import RunLayout
from isochron.workflows.driving.run import AT_THE_STORE, Outcome, RunOptions, drive
from isochron.workflows.planning.earlier import earlier_durations
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.preload import compile_library, refuse_no_compiler
from isochron.workflows.runs import continue_or_create, now

#: Operations that slow.c can slow, by the engine's names.
SLOWED = ("bcast", "reduce", "allreduce", "allgather", "alltoall")

#: The file of shares of a launch.
VARIABLE = "ISOCHRON_SLOWDOWN"


def build_library(folder: Path) -> Path:
    """Compile slow.c into the folder unless it is there; it works with all MPI libraries. Raises FileError."""
    library = folder / "slow.so"
    if library.is_file():
        return library
    compiler, remedy = os.environ.get("CC") or "cc", "name another compiler in CC"
    refuse_no_compiler(compiler, "install one, or name one in CC")
    return compile_library(library, compiler, [shipped("workflows", "certification", "slow.c")], remedy)


def write_shares(path: Path, shares: Mapping[str, float]) -> None:
    """Write the file that slow.c reads, with one line per slowed operation."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (f"{operation} {share!r}\n" for operation, share in shares.items() if share)
    write_atomically(path, "".join(lines))


def environment(library: Path, shares: Path) -> dict[str, str]:
    """Return the variables of a variant. A variant that slows nothing has them too, so that they make no difference."""
    return {"LD_PRELOAD": str(library), VARIABLE: str(shares)}


#: The short form has fewer operations, so that it takes seconds.
SHORT_OPERATIONS = ("bcast", "allreduce")

#: Bytes of the messages: times far above a reading of the clock.
SIZES, SHORT_SIZES = [4096, 65536], [65536]

#: The default of a campaign, or the smallest number of launches that can show a difference.
REPLICATION = Replication(design="random")
SHORT_REPLICATION = Replication(blocks=1, launches_per_block=5, design="random")

#: Processes of the tables, on one node: as many as any machine has.
PROCESSES = 2


def series_for(results: Path, requested: Series, *, new: bool) -> tuple[Path, Series]:
    """Return folder and series to continue: the newest with the same parameters, or a new one as `requested`."""
    for folder in [] if new else sorted((results.resolve() / SERIES).glob("[0-9]*"), reverse=True):
        series = _loaded(folder)
        if series is not None and _parameters(series) == _parameters(requested):
            return folder, series
    refuse_unquotable(results.resolve(), "--results")
    folder = (
        results.resolve() / SERIES / f"{requested.started_at.replace('-', '').replace(':', '')}-{secrets.token_hex(2)}"
    )
    folder.mkdir(parents=True)
    for table in requested.tables:
        for side, shares in zip(SIDES, draw_slowdowns(table, requested), strict=True):
            write_shares(shares_file(folder, table.name, side), shares)
    requested.save(folder / "series.json")
    return folder, requested


def _loaded(folder: Path) -> Series | None:
    """Return the series in a folder; None if its writing was interrupted."""
    try:
        return Series.load(folder / "series.json")
    except FileError:
        return None


def _parameters(series: Series) -> tuple[object, ...]:
    return series.stacks, series.effects, series.short, len(series.tables)


def make_series(stacks: Sequence[str], tables: int, effects: Sequence[float], *, short: bool) -> Series:
    """Return a new series with a random seed; `tables`: number of tables for each stack."""
    seed = secrets.randbits(31)
    names = [(stack, f"{stack}-{number:03d}") for number in range(1, tables + 1) for stack in stacks]
    return Series(
        started_at=now(),
        stacks=list(stacks),
        effects=list(effects),
        short=short,
        seed=seed,
        tables=[
            CertifiedTable(
                name=name, stack=stack, seed=seed + index, operations=list(SHORT_OPERATIONS if short else SLOWED)
            )
            for index, (stack, name) in enumerate(names)
        ],
    )


def draw_slowdowns(table: CertifiedTable, series: Series) -> tuple[dict[str, float], dict[str, float]]:
    """Draw the share by which each operation is slowed, in variant a and in variant b.

    Every second table of a stack has no slowdowns. In the others, the operations get the effects in random order, each
    in one of the two variants.
    """
    shares: tuple[dict[str, float], dict[str, float]] = ({}, {})
    number = int(table.name.rpartition("-")[2])
    if number % 2 == 0 and 0.0 in series.effects:
        return shares
    chance = random.Random(f"{series.seed}:{table.name}")
    effects = chance.sample(series.effects, len(series.effects))
    for index, operation in enumerate(chance.sample(table.operations, len(table.operations))):
        chance.choice(shares)[operation] = effects[index % len(effects)]
    return shares


def campaign_of(table: CertifiedTable, series: Series, folder: Path, library: Path) -> Campaign:
    """Return the campaign that measures a table: two variants of its stack."""
    variants = {
        f"{table.stack}.{side}": Variant(
            stack=table.stack, environment=environment(library, shares_file(folder, table.name, side))
        )
        for side in SIDES
    }
    return Campaign(
        schema_version=1,
        name=f"certify-{table.stack}"[:64],
        title=f"{table.stack} compared with itself",
        description="A table of `isochron certify`; the injected effects are recorded separately.",
        stacks=list(variants),
        variants=variants,
        operations=table.operations,
        sizes=SHORT_SIZES if series.short else SIZES,
        processes=[PROCESSES],
        processes_per_node=[PROCESSES],
        replication=SHORT_REPLICATION if series.short else REPLICATION,
        limits=Limits(launch_seconds=60, retries=2),
        seed=table.seed,
    )


def is_certified(folder: Path) -> bool:
    """Return True if the series has its certificate."""
    return (folder / CERTIFICATE).is_file()


def measure(
    table: CertifiedTable, series: Series, folder: Path, library: Path, console: Console, *, quiet: bool
) -> tuple[RunLayout, Outcome]:
    """Measure a table, or continue it, up to the store, which the scores are computed from."""
    results = folder.parent.parent
    campaign = campaign_of(table, series, folder, library)
    plan = make_plan(campaign, earlier_durations(results, campaign.name))
    run = continue_or_create(results, campaign, plan)
    return run, drive(run, campaign, RunOptions(until_store=True), console, quiet)


def is_measured(outcome: Outcome) -> bool:
    """Return True if a table has been measured to its end."""
    return outcome.state.reason == AT_THE_STORE


def record_run(series: Series, folder: Path, table: CertifiedTable, run: RunLayout) -> Series:
    """Add the run of a complete table to the series, and save it."""
    runs = {**series.runs, table.name: run.root.relative_to(folder.parent.parent).as_posix()}
    further = series.model_copy(update={"runs": runs})
    further.save(folder / "series.json")
    return further


def certificate_of(folder: Path) -> Certificate:
    """Score every table of a complete series: `python -m isochron.postprocess certify`. Raises FileError."""
    command = python("-m", "isochron.postprocess", "certify", str(folder))
    done = captured(command)
    if done.returncode != 0:
        raise FileError((done.stderr or done.stdout).strip().removeprefix("postprocess certify: "))
    return Certificate.load(folder / CERTIFICATE)
