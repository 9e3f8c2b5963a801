# SPDX-License-Identifier: BSD-3-Clause
"""Libraries that do not sleep while others have their turns: a real campaign names them, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.postprocess.ingest.inputs import load_inputs
from isochron.postprocess.kit.table import Analysis, TableContext
from isochron.postprocess.subjects.comparison.table import make_comparison
from isochron.postprocess.subjects.turns.finding import not_asleep
from isochron.postprocess.subjects.turns.table import COMPANY, COMPANY_CASES, make_company, make_company_cases
from isochron.schemas.run.next_blocks import Flagged
from isochron.workflows.preload import compile_library
from tests.end_to_end.conftest import Place, assert_every_launch_is_stored_once
from tests.engine.support import is_crowded

#: A library before the real one, whose threads never sleep: with STREAM they read 32 MiB again and again, so that no
#: cache is left to others; otherwise they count.
RESTLESS = """
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
enum { WORDS = 4 << 20 };
static volatile uint64_t total;
static void *work(void *memory)
{
    const volatile uint64_t *const words = memory;
    for (size_t i = 0;; i = (i + 8) % WORDS)
        total += words == NULL ? 1 : words[i];
    return NULL;
}
int PMPI_Init(int *count, char ***arguments);
int MPI_Init(int *count, char ***arguments)
{
    pthread_t thread;
    const int result = PMPI_Init(count, arguments);
    void *const memory = getenv("STREAM") == NULL ? NULL : calloc(WORDS, sizeof(uint64_t));
    pthread_create(&thread, NULL, work, memory);
    return result;
}
"""
#: A barrier has no slots: every repetition is valid, however busy the machine. Few, since it may take long there.
NEVER_LATE = {"scheme": "barrier", "stop": "reps", "max_reps": 32, "max_valid": 32}
STACK, RESTLESS_STACKS = "openmpi-5.0", ["spins", "streams"]


def test_libraries_that_do_not_sleep_are_named(place: Place) -> None:
    """One reads memory through all caches while others have their turns, one spins: each is named, the third is not."""
    source, library = place.folder / "restless.c", place.folder / "restless.so"
    source.write_text(RESTLESS)
    compile_library(library, "cc", [source], "install a C compiler", flags=["-pthread"])
    preloaded = {"LD_PRELOAD": str(library)}
    variants = {
        "streams": {"stack": STACK, "environment": {**preloaded, "STREAM": "1"}},
        "spins": {"stack": STACK, "environment": preloaded},
    }
    replication = {"blocks": 1, "launches_per_block": 1, "design": "turns", "solo_rounds": 1}
    place.write(
        stacks=[STACK, *variants], variants=variants, replication=replication, operations=["allreduce"], sizes=[8],
        engine=NEVER_LATE | {"passes": 2, "probes": "off"},
    )  # fmt: skip
    done = place.stored()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 launches measured and stored" in done.stdout
    assert_every_launch_is_stored_once(place.run)
    check_names(place.run.root)


def check_names(run: Path) -> None:
    """Table, findings and comparisons name the two whose threads work."""
    context = TableContext(load_inputs(run))
    companies, comparison = context.get(make_company), make_comparison(context)
    sleep = companies.set_index("stack")["sleep"].to_dict()
    assert sleep[STACK] == "asleep", companies.to_string()
    if "asleep" in map(sleep.get, RESTLESS_STACKS) and is_crowded():
        pytest.skip("the machine is too busy: a thread that always works has hardly any processor time")
    assert sleep == {STACK: "asleep", "streams": "not-asleep", "spins": "not-asleep"}, companies.to_string()
    frames = {COMPANY.name: companies, COMPANY_CASES.name: context.get(make_company_cases)}
    findings = not_asleep(context.inputs, Analysis(context.launches, Flagged(rows=[], points=[]), frames))
    assert [finding.numbers["stack"] for finding in findings] == RESTLESS_STACKS
    assert comparison["in_turns"].all()
    assert comparison["reason"].str.startswith("company-limited: not asleep: spins, streams").all()
    blocks = companies.groupby("effect")["blocks"].sum().to_dict()
    assert blocks == {"carry-over": 3, "presence": 1}, "one stack of the session measured alone, too"
    assert frames[COMPANY_CASES.name]["blocks"].eq(1).all()
