# SPDX-License-Identifier: BSD-3-Clause
"""Results and sites that are damaged or somebody else's: one run ends nothing, and nothing is written elsewhere."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from isochron.cli.main import main
from isochron.common.copies import copy_of
from isochron.common.files import FileError
from isochron.postprocess.estimate.history_cache.cache import Archive
from isochron.postprocess.site.publish import SiteOptions, publish
from isochron.postprocess.site.record import NAME, Site
from isochron.schemas.run.layout import ARCHIVE, RunLayout
from isochron.schemas.run.state import RunState
from tests.bench.archived import name, whole_run
from tests.postprocess.in_process import postprocess_in_this_process
from tests.postprocess.site.walk import RUNS, SPEC, wrong_links

__all__ = ["postprocess_in_this_process"]
pytestmark = [pytest.mark.heavy, pytest.mark.usefixtures("postprocess_in_this_process")]


def asked(folder: Path) -> SiteOptions:
    return SiteOptions(folder / "site", [folder / "results"], "Our machines")


def text(content: str) -> Callable[[Path], None]:
    """Damage: a file says something else."""
    return lambda path: path.write_text(content) and None


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def huge(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(3 << 30)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


#: The file of a run, what becomes of it, and what is said.
BROKEN: dict[str, tuple[str, Callable[[Path], None], str]] = {
    "plan": ("plan.json", text("{"), "is left out: plan.json: the whole file: Invalid JSON"),
    "plan of nothing": ("plan.json", text("{}"), "is left out: plan.json: campaign: Field required"),
    "huge plan": (
        "plan.json",
        huge,
        "is left out: plan.json: cannot be read: 3221225472 bytes exceed the limit of 2560",
    ),
    "piped plan": ("plan.json", pipe, "is left out: plan.json: cannot be read: not a regular file"),
    "campaign": ("campaign.yaml", text("a: [\n"), "is left out: campaign.yaml: line 2, column 1: not valid YAML"),
    "unfolding campaign": ("campaign.yaml", text("a: &a [*a]\n"), "is left out: campaign.yaml: line 1, column 8: not"),
    "manifest": ("stacks/mpich-5.0.json", text("no"), "is left out: stacks/mpich-5.0.json: the whole file: Invalid"),
    "store": (
        "store/measurements.parquet",
        cut_off,
        "is left out: store/measurements.parquet: is not what tables.sha256",
    ),
    "no Parquet": (
        "store/launches.parquet",
        text("PAR1"),
        "is left out: store/launches.parquet: is not what tables.sha256",
    ),
    "sums": ("store/tables.sha256", pipe, "is left out: it has no whole store; `isochron report` makes it again"),
    "state": ("campaign.json", text("{"), "is left out: campaign.json: the whole file: Invalid JSON"),
    "piped state": ("campaign.json", pipe, "is left out: campaign.json: cannot be read: not a regular file"),
}


@pytest.fixture(scope="module")
def newest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole run that comes after those of the site; nothing is kept of it."""
    return whole_run(tmp_path_factory.mktemp("newest"), RUNS, SPEC).root


def test_broken_runs_are_left_out_and_said(own: Path, newest: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """All other runs, and the other campaign, are in the site."""
    lines = []
    for number, (file, damage, said) in enumerate(BROKEN.values(), start=RUNS):
        run = shutil.copytree(newest, own / "results/night-000" / name(number), symlinks=True)
        copy_of(run / file).unlink(missing_ok=True)  # what has a correct copy is not broken
        damage(run / file)
        lines.append(f"night-000/{run.name}: {said}")
    assert main(["publish", str(own / "site"), str(own / "results")]) == 0
    told = capfd.readouterr().err.splitlines()
    pages = [(own / "site" / page).read_text() for page in ("index.html", "campaigns/night-000/index.html")]
    for line in lines:
        assert any(each.startswith(f"isochron: {line}") for each in told), line
        assert all(line.removeprefix("night-000/") in page for page in pages), line
    assert len(told) == len(lines)
    there = {path.stem for path in (own / "site/campaigns/night-000/runs").glob("*.html")}
    assert there == {name(number) for number in range(RUNS)}
    assert wrong_links(own / "site") == []


def test_a_mended_run_is_taken_in_and_a_campaign_of_broken_runs_is_said(own: Path, newest: Path) -> None:
    run = RunLayout(shutil.copytree(newest, own / "results/night-000" / name(RUNS), symlinks=True))
    table, alone = run.table("measurements"), own / "results/alone/20260101T000000Z-0000"
    content = table.read_bytes()
    cut_off(table)
    alone.mkdir(parents=True)
    (alone / "campaign.json").write_text("[]")
    for _ in range(2):  # it is tried, and said, each time
        said, left_out = publish(asked(own))
        assert "2 campaigns" in said and [line.partition(": ")[0] for line in left_out] == [
            f"alone/{alone.name}", f"night-000/{name(RUNS)}",
        ]  # fmt: skip
    table.write_bytes(content)
    shutil.rmtree(alone.parent)
    assert publish(asked(own))[1] == []
    assert (own / "site/campaigns/night-000/runs" / f"{name(RUNS)}.html").is_file()
    assert "Left out" not in (own / "site/index.html").read_text()


def test_a_report_that_cannot_be_taken_along_is_said(own: Path) -> None:
    run = RunLayout(own / "results/night-000" / name(RUNS - 1))
    run.report.parent.mkdir()
    run.report.write_text("<script>theirs()</script>")
    for _ in range(2):
        _, (line,) = publish(asked(own))
        assert line.startswith(f"night-000/{run.run_id}: its report is left out: store/launches.parquet: missing")
    assert not list((own / "site").rglob("reports"))


def emptied(page: Path) -> None:
    page.write_bytes(b"")


def changed(page: Path) -> None:
    page.write_bytes(page.read_bytes().replace(b"night-000", b"NIGHT-000"))


def linked(page: Path) -> None:
    page.rename(page.with_name("moved"))
    page.symlink_to(page.with_name("moved"))


#: Pages of each kind: of a campaign, of a run, of an operation, of the site; and what becomes of each.
DAMAGED: dict[str, Callable[[Path], object]] = {
    "campaigns/night-000/index.html": emptied,
    f"campaigns/night-000/runs/{name(3)}.html": emptied,
    f"campaigns/night-000/runs/{name(3)}.js": changed,
    "campaigns/night-001/bcast.html": changed,
    f"campaigns/night-001/runs/{name(5)}.html": linked,
    "campaigns/night-001/feed.xml": Path.unlink,
    "style.css": emptied,
    "index.html": linked,
}


def test_pages_that_are_not_as_they_were_written_are_made_again(own: Path) -> None:
    content = {page: (own / "site" / page).read_bytes() for page in DAMAGED}
    for page, damage in DAMAGED.items():
        damage(own / "site" / page)
    publish(asked(own))
    assert {page: (own / "site" / page).read_bytes() for page in DAMAGED} == content
    assert not any((own / "site" / page).is_symlink() for page in DAMAGED)


def test_a_site_of_an_earlier_version_is_taken_over(own: Path) -> None:
    record = own / "site" / NAME
    before = json.loads(record.read_text())
    for each in (before, *before["campaigns"].values()):
        each["files"] = list(each["files"])
        each.pop("left_out", None)
    (own / "site/old.html").write_text("old")
    before["files"].append("old.html")
    record.write_text(json.dumps(before))
    publish(asked(own))
    assert not (own / "site/old.html").exists() and wrong_links(own / "site") == []
    assert all(" " in seal for seal in Site.load(record).files.values())


def test_a_full_disk_leaves_no_half_of_a_page(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_half(path: Path, content: bytes) -> int:
        with path.open("wb") as stream:
            stream.write(content[: len(content) // 2])
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    (own / "site/style.css").unlink()
    before = set((own / "site").rglob("*"))
    with monkeypatch.context() as patch, pytest.raises(OSError, match="No space left"):
        patch.setattr(Path, "write_bytes", write_half)
        publish(asked(own))
    assert set((own / "site").rglob("*")) == before
    publish(asked(own))
    assert wrong_links(own / "site") == []


@pytest.mark.parametrize("folder", ["campaigns", "campaigns/night-001/runs"])
def test_nothing_is_written_or_removed_through_a_link_in_a_site(own: Path, folder: str) -> None:
    """Also where the campaign is gone, and its pages would be removed."""
    place, theirs = own / "site" / folder, own / "theirs"
    place.rename(theirs)
    place.symlink_to(theirs)
    before = {path: path.read_bytes() for path in theirs.rglob("*") if path.is_file()}
    for campaign in ("night-000", "night-001"):
        shutil.rmtree(own / "results" / campaign / name(RUNS - 1))
    with pytest.raises(
        FileError, match=f"{place}: is a symbolic link, to '{theirs}': files would be written elsewhere"
    ):
        publish(asked(own))
    shutil.rmtree(own / "results/night-001")
    with pytest.raises(FileError, match="is a symbolic link"):
        publish(asked(own))
    assert {path: path.read_bytes() for path in theirs.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("path", ["../mine.txt", "campaigns/../../mine.txt", "/etc/passwd", ""])
def test_no_record_of_a_site_names_what_is_outside(own: Path, path: str) -> None:
    (own / "mine.txt").write_text("mine")
    record = own / "site" / NAME
    document = json.loads(record.read_text())
    document["files"][path] = "0 0"
    record.write_text(json.dumps(document))
    with pytest.raises(FileError, match=r"site\.json: files.*leads out of the site; remove the folder of the site"):
        publish(asked(own))
    assert (own / "mine.txt").is_file()


@pytest.mark.parametrize(
    ("words", "folder"),
    [(["publish", "site", "results"], ARCHIVE), (["history", "night-000"], f"{ARCHIVE}/values")],
    ids=["publish", "history"],
)
def test_nothing_is_kept_through_a_link_in_the_results(
    words: list[str], folder: str, own: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(own / "site")
    shutil.rmtree(own / "results" / folder, ignore_errors=True)
    (own / "theirs").mkdir()
    (own / "results" / folder).symlink_to(own / "theirs")
    monkeypatch.chdir(own)
    assert main(words) != 0
    assert f"{folder}: is a symbolic link, to '{own / 'theirs'}'" in capfd.readouterr().err
    assert list((own / "theirs").iterdir()) == []


def test_the_state_of_a_run_that_is_not_complete_is_no_news(own: Path) -> None:
    """What is not complete was never a part of the history, and nothing is said of it."""
    run = RunLayout(own / "results/night-000" / name(RUNS - 1))
    RunState.load(run.state).model_copy(update={"state": "interrupted"}).save(run.state)
    run.plan.write_text("{")
    assert publish(asked(own))[1] == []
    assert Archive(own / "results" / ARCHIVE, "night-000").course is not None
