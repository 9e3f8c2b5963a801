# SPDX-License-Identifier: BSD-3-Clause
"""What pip and Spack do, and what they could not fetch, as read from their output."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.spack_envs import pip_output, spack_output

RECORDED = Path(__file__).parent / "recorded"

#: As pip 23.2.1 prints it, shortened.
PIP = "$ /opt/isochron/bin/python -m"
BEGUN = f"{PIP} venv /cache/a\n{PIP} pip install --require-hashes -r a.lock\n"
TCM = "Collecting tcmlib==1.4 (from -r a.lock (line 2))\n  Using cached tcmlib-1.4-py2.py3-none-any.whl (3.1 MB)\n"
MPI = (
    "Collecting impi-rt==2021.18.1 (from -r a.lock (line 4))\n"
    "  Downloading impi_rt-2021.18.1-py2.py3-none-any.whl (128.8 MB)\n"
)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("$ /opt/isochron/bin/python -m venv /cache/a\n", ("making a virtual environment for", "")),
        (BEGUN, ("asking the package index for the wheels of", "")),
        (BEGUN + TCM, ("downloading", "wheel 1 of 2: tcmlib 1.4")),
        (BEGUN + TCM + MPI, ("downloading", "wheel 2 of 2: impi-rt 2021.18.1, 128.8 MB")),
        (BEGUN + TCM + MPI + "Installing collected packages: impi-rt, tcmlib\n", ("installing", "")),
    ],
)
def test_pip_says_which_wheel_it_downloads(output: str, said: tuple[str, str]) -> None:
    assert pip_output.step(output, 2) == said


RETRYING = (
    "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('<…>: Failed to establish "
    "a new connection: [Errno -2] Name or service not known')': /simple/mpich/\n"
)
NOTHING = "ERROR: No matching distribution found for mpich==5.0.2"


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (RETRYING, "/simple/mpich/ of the package index cannot be fetched (Name or service not known)"),
        (
            f"Looking in indexes: https://pypi.site/simple\n{RETRYING}",
            "https://pypi.site/simple/mpich/ cannot be fetched (Name or service not known)",
        ),
        (
            "ConnectionError: HTTPSConnectionPool(host='files.site', port=443): Max retries exceeded with url: /a/"
            "b.whl (Caused by NewConnectionError('<…>: Failed: [Errno 111] Connection refused'))\n",
            "https://files.site/a/b.whl cannot be fetched (Connection refused)",
        ),
        (
            "  ERROR: HTTP error 404 while getting http://files.site/b.whl#sha256=aa (from http://files.site/simple/)\n",
            "http://files.site/b.whl cannot be fetched (error 404)",
        ),
        (
            "Could not fetch URL https://pypi.org/simple/mpich/: There was a problem confirming the ssl: …\n",
            "https://pypi.org/simple/mpich/ cannot be fetched",
        ),
    ],
)
def test_pip_names_the_address_first(output: str, said: str) -> None:
    assert pip_output.unreachable(output) == said
    assert pip_output.last_error(output + NOTHING) == f"{said}: {NOTHING}"


def test_an_address_that_pip_reached_is_not_blamed() -> None:
    assert pip_output.unreachable(BEGUN + TCM + MPI) == ""
    assert pip_output.last_error(f"Collecting mpich==5.0.2\n{NOTHING}\n") == NOTHING


def test_spack_says_which_package_it_builds_and_in_which_phase() -> None:
    """One step for each line of a real Spack; the package came from a mirror, without a network."""
    lines = (RECORDED / "spack-1.1.0-from-mirror.txt").read_text().splitlines()
    steps = list(dict.fromkeys(spack_output.step(lines[:end]) for end in range(len(lines) + 1)))
    archive = "_source-cache/archive/ee/ee3a80353765d2e63addb699acb52530beb0408e67879724eea345196c0ca957.tar.gz"
    package = "package 6 of 6: tinyauto 1.0"
    assert steps == [
        "choosing packages",
        package,
        f"{package}, fetching file:///shared/mirror/{archive}",
        f"{package}, autoreconf",
        f"{package}, configure",
        f"{package}, build",
        f"{package}, install",
    ]
    assert spack_output.not_fetched(lines) == ""


def test_spack_says_why_a_build_failed() -> None:
    lines = (RECORDED / "spack-1.1.0-make-failed.txt").read_text().splitlines()
    (reason,) = spack_output.errors(lines)
    assert reason.startswith("no launchers in /home/me/.cache/isochron/spack/spack-mpich-4.0/engine-43fa8280bc49/")
    assert reason.endswith("/objects/rank_variables.def] Error 1")
    assert ": make: *** [Makefile:81: /tmp/spack/stage/" in reason


@pytest.mark.parametrize(
    ("spec", "lines", "reason"),
    [
        (
            "spack:openmpi@9.9",
            "==> Error: Version requirement 9.9 on mpi for openmpi cannot match any known version from package.py or "
            "externals\n",
            "Version requirement 9.9 on mpi for openmpi cannot match any known version from package.py or externals",
        ),
        (
            "spack:mpich@4.0 device=ch9",
            "==> Error: cannot emit requirements for the solver: invalid values for variant 'device' in package mpich: "
            "'ch9'\n",
            "cannot emit requirements for the solver: invalid values for variant 'device' in package mpich: 'ch9'",
        ),
        (
            "spack:mpich@4.2.3",
            "==> Error: failed to concretize `isochron-engine`, `mpi` for the following reasons:\n"
            "     1. Cannot build mpich, since it is configured `buildable:false` and no externals fit\n",
            "failed to concretize `isochron-engine`, `mpi` for the following reasons: 1. Cannot build mpich, since it "
            "is configured `buildable:false` and no externals fit",
        ),
    ],
)
def test_what_spack_refuses_is_its_message(spec: str, lines: str, reason: str) -> None:
    """As Spack 1.1.0 with packages v2025.11.0 prints it for a stack."""
    assert spack_output.errors(lines.splitlines()) == [reason], spec


def test_spack_says_what_it_takes_from_a_binary_cache() -> None:
    """It prints the number of the package when that is installed."""
    lines = (RECORDED / "spack-1.1.0-from-binaries.txt").read_text().splitlines()
    steps = list(dict.fromkeys(spack_output.step(lines[:end]) for end in range(len(lines) + 1)))
    assert "tinyauto 1.0, from the binary cache" in steps
    assert steps[-1] == "package 6 of 6: tinyauto 1.0"
    assert all("blobs" not in step or step.startswith(("package", "fetching")) for step in steps), steps


def test_spack_names_the_addresses_first() -> None:
    lines = (RECORDED / "spack-1.1.0-fetch-failed.txt").read_text().splitlines()
    archive = "_source-cache/archive/9a/9a93b2b7dfdac77ceba5a558a580e74667dd6fede4585b91eefb60f03b72df23.tar.gz"
    assert spack_output.not_fetched(lines) == (
        f"https://mirror.spack.io/{archive} (Name or service not known) and http://zlib.net/fossils/zlib-1.3.1.tar.gz "
        "(Name or service not known) cannot be fetched for zlib 1.3.1; give a mirror (docs/spack.md, Without a network)"
    )
