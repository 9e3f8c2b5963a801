# SPDX-License-Identifier: BSD-3-Clause
"""A static site over all campaigns and runs of folders of results. What is as it was is not made again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from isochron.common.cores import on_all_cores
from isochron.common.files import FileError, refuse_links_below, write_atomically
from isochron.postprocess.formatting import numbers
from isochron.postprocess.site.answers import Answers, answer_entries, answers_of
from isochron.postprocess.site.badge import badge
from isochron.postprocess.site.campaign_history import CampaignHistory, tell
from isochron.postprocess.site.differences import without_hashes
from isochron.postprocess.site.discovery import Campaign, campaigns
from isochron.postprocess.site.feed import address, feed
from isochron.postprocess.site.front import last_week, speed, trends
from isochron.postprocess.site.pages import LOADING, STYLE, TRENDS, Pages, are_sealed, style_version
from isochron.postprocess.site.record import NAME, Entry, LeftOut, Published, Site, Summary
from isochron.postprocess.site.runs import registered, report_key, write_runs
from isochron.postprocess.site.schedule import schedule
from isochron.postprocess.site.views import (
    by_operation,
    factors,
    largest,
    news,
    news_of,
    overall,
    rows_of,
    runs_of,
)

#: To be raised when the same runs give other pages.
VERSION = 4
#: News of a campaign that the site's record keeps, and that its page shows.
ENTRIES, SHOWN = 60, 40


@dataclass(frozen=True)
class SiteOptions:
    """What is to be made. `url`: address at which the site will be, for its feeds; `reports`: newest runs of each
    campaign whose report is taken along."""

    folder: Path
    results: list[Path]
    title: str = "Isochron"
    url: str = ""
    reports: int = 10

    @property
    def base(self) -> str:
        """The address with a slash at its end, or nothing."""
        return f"{self.url.rstrip('/')}/" if self.url else ""

    def key(self) -> str:
        """What all pages follow from beside the runs."""
        return f"{VERSION} {style_version()} {self.title} {self.url} {self.reports}"


@dataclass(frozen=True)
class Line:
    """A campaign on the index."""

    slug: str
    about: Summary


@dataclass(frozen=True)
class _Work:
    asked: SiteOptions
    style: str
    known: dict[str, Published]

    def __call__(self, campaign: Campaign) -> Published:
        return _campaign(campaign, self.asked, self.style, self.known.get(campaign.slug))


def publish(asked: SiteOptions) -> tuple[str, list[str]]:
    """Write the site; returns what was done in a line, and what is to be told of it. Raises FileError."""
    every = campaigns(asked.results)
    shown_campaigns = [campaign for campaign in every if campaign.runs]
    old = _known(asked.folder)
    style = asked.key()
    keys = {campaign.slug: _key(campaign, asked, style) for campaign in shown_campaigns}
    same = {slug: each for slug, each in old.campaigns.items() if each.key == keys.get(slug) and _stays(asked, each)}
    fresh = [campaign for campaign in shown_campaigns if campaign.slug not in same]
    asked.folder.mkdir(parents=True, exist_ok=True)
    if not (asked.folder / NAME).is_file():
        Site(campaigns={}, files={}).save(asked.folder / NAME)  # from now on the folder is a site's
    made = on_all_cores(_Work(asked, style, old.campaigns), fresh)
    done = dict(zip((campaign.slug for campaign in fresh), made, strict=True))
    all_of_it = {
        campaign.slug: done[campaign.slug].model_copy(update={"key": keys[campaign.slug]})
        if campaign.slug in done
        else same[campaign.slug]
        for campaign in shown_campaigns
    }
    left_out = [(campaign.slug, each) for campaign in every for each in _left_out(campaign, all_of_it)]
    site = Site(campaigns=all_of_it, files=_front(asked, all_of_it, left_out))
    _remove(asked.folder, _files(old) - _files(site))
    write_atomically(asked.folder / NAME, site.model_dump_json() + "\n")
    runs = numbers.count(sum(len(campaign.runs) for campaign in shown_campaigns), "run")
    summary = f"{numbers.count(len(shown_campaigns), 'campaign')}, {runs}; {len(fresh)} made, {len(same)} as before"
    return summary, [f"{slug}/{each.run_id}: {each.reason}" for slug, each in left_out]


def _left_out(campaign: Campaign, published: Mapping[str, Published]) -> list[LeftOut]:
    """What is told of a campaign, also of one without a page, as no state of any of its runs can be read."""
    return published[campaign.slug].left_out if campaign.slug in published else campaign.left_out


def _known(folder: Path) -> Site:
    """What an earlier call has made. Raises FileError for a folder that holds something else."""
    record = folder / NAME
    if record.is_file():
        try:
            site = Site.load(record)
        except FileError as error:
            raise FileError(f"{error}; remove the folder of the site and publish again") from error
        for parent in {(folder / path).parent for path in _files(site)}:
            refuse_links_below(folder, parent / NAME)
        return site
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileError(f"{folder}: holds something that is no site of Isochron's; give a new or an empty folder")
    return Site(campaigns={}, files={})


def _key(campaign: Campaign, asked: SiteOptions, style: str) -> str:
    newest = campaign.counted[max(0, len(campaign.counted) - max(1, asked.reports)) :]  # the answers are the newest's
    return sha256("\0".join([style, campaign.key(), *map(report_key, newest)]).encode()).hexdigest()


def _stays(asked: SiteOptions, published: Published) -> bool:
    """Return True if nothing has to be made: what could not be read the last time is tried again."""
    return not published.left_out and are_sealed(asked.folder, published.files)


def _files(site: Site) -> set[str]:
    return {*site.files, *(path for each in site.campaigns.values() for path in each.files)}


def _remove(folder: Path, paths: set[str]) -> None:
    """Remove what an earlier call made and this one did not, and folders that are empty then."""
    for path in sorted(paths):
        target = folder / path
        target.unlink(missing_ok=True)
        for parent in target.parents:
            if parent == folder:
                break
            with suppress(OSError):
                parent.rmdir()


def _told(campaign: Campaign) -> CampaignHistory:
    """What is known of a campaign, without the runs that cannot be read. Raises what is wrong with none of them."""
    try:
        return tell(campaign)
    except Exception:
        probed = campaign.probed()
        if probed == campaign:
            raise
        return tell(probed)


def _campaign(campaign: Campaign, asked: SiteOptions, style: str, published: Published | None) -> Published:
    """Write the pages of a campaign."""
    history = _told(campaign)
    campaign = history.campaign
    pages = Pages(asked.folder, asked.title, published.files if published else {})
    folder = f"campaigns/{campaign.slug}"
    ratios = factors(history)
    runs, left_out = write_runs(history, pages, published.runs if published else {}, style, asked.reports)
    left_out = [*campaign.left_out, *left_out]
    operations = list(by_operation(history, ratios))
    for operation in operations:
        rows = rows_of(history, operation.heading)
        view = {
            "campaign": campaign, "told": history, "operation": operation, "rows": rows, "over": runs_of(history)
        }  # fmt: skip
        heading = f"{campaign.name}: {operation.heading}"
        pages.page(f"{folder}/{operation.page}", "operation.html.j2", heading, view, TRENDS)
    answers = answers_of(history.runs)
    entries = _entries(history, answers)
    state = campaign.runs[-1].state
    everything = news(history)
    view = {
        "campaign": campaign, "told": history, "state": state, "operations": operations, "largest": largest(history),
        "news": everything[:SHOWN], "more": max(0, len(everything) - SHOWN), "changed": len(history.by_series),
        "runs": _runs(history, pages), "left_out": left_out, "badge": "badge.svg",
        "over": runs_of(history), "standing": answers.newest,
    }  # fmt: skip
    pages.page(f"{folder}/index.html", "campaign.html.j2", state.title or campaign.name, view, TRENDS)
    pages.picture(f"{folder}/badge.svg", "badge.svg.j2", halves=badge(campaign.name, history.verdict, answers.newest))
    pages.text(f"{folder}/runs.js", registered("isochronLists", campaign.slug, history.names))
    titled = [(campaign.slug, _page(campaign.slug, entry, asked), entry) for entry in entries]
    home = "index.html" if not asked.base else f"{address(folder)}/index.html"
    name = f"{asked.base or asked.title}/{campaign.slug}"
    pages.text(
        f"{folder}/feed.xml", feed(f"{asked.title}: {campaign.slug}", name, asked.base, home, titled, state.updated_at)
    )
    summary = Summary(
        label=campaign.label, name=campaign.name, title=state.title or campaign.name, system=state.system,
        verdict=history.verdict, sentence=history.sentence, runs=len(campaign.runs), newest=campaign.runs[-1].run_id,
        measured=state.updated_at,
        chart=overall(history, ratios) if history.runs else None, entries=entries, standing=answers.newest,
        schedule=schedule(campaign.runs), trends=trends(history, answers), speed=speed(history),
        week=last_week(entries, state.updated_at), report=_newest_report(history, pages),
    )  # fmt: skip
    return Published(key="", runs=runs, files=pages.written, summary=summary, left_out=left_out)


def _page(slug: str, entry: Entry, asked: SiteOptions) -> str:
    """Address of an entry: from the site's folder if it is known, else from the campaign's own."""
    run_page = f"runs/{address(entry.run_id)}.html"
    return f"campaigns/{address(slug)}/{run_page}" if asked.base else run_page


def _runs(history: CampaignHistory, pages: Pages) -> list[dict[str, object]]:
    """Every run of the campaign, the newest first, with links to what there is of it."""
    reports = {path.rpartition("/")[2].removesuffix(".html") for path in pages.written if "/reports/" in path}
    numbered = {name: number for number, name in enumerate(history.names)}
    return [
        {
            "run": run,
            "page": f"runs/{run.run_id}.html" if run.run_id in numbered else "",
            "report": f"reports/{run.run_id}.html" if run.run_id in reports else "",
            "changes": len(history.at(numbered[run.run_id])) if run.run_id in numbered else 0,
            "differs": len(history.events.get(numbered.get(run.run_id, -1), [])),
        }
        for run in reversed(history.campaign.runs)
    ]


def _newest_report(history: CampaignHistory, pages: Pages) -> str:
    """Address of the report of the newest complete run; empty if it is not in the site."""
    path = f"campaigns/{history.campaign.slug}/reports/{history.names[-1]}.html" if history.names else ""
    return address(path) if path in pages.written else ""


def _entries(history: CampaignHistory, answers: Answers) -> list[Entry]:
    """The news of a campaign, the newest first: a change is news when it was found, an answer when it is another."""
    entries = answer_entries(answers, history.runs)
    for number in sorted(
        {change.found for change in history.changes} | set(history.events) | set(history.nights), reverse=True
    )[:ENTRIES]:
        when = history.runs[number].state.updated_at
        for run in sorted({change.run for change in history.changes if change.found == number}):
            each = news_of(history, run)
            lines = [*each.lines, *(f"{each.more} more rows" for _ in [0] if each.more), *each.differs]
            title = f"{each.text} (run {each.run_id})"
            entries.append(Entry(run_id=each.run_id, kind="change", title=title, lines=lines, updated=when))
        if number in history.nights:
            title = f"{'; '.join(history.nights[number])} (run {history.names[number]})"
            entries.append(Entry(run_id=history.names[number], kind="machine", title=title, lines=[], updated=when))
        if number in history.events:
            differs = news_of(history, number).differs
            title = f"{numbers.count(len(without_hashes(history.events[number])), 'thing')} not as in the run before"
            name = history.names[number]
            entries.append(Entry(run_id=name, kind="difference", title=title, lines=differs, updated=when))
    return sorted(entries, key=lambda entry: entry.run_id, reverse=True)[:ENTRIES]


def _front(
    asked: SiteOptions, published: dict[str, Published], left_out: Sequence[tuple[str, LeftOut]]
) -> dict[str, str]:
    """Write what belongs to no campaign; returns its files."""
    pages = Pages(asked.folder, asked.title)
    pages.text(STYLE, pages.styles())
    lines = [Line(slug, each.summary) for slug, each in published.items()]
    labels = list(dict.fromkeys(line.about.label for line in lines))
    recent = sorted(
        ((line.slug, entry) for line in lines for entry in line.about.entries),
        key=lambda each: (each[1].updated, each[0]),
        reverse=True,
    )
    groups = [(label, [line for line in lines if line.about.label == label]) for label in labels]
    changes = [each for each in recent if each[1].kind in ("answer", "change")][:SHOWN]
    view = {"groups": groups, "changes": changes, "left_out": left_out}
    pages.page("index.html", "index.html.j2", asked.title, view, TRENDS)
    chooser = [[line.slug, line.about.title] for line in lines if line.about.newest]
    pages.page("compare.html", "compare.html.j2", "Two runs side by side", {"campaigns": chooser}, LOADING)
    _feed(pages, asked, recent, max((line.about.measured for line in lines), default=""))
    return pages.written


def _feed(pages: Pages, asked: SiteOptions, recent: Sequence[tuple[str, Entry]], measured: str) -> None:
    entries = [(slug, f"campaigns/{address(slug)}/runs/{address(entry.run_id)}.html", entry) for slug, entry in recent]
    pages.text("feed.xml", feed(asked.title, asked.base or asked.title, asked.base, "index.html", entries, measured))
