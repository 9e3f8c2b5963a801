# SPDX-License-Identifier: BSD-3-Clause
"""The series of a certificate: its tables, and the library that slows operations.

The MPI library here is a program's own: its PMPI_Bcast takes 100 000 ticks.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest
import yaml

from isochron.cli.main import main
from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.certificate import SIDES, Series, loaded_file, read_shares, shares_file
from isochron.workflows.certification import certify
from isochron.workflows.certification.certify import (
    SLOWED,
    campaign_of,
    draw_slowdowns,
    make_series,
    record_run,
    series_for,
)
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run

EFFECTS = [0.0, 0.03, 0.05, 0.1, 0.2]


def series(tables: int = 40, effects: list[float] = EFFECTS) -> Series:
    return make_series(["mpich-5.0"], tables, effects, short=False)


def test_every_second_table_slows_nothing_and_the_others_each_effect_once() -> None:
    made = series()
    sides = Counter[int]()
    for number, table in enumerate(made.tables):
        both = draw_slowdowns(table, made)
        assert draw_slowdowns(table, made) == both
        if number % 2:
            assert both == ({}, {})
            continue
        assert not set(both[0]) & set(both[1])
        assert {**both[0], **both[1]}.keys() == set(SLOWED)
        assert sorted([*both[0].values(), *both[1].values()]) == EFFECTS
        sides += Counter({0: len(both[0]), 1: len(both[1])})
    assert min(sides[0], sides[1]) > 20
    orders = {tuple(draw_slowdowns(table, made)[0].items()) for table in made.tables[::2]}
    assert len(orders) > 10


def test_without_nought_every_table_slows_something() -> None:
    made = series(4, [0.1])
    both = [draw_slowdowns(table, made) for table in made.tables]
    assert all({**one, **other} == dict.fromkeys(SLOWED, 0.1) for one, other in both)


def test_the_shares_are_where_the_library_reads_them_and_not_in_the_run(tmp_path: Path) -> None:
    made = series(1)
    folder, _ = series_for(tmp_path, made, new=False)
    table = made.tables[0]
    shares = [read_shares(shares_file(folder, table.name, side)) for side in SIDES]
    slowed = [{name: share for name, share in side.items() if share} for side in draw_slowdowns(table, made)]
    assert shares == slowed
    campaign = campaign_of(table, made, folder, folder / "slow.so")
    run = create_run(tmp_path, campaign, make_plan(campaign))
    named = {name: share for side in slowed for name, share in side.items()}
    texts = [path.read_text() for path in run.root.rglob("*") if path.is_file()]
    assert not [text for text in texts for name, share in named.items() if f"{name} {share!r}" in text]
    assert folder not in run.root.parents


def test_both_variants_differ_in_nothing_but_the_file_of_shares(tmp_path: Path) -> None:
    made = series(1)
    campaign = campaign_of(made.tables[0], made, tmp_path, tmp_path / "slow.so")
    one, other = campaign.variants.values()
    assert one.environment["LD_PRELOAD"] == other.environment["LD_PRELOAD"] == str(tmp_path / "slow.so")
    assert {name for name in one.environment if one.environment[name] != other.environment[name]} == {
        "ISOCHRON_SLOWDOWN"
    }
    again = Campaign.model_validate(yaml.safe_load(yaml.safe_dump(campaign.model_dump(mode="json", by_alias=True))))
    assert again == campaign


def test_the_same_words_go_on_with_the_series_that_was_begun(tmp_path: Path) -> None:
    folder, begun = series_for(tmp_path, series(), new=False)
    campaign = campaign_of(begun.tables[0], begun, folder, folder / "slow.so")
    further = record_run(begun, folder, begun.tables[0], create_run(tmp_path, campaign, make_plan(campaign)))
    assert (tmp_path / further.runs[begun.tables[0].name] / "plan.json").is_file()
    assert series_for(tmp_path, series(), new=False) == (folder, further)
    assert series_for(tmp_path, series(41), new=False)[0] != folder
    assert series_for(tmp_path, series(effects=[0.0]), new=False)[0] != folder
    assert series_for(tmp_path, series(), new=True)[1].runs == {}


def test_a_series_whose_beginning_was_interrupted_is_left_alone(tmp_path: Path) -> None:
    folder, _ = series_for(tmp_path, series(), new=False)
    (folder / "series.json").unlink()
    assert series_for(tmp_path, series(), new=False)[0] != folder


@pytest.mark.parametrize("line", ["bcast", "bcast much"])
def test_shares_that_are_none_are_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "shares.txt"
    path.write_text(line)
    with pytest.raises(FileError, match="is not `operation share`"):
        read_shares(path)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["mpich-5"], "unknown stack 'mpich-5', did you mean 'mpich-5.0'?"),
        (["smpi-mpich"], "unknown stack 'smpi-mpich'"),
        (["mpich-5.0", "mpich-5.0"], "listed twice"),
        (["--tables", "0"], "--tables 0: give a number from 1 to 1000"),
        (["--effects", "5,5"], "--effects 5,5: give percentages"),
        (["--effects", "5;10"], "--effects 5;10: give percentages"),
        (["--effects", "nan"], "--effects nan: give percentages"),
        (["--effects", "0,101"], "--effects 0,101: give percentages from 0 to 100"),
        (["--effects=-3"], "--effects -3: give percentages"),
    ],
)
def test_what_cannot_be_certified_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(["certify", *words, "--results", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


PROGRAM = """
#include <stdio.h>
static const unsigned long long OWN = 100000;
int PMPI_Init(int *count, char ***words) { return count == NULL && words == NULL ? 0 : 1; }
int PMPI_Bcast(void *buffer, int count, int type, int root, long comm)
{
    const unsigned long long begin = __builtin_ia32_rdtsc();
    while (__builtin_ia32_rdtsc() - begin < OWN) { }
    return *(char *)buffer == 'x' && count == -1 && type == 2 && root == 3 && comm == 1L << 40 ? 11 : 1;
}
int PMPI_Reduce(void *in, char *out, int count, int type, int op, int root, long comm)
{
    *out = *(char *)in;
    return count == 4 && type == 5 && op == 6 && root == -7 && comm == 1L << 41 ? 12 : 1;
}
int MPI_Init(int *, char ***) __attribute__((weak));
int MPI_Bcast(void *, int, int, int, long) __attribute__((weak));
int MPI_Reduce(void *, char *, int, int, int, int, long) __attribute__((weak));
int main(void)
{
    char in = 'x', out = ' ';
    if (MPI_Init == NULL || MPI_Init(NULL, NULL) != 0)
        return 3;
    const unsigned long long begin = __builtin_ia32_rdtsc();
    const int code = MPI_Bcast(&in, -1, 2, 3, 1L << 40);
    printf("%d %f\\n", code, (double)(__builtin_ia32_rdtsc() - begin) / OWN);
    const int reduced = MPI_Reduce(&in, &out, 4, 5, 6, -7, 1L << 41);
    printf("%d %c\\n", reduced, out);
    return 0;
}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The library and the program."""
    folder = tmp_path_factory.mktemp("slow")
    (folder / "program.c").write_text(PROGRAM)
    command = ["cc", "-O1", "-rdynamic", "-o", str(folder / "program"), str(folder / "program.c")]
    subprocess.run(command, check=True)
    return certify.build_library(folder), folder / "program"


def run(built: tuple[Path, Path], shares: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **certify.environment(built[0], shares)}
    return subprocess.run([built[1]], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.process
def test_a_call_takes_at_least_its_share_more_and_gets_what_was_handed_over(
    built: tuple[Path, Path], tmp_path: Path
) -> None:
    shares = tmp_path / "shares.txt"
    certify.write_shares(shares, {"bcast": 50.0, "reduce": 0.0})
    assert read_shares(shares) == {"bcast": 50.0}
    done = run(built, shares)
    assert done.returncode == 0, done.stderr
    (code, times), reduced = done.stdout.splitlines()[0].split(), done.stdout.splitlines()[1]
    assert (code, reduced) == ("11", "12 x")
    assert float(times) >= 51
    assert len(loaded_file(shares).read_text().split()) == 1


@pytest.mark.process
def test_it_says_nothing_in_a_program_without_mpi(built: tuple[Path, Path], tmp_path: Path) -> None:
    environment = {**os.environ, **certify.environment(built[0], tmp_path / "none"), "LD_BIND_NOW": "1"}
    done = subprocess.run(["true"], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.process
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("bcst 0.1\n", "is not `operation share`"),
        ("bcast -1\n", "is not `operation share`"),
        ("bcast\n", "is not `operation share`"),
        ("bcast much\n", "is not `operation share`"),
    ],
)
def test_without_shares_that_it_understands_it_ends_the_process(
    built: tuple[Path, Path], tmp_path: Path, text: str | None, said: str
) -> None:
    shares = tmp_path / "shares.txt"
    if text is not None:
        shares.write_text(text)
    done = run(built, shares)
    assert done.returncode == 2
    assert str(shares) in done.stderr and said in done.stderr
    assert not loaded_file(shares).exists()


@pytest.mark.process
def test_every_operation_that_may_be_drawn_is_one_that_it_slows(built: tuple[Path, Path], tmp_path: Path) -> None:
    shares = tmp_path / "shares.txt"
    certify.write_shares(shares, dict.fromkeys(certify.SLOWED, 0.01))
    assert run(built, shares).returncode == 0


@pytest.mark.process
def test_a_compiler_that_is_missing_or_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-cc")
    with pytest.raises(FileError, match="no-such-cc: C compiler not found"):
        certify.build_library(tmp_path)
    monkeypatch.setenv("CC", "false")
    with pytest.raises(FileError, match="false cannot compile it"):
        certify.build_library(tmp_path)
    assert not list(tmp_path.iterdir())
