# SPDX-License-Identifier: BSD-3-Clause
"""Every mistake in a campaign file gives one message that names the file, the key and the remedy."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from isochron.cli.main import main
from isochron.common.files import FileError
from isochron.reframe_checks.run_folder import load_campaign as run_campaign
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.campaign_mistakes import MAX_LISTED
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run
from tests.workflows.conftest import CampaignFile

#: What is changed in a good file, the key that the message must name, and words of its remedy.
MISTAKES: dict[str, tuple[dict[str, Any], str, str]] = {
    "unknown key": ({"colour": "red"}, "colour", "unknown key"),
    "misspelt key": ({"operatoins": ["bcast"]}, "operatoins", "did you mean 'operations'"),
    "unknown key in a section": ({"limits": {"node_hour": 3}}, "limits.node_hour", "did you mean 'node_hours'"),
    "key that belongs elsewhere": ({"scheme": "window"}, "scheme", "unknown key"),
    "missing name": ({"name": ...}, "name", "is missing; add it"),
    "missing stacks": ({"stacks": ...}, "stacks", "is missing; add it"),
    "name with a slash": ({"name": "a/b"}, "name", "small letters, digits"),
    "empty name": ({"name": ""}, "name", "small letters, digits"),
    "name with capital letters": ({"name": "Nightly Run"}, "name", "write 'nightly-run' (found 'Nightly Run')"),
    "stack with capital letters": ({"stacks": ["OpenMPI-5.0"]}, "stacks[0]", "write 'openmpi-5.0'"),
    "operation in capital letters": ({"operations": ["BCAST"]}, "operations", "did you mean 'bcast'"),
    "key with a capital letter": ({"Title": "x"}, "Title", "did you mean 'title'"),
    "per cent": ({"analysis": {"threshold": "5%"}}, "analysis.threshold", "write 0.05 (found '5%')"),
    "hook of nothing": ({"hooks": {"on_complete": " "}}, "hooks.on_complete", "give a command"),
    "newer schema": ({"schema": 2}, "schema", "is 2, but this version of Isochron reads format 1"),
    "unknown stack": ({"stacks": ["openmpi-5.1"]}, "stacks", "did you mean 'openmpi-5.0'"),
    "misspelt key in the place of the right one": (
        {"operations": ..., "operatoins": ["bcast"]},
        "operatoins",
        "did you mean 'operations'",
    ),
    "unknown operation": ({"operations": ["foo"]}, "operations", "the operations are barrier, bcast"),
    "misspelt operation": ({"operations": ["allredcue"]}, "operations", "did you mean 'allreduce'"),
    "unknown datatype": (
        {"operations": ["bcast@vector-33"]},
        "operations",
        "bcast@vector-33: unknown datatype 'vector-33', did you mean 'vector-32'?",
    ),
    "datatype of a reduction": ({"operations": ["reduce@indexed"]}, "operations", "write reduce, or for example"),
    "datatype that fits no size": (
        {"operations": ["bcast@vector-512"]},
        "sizes",
        "none is a multiple of the datatype of bcast@vector-512, vector:8:512:1024 (4096 bytes); add one",
    ),
    "size that a datatype does not fit": (
        {"operations": ["bcast@vector-32"], "sizes_by_operation": {"bcast@vector-32": [8]}},
        "sizes_by_operation.bcast@vector-32",
        "8 is not a multiple of the datatype's 512 bytes; remove it",
    ),
    "operations no list": ({"operations": "bcast"}, "operations", "must be a list"),
    "no sizes": ({"sizes": []}, "sizes", "is empty; list at least one"),
    "no stacks": ({"stacks": []}, "stacks", "is empty; list at least one"),
    "negative size": ({"sizes": [-8]}, "sizes[0]", "greater than or equal to 0"),
    "size with an unknown unit": ({"sizes": ["8 kB"]}, "sizes[0]", "B, KiB, MiB or GiB"),
    "size with a unit of 1000": ({"sizes": ["8kb"]}, "sizes[0]", "write 8KiB (8192 bytes), or an integer with"),
    "size in bytes": ({"sizes": ["8 b"]}, "sizes[0]", "write 8B (8 bytes), or an integer"),
    "fractional size": ({"sizes": [8.5]}, "sizes[0]", "whole number"),
    "size twice": ({"sizes": [1024, "1KiB"]}, "sizes", "1024 is listed twice"),
    "a range that ends before it begins": ({"sizes": ["8:4:x2"]}, "sizes", "MIN is larger than MAX"),
    "a range without a step": ({"sizes": ["8:1KiB"]}, "sizes", "MIN:MAX:xFACTOR or MIN:MAX:+STEP"),
    "a range that stands still": ({"sizes": ["0:8:x2"]}, "sizes", "MIN of at least 1"),
    "a range with an unknown unit": ({"sizes": ["8:1kB:x2"]}, "sizes", "B, KiB, MiB or GiB"),
    "a range without end": ({"sizes": ["0:1MiB:+1"]}, "sizes", "choose a larger step"),
    "a range that meets a size": ({"sizes": [16, "8:32:x2"]}, "sizes", "16 is listed twice"),
    "contrast of nothing": ({"contrasts": {"same": {"buffers": "warm"}}}, "contrasts.same", "change an option"),
    "contrast with a misspelt option": ({"contrasts": {"c": {"bufers": "cold"}}}, "contrasts.c.bufers", "'buffers'"),
    "contrast with an impossible value": ({"contrasts": {"c": {"timer": "sun"}}}, "contrasts.c.timer", "'tsc'"),
    "contrast that the engine refuses": (
        {"contrasts": {"loop": {"scheme": "loop", "buffered_sends": True}}},
        "engine.buffered_sends",
        "take another scheme",
    ),
    "a key of before": ({"repetition": {"blocks": 3}}, "repetition", "replication"),
    "a value of before": ({"engine": {"stop": "runs"}}, "engine.stop", "'reps'"),
    "a value of before at the top": ({"stack_source": "registry"}, "stack_source", "'wheels'"),
    "slot that does not grow": ({"engine": {"slot_growth": 1}}, "engine.slot_growth", "from 1.001 to 2"),
    "more than all invalid": ({"engine": {"max_invalid": 1.5}}, "engine.max_invalid", "from 0 to 1"),
    "no patience": ({"engine": {"sync_patience": 0}}, "engine.sync_patience", "from 1 to 100000"),
    "unknown operator": ({"engine": {"reduce_op": "mean"}}, "engine.reduce_op", "'sum', 'max', 'min', 'prod'"),
    "scan of one node": ({"scan": "nodes"}, "scan", "raise site.nodes"),
    "scan of what takes two nodes": (
        {"scan": "nodes", "processes_per_node": [1], "site": {"nodes": 8}},
        "scan",
        "change processes or processes_per_node",
    ),
    "scan with placements": (
        {"scan": "nodes", "placements": ["reversed"], "site": {"nodes": 8}},
        "placements",
        "places every launch itself",
    ),
    "scan of what is none": ({"scan": "links"}, "scan", "'nodes' or 'pairs'"),
    "beside nothing": (
        {"analysis": {"compare_with": [{"stacks": {"mpich-5.0": "a"}}]}},
        "analysis.compare_with[0]",
        "give either",
    ),
    "beside misspelt": (
        {"analysis": {"compare_with": [{"referense": "x"}]}},
        "analysis.compare_with[0].referense",
        "'reference'",
    ),
    "beside no run": (
        {"analysis": {"compare_with": [{"run": "none", "stacks": {"mpich-5.0": "a"}}]}},
        "analysis.compare_with[0].run",
        "give the folder of a run",
    ),
    "beside an unknown reference": (
        {"analysis": {"compare_with": [{"reference": "ekss-pmb", "stacks": {"mpich-5.0": "ekss1"}}]}},
        "analysis.compare_with[0]",
        "shipped references: bxj-sendrecv",
    ),
    "beside an unknown system": (
        {"analysis": {"compare_with": [{"reference": "ekss-pmb-barrier", "stacks": {"mpich-5.0": "ekss"}}]}},
        "analysis.compare_with[0].stacks",
        "did you mean 'ekss1'",
    ),
    "a stack beside that is none": (
        {"analysis": {"compare_with": [{"reference": "ekss-pmb-barrier", "stacks": {"mpich-5.1": "ekss1"}}]}},
        "analysis.compare_with[0].stacks",
        "did you mean 'mpich-5.0'",
    ),
    "a ring of two": (
        {"operations": ["ring", "iring"], "processes": [2, 4]},
        "processes",
        "remove 2, or remove ring, iring",
    ),
    "stars of two": (
        {"operations": ["star"], "processes": [4], "engine": {"group_size": 2}},
        "engine.group_size",
        "write 0 (all processes) or at least 3",
    ),
    "processes as text": ({"processes": ["two"]}, "processes[0]", "whole number"),
    "no processes": ({"processes": [0]}, "processes[0]", "greater than or equal to 1"),
    "processes per node larger than processes": (
        {"processes": [2], "processes_per_node": [4]},
        "processes_per_node",
        "4 is larger than the largest of processes (2)",
    ),
    "no blocks": ({"replication": {"blocks": 0}}, "replication.blocks", "greater than or equal to 1"),
    "section no mapping": ({"replication": 10}, "replication", "mapping"),
    "a synchroniser that is none": ({"compare_clock_syncs": ["none"]}, "compare_clock_syncs[0]", "'linear'"),
    "unknown scheme": ({"engine": {"scheme": "fast"}}, "engine.scheme", "'window'"),
    "trim too large": ({"engine": {"trim": 0.5}}, "engine.trim", "from 0 to 0.49"),
    "root outside": ({"engine": {"root": 2}}, "engine.root", "give 0 to 1"),
    "budget no number": ({"limits": {"node_hours": "much"}}, "limits.node_hours", "must be a number"),
    "budget of zero": ({"limits": {"node_hours": 0}}, "limits.node_hours", "greater than 0"),
    "true or false": ({"allow_oversubscription": "perhaps"}, "allow_oversubscription", "true or false"),
    "no such ReFrame configuration": (
        {"site": {"reframe_config": "site.py"}},
        "site.reframe_config",
        "does not exist",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gives_one_message(
    mistake: str, campaign_file: CampaignFile, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changes, key, remedy = MISTAKES[mistake]
    path = campaign_file(**changes)

    code = main(["run", str(path), "--results", str(tmp_path / "results")])

    printed = capsys.readouterr()
    assert code == 2
    assert len(printed.err.splitlines()) == 1, printed.err
    assert printed.err.startswith(f"isochron: {path}: ")
    assert key in printed.err
    assert remedy in printed.err
    assert printed.out == ""
    assert not (tmp_path / "results").exists()


def test_all_mistakes_are_told_at_once(campaign_file: CampaignFile, capsys: pytest.CaptureFixture[str]) -> None:
    path = campaign_file(
        stacks=["openmpi-5.1"],
        operations=["bcas", "allredcue"],
        replication={"blocks": "ten"},
        operatoins=[],
        sizes=["8 kB"],
    )
    assert main(["plan", str(path)]) == 2
    first, *others = capsys.readouterr().err.splitlines()
    assert first == f"isochron: {path}: 6 mistakes"
    keys = ["operatoins", "operations", "operations", "replication.blocks", "sizes[0]", "stacks"]
    assert sorted(line.strip().split(":")[0] for line in others) == sorted(keys)
    assert any("did you mean 'allreduce'" in line for line in others)


def test_checks_of_the_whole_file_do_not_hide_each_other(
    campaign_file: CampaignFile, capsys: pytest.CaptureFixture[str]
) -> None:
    path = campaign_file(
        processes=[2], processes_per_node=[4], placements=["nowhere"], engine={"min_valid": 50, "max_valid": 10}
    )
    assert main(["plan", str(path)]) == 2
    first, *others = capsys.readouterr().err.splitlines()
    assert first == f"isochron: {path}: 3 mistakes"
    words = ["processes_per_node: 4 is larger", "engine.min_valid 50", "placements: unknown placement 'nowhere'"]
    assert all(any(word in line for line in others) for word in words), others


def test_a_hundred_mistakes_are_not_all_told(campaign_file: CampaignFile) -> None:
    with pytest.raises(FileError) as caught:
        load_campaign(campaign_file(sizes=[f"{number} kB" for number in range(100)]))
    lines = str(caught.value).splitlines()
    assert len(lines) == MAX_LISTED + 2
    assert lines[-1].strip() == f"and {100 - MAX_LISTED} more"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("stacks: [a\nname: x\n", "line 2"),
        ("- just\n- a list\n", "mapping of keys"),
        ("", "mapping of keys"),
        ("replication: {blocks: 010}\n", "010 means 8 in YAML"),
        ("limits: {launch_seconds: 1:30}\n", "1:30 means 90 in YAML"),
        ("name: a\nname: b\n", "'name' is given twice"),
        ("name: !!python/object:os.system x\n", "not valid YAML"),
    ],
)
def test_what_is_no_campaign_at_all(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(text)
    with pytest.raises(FileError, match=words) as caught:
        load_campaign(path)
    assert str(path) in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="No such file"):
        load_campaign(tmp_path / "none.yaml")


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "binary.yaml"
    path.write_bytes(b"name: \xff\xfe")
    with pytest.raises(FileError, match="UTF-8"):
        load_campaign(path)


def test_sizes_with_units(campaign_file: CampaignFile) -> None:
    assert load_campaign(campaign_file(sizes=[0, 8, "16B", "4KiB", "1 MiB"])).sizes == [0, 8, 16, 4096, 1024**2]


def test_a_reframe_configuration_is_relative_to_the_campaign_file(campaign_file: CampaignFile, tmp_path: Path) -> None:
    (tmp_path / "site.py").write_text("site_configuration = {}\n")
    loaded = load_campaign(campaign_file(site={"reframe_config": "site.py", "nodes": 2}))
    assert loaded.site.reframe_config == str((tmp_path / "site.py").resolve())


def listed(campaign_file: CampaignFile, text: str, **changes: Any) -> Path:
    path = campaign_file(engine={"rank_order": "list:ranks.txt"}, processes=[4], processes_per_node=[2], **changes)
    (path.parent / "ranks.txt").write_text(text)
    return path


def test_a_list_of_ranks_is_kept_with_the_run(campaign_file: CampaignFile, tmp_path: Path) -> None:
    path = listed(campaign_file, "3 1\n0 2\n")
    campaign = load_campaign(path)
    assert campaign.rank_list == [3, 1, 0, 2]
    plan = make_plan(campaign)
    run = create_run(tmp_path / "results", campaign, plan)
    assert run.rank_order.read_text().split() == ["3", "1", "0", "2"]
    assert run_campaign(run).engine.rank_order == f"list:{run.rank_order}"
    assert make_plan(load_campaign(run.campaign)).digest == plan.digest
    listed(campaign_file, "3 1 2 0")
    assert make_plan(load_campaign(path)).digest != plan.digest


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must list the ranks 0 to P - 1"),
        ("0 1 two 3", "found 'two'"),
        ("0 1 2 2", "the ranks 0 to 3, each once"),
        ("0 1 2", "`processes` can only be [3]"),
        ("9" * 30, "must list the ranks"),
    ],
)
def test_a_list_of_ranks_that_cannot_be(campaign_file: CampaignFile, text: str, words: str) -> None:
    with pytest.raises(FileError) as caught:
        load_campaign(listed(campaign_file, text))
    assert "engine.rank_order" in str(caught.value)
    assert words in str(caught.value)


def test_a_list_of_ranks_that_is_not_there_or_never_ends(campaign_file: CampaignFile, tmp_path: Path) -> None:
    path = listed(campaign_file, "0")
    (tmp_path / "ranks.txt").unlink()
    with pytest.raises(FileError, match=r"engine\.rank_order: .*cannot be read"):
        load_campaign(path)
    os.mkfifo(tmp_path / "ranks.txt")
    with pytest.raises(FileError, match=r"engine\.rank_order: .*not a regular file"):
        load_campaign(path)


def test_a_reframe_configuration_that_is_no_file_is_refused(campaign_file: CampaignFile, tmp_path: Path) -> None:
    """A pipe would be waited for, and ReFrame would read whatever else there is."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").touch()
    (tmp_path / "loop").symlink_to("loop")
    for name, said in (
        ("pipe", "is not a regular file"), (".", "is not a regular file"), ("empty", "is empty"),
        ("loop", "cannot be followed: .*name a file"), ("loop/x", "cannot be followed"),
    ):  # fmt: skip
        with pytest.raises(FileError, match=rf"site\.reframe_config: .*{said}"):
            load_campaign(campaign_file(site={"reframe_config": name, "nodes": 2}))


@pytest.mark.parametrize("key", ["profiles", "compare_with"])
def test_a_loop_of_links_is_refused(campaign_file: CampaignFile, tmp_path: Path, key: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    value = ["loop"] if key == "profiles" else [{"run": "loop", "stacks": {}}]
    with pytest.raises(FileError, match="loop"):
        load_campaign(campaign_file(analysis={key: value}))
