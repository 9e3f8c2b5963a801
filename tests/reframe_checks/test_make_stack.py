# SPDX-License-Identifier: BSD-3-Clause
"""Building an engine with a stack, and refusing one that is not what the stack declares.

The MPI library here is a file of two lines, compiled on the spot.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from isochron.common import orphans
from isochron.common.documents import yaml_text
from isochron.common.files import FileError
from isochron.common.hashing import sha256
from isochron.common.sealed import write_sealed
from isochron.reframe_checks import make_stack
from isochron.reframe_checks.__main__ import main
from isochron.reframe_checks.make_stack import build_stack, build_with
from isochron.reframe_checks.stack import engine_cache
from isochron.reframe_checks.stack.inspection import inspect_engine
from isochron.schemas.input.variant import Variant
from isochron.schemas.run.manifest import Environment, Launcher, Manifest, StackDeclaration, Toolchain
from isochron.schemas.run.plan import Plan
from isochron.spack_envs import stack_source
from isochron.spack_envs.tell import Tell
from isochron.spack_envs.toolchain import applied, sanitised
from tests.reframe_checks.conftest import FakeRun

pytestmark = pytest.mark.process

ENGINE = """
#include <stdio.h>
#include <string.h>
const char *library(void);
int main(int count, char **words)
{
    if (count > 1 && strcmp(words[1], "--check-options") == 0)
        return 0;
    if (count != 2 || strcmp(words[1], "--version") != 0)
        return 2;
    printf("isochron-engine 0.1.0\\nmpi-library: %s\\nmpi-standard: 3.1\\ncompiler: gcc 12.2.0\\n", library());
    return 0;
}
"""
MAKEFILE = """
$(BUILD)/isochron-engine: main.c
\tmkdir -p $(BUILD)
\t$(CC) $(CFLAGS) -o $@ main.c
"""


def make_library(prefix: Path, version: str = "1.2.3") -> Path:
    """`prefix` with lib/libmpi.so.1 and bin/mpicc."""
    for folder in ("lib", "bin"):
        (prefix / folder).mkdir(parents=True)
    source = prefix / "mpi.c"
    source.write_text(f'const char *library(void) {{ return "Fake MPI v{version}, for tests"; }}\n')
    library = prefix / "lib" / "libmpi.so.1"
    command = ["gcc", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.1", "-o", str(library), str(source)]
    subprocess.run(command, check=True)
    (prefix / "lib" / "libmpi.so").symlink_to(library)
    write_wrapper(prefix / "bin" / "mpicc", prefix / "lib")
    return prefix


def write_wrapper(path: Path, library: Path, linked: str = "-lmpi") -> None:
    flags = f"-L'{library}' -Wl,-rpath,'{library}' -Wl,--enable-new-dtags"
    path.write_text(f'#!/bin/sh\nexec gcc "$@" {flags} {linked}\n')
    path.chmod(0o755)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of engines of the test's own."""
    monkeypatch.setattr(engine_cache, "default_cache", lambda: tmp_path / "engines")
    return tmp_path / "engines"


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    return make_library(tmp_path / "mpi")


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "engine"
    folder.mkdir()
    (folder / "main.c").write_text(ENGINE)
    (folder / "Makefile").write_text(MAKEFILE)
    return folder


def toolchain(prefix: Path, version: str = "1.2") -> Toolchain:
    launcher = Launcher(argv=[f"{prefix}/bin/mpiexec"])
    declaration = StackDeclaration(
        stack="fake-1",
        mpi_library="Fake MPI",
        library_version=r"Fake MPI v(\d+\.\d+\.\d+)",
        version=version,
        launcher=launcher,
    )
    return Toolchain(
        declaration=declaration,
        stack_source="wheels",
        prefix=str(prefix),
        cc=str(prefix / "bin" / "mpicc"),
        launcher=launcher,
        environment=sanitised(Environment()),
        provenance={"fake": "1.2.3"},
    )


def build(run: FakeRun, tools: Toolchain, sources: Path) -> Manifest:
    run.layout.manifest("fake-1").unlink(missing_ok=True)
    folder = run.layout.logs / "reframe" / "build-fake-1"
    return build_with(tools, run.layout, run.campaign, folder=folder, sources=sources)


def refused(run: FakeRun, tools: Toolchain, sources: Path, message: str) -> None:
    with pytest.raises(FileError, match=f"^stack fake-1: (?!.*stack fake-1).*{message}"):
        build(run, tools, sources)
    assert not run.layout.manifest("fake-1").exists()
    assert not (run.layout.manifest("fake-1").parent / "fake-1" / "isochron-engine").exists()


def found_out(tools: Toolchain, sources: Path, message: str) -> None:
    """The same of the inspection alone, without the call of ReFrame that has it done."""
    make = ["make", "-s", "-C", str(sources), f"CC={tools.cc}", "BUILD=out"]
    subprocess.run(make, env=applied(tools.environment, os.environ), check=True)
    with pytest.raises(FileError, match=f"^stack fake-1: (?!.*stack fake-1).*{message}"):
        inspect_engine(sources / "out" / "isochron-engine", tools)


def test_a_good_build_leaves_engine_and_manifest(fake_run: FakeRun, prefix: Path, sources: Path) -> None:
    manifest = build(fake_run, toolchain(prefix), sources)
    assert manifest == Manifest.load(fake_run.layout.manifest("fake-1"))
    assert manifest.engine == str(fake_run.layout.root / "stacks" / "fake-1" / "isochron-engine")
    assert manifest.engine_sha256 == sha256(Path(manifest.engine))
    assert manifest.linked_libraries == [str(prefix / "lib" / "libmpi.so.1")]
    assert (manifest.mpi_version, manifest.mpi_library_version) == ("1.2.3", "Fake MPI v1.2.3, for tests")
    assert (manifest.engine_version, manifest.compiler, manifest.stack_source) == ("0.1.0", "gcc 12.2.0", "wheels")
    assert not (sources / "isochron-build").exists()


def test_a_variant_has_the_engine_of_its_stack_and_variables_of_its_own(
    fake_run: FakeRun, prefix: Path, sources: Path
) -> None:
    first = build(fake_run, toolchain(prefix), sources)
    folder = fake_run.layout.logs / "reframe" / "build-tuned"
    tuned = toolchain(prefix).under("tuned", {"LD_PRELOAD": "", "TUNED": "1"})
    manifest = build_with(tuned, fake_run.layout, fake_run.campaign, folder=folder, sources=sources)
    assert manifest == Manifest.load(fake_run.layout.manifest("tuned"))
    assert (manifest.stack, manifest.variant_of, first.variant_of) == ("tuned", "fake-1", "")
    assert manifest.environment.set == {**first.environment.set, "LD_PRELOAD": "", "TUNED": "1"}
    assert (manifest.engine_sha256, manifest.engine_key) == (first.engine_sha256, first.engine_key)
    assert manifest.engine == str(fake_run.layout.engine("tuned"))


def test_another_version_than_declared_is_refused(fake_run: FakeRun, prefix: Path, sources: Path) -> None:
    message = "declares Fake MPI 1.3, but the engine loads 'Fake MPI v1.2.3, for tests'; correct the stack's lock"
    refused(fake_run, toolchain(prefix, "1.3"), sources, message)


def test_a_stack_by_spec_is_that_of_the_runs_plan(fake_run: FakeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the package index has when it is built: a run that continues measures the same library."""
    seen = {}
    steps = []

    def resolve(declaration: StackDeclaration, lock: Path, tell: Tell) -> Toolchain:
        seen[declaration.stack] = lock.read_text()
        tell("downloading", "wheel 1 of 2: mpich 4.3.2")
        steps.append(layout.build_step("old").read_text())
        raise FileError("far enough")

    monkeypatch.setattr(make_stack.wheels, "resolve", resolve)
    by_spec = {"stacks": ["old"], "variants": {"old": Variant(stack="mpich@4.*")}, "stack_source": "wheels"}
    layout, specs = fake_run.layout, fake_run.campaign.model_copy(update=by_spec)
    write_sealed(layout.campaign, yaml_text(specs.model_dump(mode="json", by_alias=True, exclude_none=True), []))
    with pytest.raises(FileError, match=r"plan\.json: locks: has no mpich@4\.\*; start a new run with --new"):
        build_stack(layout.root, "old")
    Plan.load(layout.plan).model_copy(update={"locks": {"mpich@4.*": "mpich==4.3.2\n"}}).save_sealed(layout.plan)
    with pytest.raises(FileError, match="far enough"):
        build_stack(layout.root, "old")
    assert seen == {"mpich@4.*": "mpich==4.3.2\n"}
    assert layout.wheels_lock("old").read_text() == "mpich==4.3.2\n"
    assert steps == ["downloading old (wheel 1 of 2: mpich 4.3.2)\n"], "the step that the progress of the run shows"
    assert not layout.build_step("old").exists()


def test_a_longer_number_is_another_version(tmp_path: Path, sources: Path) -> None:
    found_out(toolchain(make_library(tmp_path / "new", "1.20.3")), sources, r"declares Fake MPI 1\.2, but")


def test_a_library_from_elsewhere_is_refused(prefix: Path, tmp_path: Path, sources: Path) -> None:
    other = make_library(tmp_path / "other")
    write_wrapper(prefix / "bin" / "mpicc", other / "lib")
    found_out(toolchain(prefix), sources, r"below .*/mpi, but the engine loads libmpi\.so\.1 from .*/other/lib")


def test_a_library_that_is_not_found_is_refused(prefix: Path, sources: Path) -> None:
    write_wrapper(prefix / "bin" / "mpicc", prefix / "lib", "-lmpi -Wl,-rpath,/nowhere")
    wrapper = prefix / "bin" / "mpicc"
    wrapper.write_text(wrapper.read_text().replace(f"-Wl,-rpath,'{prefix}/lib'", ""))
    found_out(toolchain(prefix), sources, r"loads libmpi\.so\.1 from not found")


def test_an_engine_without_mpi_is_refused(prefix: Path, sources: Path) -> None:
    write_wrapper(prefix / "bin" / "mpicc", prefix / "lib", "")
    (sources / "main.c").write_text(ENGINE.replace("library(void);", 'library(void) { return "Fake MPI v1.2.3"; }'))
    found_out(toolchain(prefix), sources, r"not linked with libmpi\.so")


def test_a_library_path_of_another_stack_does_not_reach_in(
    fake_run: FakeRun, prefix: Path, tmp_path: Path, sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_library(tmp_path / "other", "9.9.9")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(other / "lib"))
    monkeypatch.setenv("LIBRARY_PATH", str(other / "lib"))
    assert build(fake_run, toolchain(prefix), sources).mpi_version == "1.2.3"


def test_what_lies_in_the_source_tree_is_not_taken_for_built(fake_run: FakeRun, prefix: Path, sources: Path) -> None:
    for folder in ("build", "isochron-build"):
        (sources / folder).mkdir()
        stale = sources / folder / "isochron-engine"
        stale.write_text("#!/bin/sh\nexit 0\n")
        stale.chmod(0o755)
    assert build(fake_run, toolchain(prefix), sources).mpi_version == "1.2.3"


def test_a_compile_error_is_quoted_and_names_the_log(fake_run: FakeRun, prefix: Path, sources: Path) -> None:
    (sources / "main.c").write_text("int main(void) { return missing; }\n")
    message = r"main\.c:1:25: error: .missing. undeclared .*full output: .*reframe\.out"
    refused(fake_run, toolchain(prefix), sources, message)
    assert fake_run.layout.build_step("fake-1").read_text() == "compiling the engine for fake-1\n"


def test_a_built_stack_is_not_built_again_until_its_engine_changes(
    fake_run: FakeRun, prefix: Path, sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make_stack, "load_declaration", lambda _: toolchain(prefix).declaration)
    monkeypatch.setattr(make_stack.wheels, "resolve", lambda _, **_options: toolchain(prefix))
    monkeypatch.setattr(make_stack.build_with, "__kwdefaults__", {"sources": sources})
    fake_run.layout.manifest("fake-1").unlink()
    first = build_stack(fake_run.layout.root, "fake-1")
    changed = fake_run.layout.manifest("fake-1").stat().st_mtime_ns
    assert build_stack(fake_run.layout.root, "fake-1") == first
    assert fake_run.layout.manifest("fake-1").stat().st_mtime_ns == changed
    Path(first.engine).write_text("exchanged")
    assert build_stack(fake_run.layout.root, "fake-1").engine_sha256 == sha256(Path(first.engine))
    assert orphans.find(str(fake_run.layout.logs / "reframe" / "build-fake-1")) == []


@pytest.mark.parametrize(
    ("stack", "source", "message"),
    [
        ("fake-2", "auto", "unknown stack 'fake-2'; the stacks are cray-mpich"),
        ("mpich-5.0", "spack", "stack_source: spack: Spack was not found"),
        ("mvapich", "wheels", "stack mvapich: "),
    ],
)
def test_what_cannot_be_built_is_one_line(
    fake_run: FakeRun,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    stack: str,
    source: str,
    message: str,
) -> None:
    monkeypatch.setattr(stack_source, "find_spack", lambda *_: None)
    text = fake_run.layout.campaign.read_text().replace("stack_source: auto", f"stack_source: {source}")
    fake_run.layout.campaign.write_text(text)
    assert main(["build", str(fake_run.layout.root), stack]) == 1
    said = capsys.readouterr().err
    assert said.startswith(message)
    assert len(said.splitlines()) == 1
