# SPDX-License-Identifier: BSD-3-Clause
"""What a series draws, where it writes it, and which series is gone on with."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import yaml

from isochron.cli.main import main
from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.certificate import SIDES, Series, read_shares, shares_file
from isochron.workflows.certification.certify import kept
from isochron.workflows.certification.series import campaign_of, drawn, make_series, series_for
from isochron.workflows.certification.slowing import SLOWED
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run

EFFECTS = [0.0, 0.03, 0.05, 0.1, 0.2]


def series(tables: int = 40, effects: list[float] = EFFECTS) -> Series:
    return make_series(["mpich-5.0"], tables, effects, short=False)


def test_every_second_table_slows_nothing_and_the_others_each_effect_once() -> None:
    made = series()
    sides = Counter[int]()
    for number, table in enumerate(made.tables):
        both = drawn(table, made)
        assert drawn(table, made) == both
        if number % 2:
            assert both == ({}, {})
            continue
        assert not set(both[0]) & set(both[1])
        assert {**both[0], **both[1]}.keys() == set(SLOWED)
        assert sorted([*both[0].values(), *both[1].values()]) == EFFECTS
        sides += Counter({0: len(both[0]), 1: len(both[1])})
    assert min(sides[0], sides[1]) > 20
    orders = {tuple(drawn(table, made)[0].items()) for table in made.tables[::2]}
    assert len(orders) > 10


def test_without_nought_every_table_slows_something() -> None:
    made = series(4, [0.1])
    both = [drawn(table, made) for table in made.tables]
    assert all({**one, **other} == dict.fromkeys(SLOWED, 0.1) for one, other in both)


def test_the_shares_are_where_the_library_reads_them_and_not_in_the_run(tmp_path: Path) -> None:
    made = series(1)
    folder, _ = series_for(tmp_path, made, new=False)
    table = made.tables[0]
    shares = [read_shares(shares_file(folder, table.name, side)) for side in SIDES]
    slowed = [{name: share for name, share in side.items() if share} for side in drawn(table, made)]
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
    further = kept(begun, folder, begun.tables[0], create_run(tmp_path, campaign, make_plan(campaign)))
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
