# SPDX-License-Identifier: BSD-3-Clause
"""What a person's account says of language, home and rights changes no number and stops nothing without a remedy."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from isochron.common.children import python
from isochron.schemas.run.layout import RunLayout
from isochron.workflows.driving import snakemake
from tests.postprocess.conftest import SMALL
from tests.postprocess.synthetic import write_run
from tests.shared import Shared
from tests.workflows.conftest import SMALL as CAMPAIGN

pytestmark = pytest.mark.process

#: Decimal commas and one byte for each letter; an i without a dot for the small I; nothing beyond ASCII.
LOCALES = {"de_DE": "ISO-8859-1", "tr_TR": "ISO-8859-9"}
NAMES = [*(f"{language}.{charmap}" for language, charmap in LOCALES.items()), "C"]


@pytest.fixture(scope="session")
def locales(shared: Shared) -> Path:
    """A folder of such locales, made from the C library's sources of locales."""

    def make(folder: Path) -> None:
        for language, charmap in LOCALES.items():
            words = ["localedef", "-i", language, "-f", charmap, str(folder / f"{language}.{charmap}")]
            subprocess.run(words, capture_output=True, check=False)

    if shutil.which("localedef") is None:
        pytest.skip("needs localedef")
    made = shared("locales", make)
    if not all((made / name / "LC_CTYPE").is_file() for name in NAMES[:-1]):
        pytest.skip("needs the C library's sources of locales (Debian: locales)")
    return made


@pytest.fixture(scope="session")
def stored(shared: Shared) -> Path:
    """A small run with its store. Not to be changed."""

    def make(folder: Path) -> None:
        run = write_run(folder / "run", SMALL)
        subprocess.run(python("-m", "isochron.postprocess", "ingest", str(run)), check=True, capture_output=True)

    return shared("stored", make) / "run"


def isochron(
    *words: str, cwd: Path | None = None, umask: int = -1, **variables: str | None
) -> subprocess.CompletedProcess[bytes]:
    """`isochron` with variables changed, or taken away (None); what it prints is bytes."""
    given = {name: value for name, value in {**os.environ, **variables}.items() if value is not None}
    given.pop("PYTHONUTF8", None)
    command = [python()[0], "-m", "isochron", *words]
    return subprocess.run(command, cwd=cwd, env=given, umask=umask, capture_output=True, check=False)


def campaign_file(folder: Path, **changes: object) -> Path:
    """The small campaign with changes."""
    path = folder / "campaign.yaml"
    path.write_text(yaml.safe_dump({**CAMPAIGN, **changes}, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return path


def step(verb: str, run: Path, **variables: str) -> None:
    """A step as Snakemake's rules start it."""
    environment = {**os.environ, **variables, "PYTHONUTF8": snakemake.environment(RunLayout(run))["PYTHONUTF8"]}
    command = [python()[0], "-P", "-m", "isochron.postprocess", verb, "."]
    done = subprocess.run(command, cwd=run, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def planned(shared: Shared) -> Path:
    """A campaign file with letters beyond ASCII, and `plan.csv`, its plan in C.UTF-8."""

    def make(folder: Path) -> None:
        path = campaign_file(folder, title="Größe × Ding", description="İ and ı")
        done = isochron("plan", str(path), "--format", "csv", LC_ALL="C.UTF-8")
        assert (done.returncode, done.stderr) == (0, b"")
        (folder / "plan.csv").write_bytes(done.stdout)

    return shared("planned", make)


@pytest.mark.parametrize("name", NAMES)
def test_a_plan_is_the_same_in_every_locale(name: str, locales: Path, planned: Path) -> None:
    path, here = planned / "campaign.yaml", (planned / "plan.csv").read_bytes()
    there = isochron("plan", str(path), "--format", "csv", LC_ALL=name, LOCPATH=str(locales))
    assert (there.returncode, there.stderr) == (0, b"")
    assert there.stdout == here and there.stdout.count(b"\n") > 10
    table = isochron("plan", str(path), LC_ALL=name, LOCPATH=str(locales))
    assert (table.returncode, table.stderr) == (0, b"")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_tables_and_report_are_the_same_in_every_locale(name: str, locales: Path, stored: Path, tmp_path: Path) -> None:
    made = []
    for folder, variables in (("here", {"LC_ALL": "C.UTF-8"}), ("there", {"LC_ALL": name, "LOCPATH": str(locales)})):
        run = tmp_path / folder / "run"
        shutil.copytree(stored, run)
        for verb in ("ingest", "analyse", "render"):
            step(verb, run, **variables)
        paths = [*sorted((run / "tables").iterdir()), run / "report" / "index.html"]
        made.append({path.relative_to(run): path.read_bytes() for path in paths})
    assert made[0] == made[1] and len(made[0]) > 10


def test_a_path_of_letters_that_the_locale_has_otherwise(locales: Path, tmp_path: Path) -> None:
    """The bytes of its name are right, but what would be written of it into the files of the run is not."""
    place = tmp_path / "Größe"
    place.mkdir()
    for words, cwd in ((("plan", str(place / "x.yaml")), None), (("status",), place)):
        done = isochron(*words, cwd=cwd, LC_ALL=NAMES[0], LOCPATH=str(locales))
        assert done.returncode == 2
        assert done.stderr.count(b"\n") == 1
        assert b"locale's encoding is iso8859-1; set LC_ALL=C.UTF-8" in done.stderr
    assert isochron("status", cwd=place, LC_ALL="C.UTF-8").returncode == 0


def test_a_home_that_is_not_there(tmp_path: Path) -> None:
    """Planning needs none; a run says what to set, before it begins."""
    path = campaign_file(tmp_path, processes=[2], site={})
    for home in (None, "/dev/null"):
        assert isochron("plan", str(path), HOME=home, XDG_CACHE_HOME=None).returncode == 0
    done = isochron("run", str(path), "--results", str(tmp_path / "results"), HOME="/dev/null", XDG_CACHE_HOME=None)
    assert done.returncode == 2
    said = b"isochron: /dev/null/.cache: the user's cache cannot be written: Not a directory; set XDG_CACHE_HOME"
    assert done.stderr.startswith(said) and done.stderr.count(b"\n") == 1


@pytest.mark.slow
def test_what_is_made_under_the_strictest_umask_is_the_users_alone(stored: Path, tmp_path: Path) -> None:
    run = tmp_path / "campaign" / "run"
    shutil.copytree(stored, run)
    shutil.rmtree(run / "store")
    done = isochron("report", str(run), umask=0o077)
    assert done.returncode == 0, done.stderr
    made = [*(run / "store").iterdir(), *(run / "tables").iterdir(), run / "report" / "index.html"]
    assert {path.stat().st_mode & 0o077 for path in made} == {0}
