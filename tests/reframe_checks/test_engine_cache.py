# SPDX-License-Identifier: BSD-3-Clause
"""The cache of engines: what is built once is used again, and nothing else is; what is damaged is built anew."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from isochron.common.cache import SHARED
from isochron.common.files import FileError
from isochron.common.hashing import sha256
from isochron.reframe_checks import make_stack
from isochron.reframe_checks.stack import engine_cache
from isochron.reframe_checks.stack.engine_cache import KEEP_DAYS, Entry, held, key_of, key_parts
from isochron.schemas.run.manifest import REBUILD, Environment, Manifest, Toolchain
from tests.reframe_checks.conftest import FakeRun
from tests.reframe_checks.test_make_stack import build, cache, make_library, prefix, sources, toolchain

__all__ = ["cache", "prefix", "sources"]

PARTS = {"sources": "1"}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The calls of ReFrame. What a make that called us would hand down reaches no build."""
    made: list[str] = []
    real = make_stack.run_reframe

    def counted(check: str, *words: object, **named: object) -> object:
        made.append(check)
        return real(check, *words, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(make_stack, "run_reframe", counted)
    monkeypatch.setenv("MAKEFLAGS", " -- CFLAGS=-fno-such-option")
    return made


def entry_of(cache: Path) -> Path:
    (found,) = cache.glob("*/entry.json")
    return found.parent


def test_the_second_build_is_the_first_one(
    fake_run: FakeRun, tmp_path: Path, prefix: Path, sources: Path, calls: list[str]
) -> None:
    first = build(fake_run, toolchain(prefix), sources)
    (tmp_path / "other").mkdir()
    other = FakeRun(tmp_path / "other")
    second = build(other, toolchain(prefix), sources)
    assert calls == ["build"]
    assert second.engine == str(other.layout.engine("fake-1")) and sha256(Path(second.engine)) == first.engine_sha256
    assert second.model_copy(update={"engine": first.engine}) == first
    assert len(first.engine_key) == 64
    assert second == Manifest.load(other.layout.manifest("fake-1"))


def test_rebuild_ignores_what_is_stored_and_replaces_it(
    fake_run: FakeRun, prefix: Path, sources: Path, cache: Path, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    build(fake_run, toolchain(prefix), sources)
    before = (entry_of(cache) / "entry.json").stat().st_ino
    monkeypatch.setenv(REBUILD, "1")
    build(fake_run, toolchain(prefix), sources)
    assert calls == ["build", "build"]
    assert (entry_of(cache) / "entry.json").stat().st_ino != before


def test_a_damaged_engine_is_built_anew(
    fake_run: FakeRun, prefix: Path, sources: Path, cache: Path, calls: list[str]
) -> None:
    first = build(fake_run, toolchain(prefix), sources)
    engine = entry_of(cache) / "isochron-engine"
    engine.write_bytes(engine.read_bytes()[:-7])
    again = build(fake_run, toolchain(prefix), sources)
    assert calls == ["build", "build"]
    assert sha256(Path(again.engine)) == again.engine_sha256 == sha256(engine)
    assert again.mpi_version == first.mpi_version


def test_another_library_under_the_same_name_is_built_anew(
    fake_run: FakeRun, tmp_path: Path, prefix: Path, sources: Path, calls: list[str]
) -> None:
    first = build(fake_run, toolchain(prefix), sources)
    other = make_library(tmp_path / "newer", "1.2.4")
    (other / "lib" / "libmpi.so.1").replace(prefix / "lib" / "libmpi.so.1")
    again = build(fake_run, toolchain(prefix), sources)
    assert calls == ["build", "build"]
    assert (first.mpi_version, again.mpi_version) == ("1.2.3", "1.2.4")
    assert again.library_sha256 != first.library_sha256


def test_with_a_sites_own_configuration_nothing_is_taken_from_the_cache(
    fake_run: FakeRun, prefix: Path, sources: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What its modules do to the compiler is not seen from outside."""
    asked: list[object] = []
    real = engine_cache.held

    def noted(parts: dict[str, object] | None) -> object:
        asked.append(parts)
        return real(parts)

    monkeypatch.setattr(engine_cache, "held", noted)
    site = fake_run.campaign.site.model_copy(update={"reframe_config": str(make_stack.HERE / "settings" / "local.py")})
    fake_run.campaign = fake_run.campaign.model_copy(update={"site": site})
    assert build(fake_run, toolchain(prefix), sources).engine_key == ""
    assert asked == [None] and not cache.exists()


def set_flag(_tools: Toolchain, _sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CFLAGS", "-O3")


def edit_a_source(_tools: Toolchain, sources: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    (sources / "main.c").write_text((sources / "main.c").read_text() + "\n")


def rename_a_source(_tools: Toolchain, sources: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    (sources / "main.c").rename(sources / "other.c")


def edit_the_header(tools: Toolchain, _sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = Path(tools.prefix) / "include" / "mpi.h"
    header.parent.mkdir()
    header.write_text("#define MPI_VERSION 4\nint version = MPI_VERSION;\n")
    Path(tools.cc).write_text(Path(tools.cc).read_text().replace('"$@"', f'"$@" -I{header.parent}'))


def link_something_else(tools: Toolchain, _sources: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    Path(tools.cc).write_text(Path(tools.cc).read_text().replace("-lmpi", "-lmpi -lm"))


def another_compiler(tools: Toolchain, _sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wrapper is the same, and the compiler that it finds says that it is a newer one."""
    folder = Path(tools.prefix) / "newer"
    folder.mkdir()
    (folder / "gcc").write_text('#!/bin/sh\n/usr/bin/gcc "$@"\necho "gcc version 99" >&2\n')
    (folder / "gcc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


CHANGES = [set_flag, edit_a_source, rename_a_source, edit_the_header, link_something_else, another_compiler]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_decides_about_an_engine_is_in_its_key(
    prefix: Path, sources: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[..., None]
) -> None:
    tools = toolchain(prefix)
    parts = key_parts(tools, sources)
    assert parts is not None and key_parts(tools, sources) == parts
    change(tools, sources, monkeypatch)
    changed = key_parts(tools, sources)
    assert changed is not None and key_of(changed) != key_of(parts)


def test_environment_flags_and_provenance_are_in_the_key(prefix: Path, sources: Path) -> None:
    tools = toolchain(prefix)
    newer = tools.model_copy(update={"provenance": {"fake": "1.2.4"}})
    other = tools.model_copy(update={"environment": Environment(set={"GCC_COLORS": "1"})})
    found = [
        key_parts(tools, sources),
        key_parts(newer, sources),
        key_parts(other, sources),
        key_parts(tools, sources, ["A=1"]),
    ]
    assert len({key_of(parts) for parts in found if parts is not None}) == 4


def test_what_is_no_part_of_an_engine_is_not_in_its_key(
    prefix: Path, sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests, leavings of builds, the candle; a simulated stack's machine and collectives; an outer make."""
    simulated = toolchain(prefix).model_copy(update={"stack_source": "simulated"})
    before = key_parts(simulated, sources)
    for name in ("tests", "build", "src/candle"):
        (sources / name).mkdir(parents=True)
        (sources / name / "x.c").write_text("")
    monkeypatch.setenv("MAKEFLAGS", "w")
    assert key_parts(simulated.model_copy(update={"provenance": {"simulation": "bxj"}}), sources) == before


def test_without_a_compiler_nothing_is_remembered(prefix: Path, sources: Path, cache: Path) -> None:
    Path(toolchain(prefix).cc).unlink()
    assert key_parts(toolchain(prefix), sources) is None
    with held(None) as entry:
        assert entry is None


def stored(tmp_path: Path, cache: Path) -> Entry:
    engine = tmp_path / "built"
    engine.write_text("an engine")
    with held(PARTS, cache) as entry:
        assert entry is not None and entry.load() is None
        entry.store(engine, {}, "2026-05-04T08:00:00Z")
        assert entry.load() is not None
    return entry


def other_key(entry: Entry) -> None:
    record = entry.folder / "entry.json"
    record.write_text(record.read_text().replace(entry.key, "0" * 64))


def half_a_record(entry: Entry) -> None:
    record = entry.folder / "entry.json"
    record.write_text(record.read_text()[:40])


SPOILT: dict[str, Callable[[Entry], object]] = {
    "engine gone": lambda entry: entry.engine.unlink(),
    "engine truncated": lambda entry: entry.engine.write_text("an eng"),
    "engine changed": lambda entry: entry.engine.write_text("an enginE"),
    "record gone": lambda entry: (entry.folder / "entry.json").unlink(),
    "record cut": half_a_record,
    "record of another": other_key,
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT.keys())
def test_an_entry_that_is_not_what_was_stored_is_none(
    tmp_path: Path, cache: Path, spoil: Callable[[Entry], object]
) -> None:
    entry = stored(tmp_path, cache)
    spoil(entry)
    assert entry.load() is None
    stored_again = stored(tmp_path, cache)
    assert stored_again.load() is not None


def test_an_engine_that_others_could_have_put_there_is_not_used(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.umask(0)
    try:
        entry = stored(tmp_path, cache)
        assert entry.load() is not None, "what we store ourselves is our own, whatever the umask"
    finally:
        os.umask(before)
    entry.engine.chmod(0o757)
    assert entry.load() is None
    cache.chmod(0o777)
    with pytest.raises(FileError, match=f"{cache}: can be written by everybody"), held(PARTS, cache):
        pass
    monkeypatch.setenv(SHARED, "yes")
    with held(PARTS, cache) as shared:
        assert shared is not None and shared.load() is not None


def test_two_that_need_the_same_engine_build_it_once(tmp_path: Path, cache: Path) -> None:
    engine = tmp_path / "built"
    engine.write_text("an engine")
    built: list[int] = []

    def obtain() -> None:
        with held(PARTS, cache) as entry:
            assert entry is not None
            if entry.load() is None:
                time.sleep(0.1)
                built.append(1)
                entry.store(engine, {}, "2026-05-04T08:00:00Z")

    threads = [threading.Thread(target=obtain) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert built == [1]
    assert sorted(path.suffix for path in cache.iterdir()) == ["", ".lock"], "no partial entry is left"


def test_a_cache_that_cannot_be_written_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with held(PARTS, tmp_path / "file" / "engines") as entry:
        assert entry is None


def test_what_nobody_uses_is_thrown_away(tmp_path: Path, cache: Path) -> None:
    old = stored(tmp_path, cache)
    long_ago = time.time() - (KEEP_DAYS + 1) * 86400
    os.utime(old.folder / "entry.json", (long_ago, long_ago))
    with held({"sources": "2"}, cache) as entry:
        assert entry is not None
        entry.store(tmp_path / "built", {}, "2026-05-04T08:00:00Z")
    assert not old.folder.exists() and entry.folder.exists()
