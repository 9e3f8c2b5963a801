# SPDX-License-Identifier: BSD-3-Clause
"""Snakemake with one change, for file systems that refuse chmod.

usage: python -m isochron.compat.patched_snakemake OPTION…     (the options of `snakemake`)
"""

import sys

from isochron.compat.substitute import chmod_if_permitted, substitute

#: Modules in which Snakemake changes the modes of its own files.
WRITING_MODULES = ("snakemake.persistence.file", "snakemake.common")


def write_records_without_chmod() -> None:
    """Let Snakemake write its records and its copies of rule files on a file system that refuses chmod.

    Upstream: `snakemake/persistence/file.py`, `FilePersistence._io_write`, and `snakemake/common/__init__.py`,
    `LockFreeWritableFile.__exit__`. A refused chmod ends Snakemake, though the modes only widen access to files that
    it has just written.
    Verified with Snakemake 9.17.0 and 9.27.1. Superseded by docs/upstream/snakemake-record-modes.patch.
    """
    for module in WRITING_MODULES:
        substitute(module, "os", chmod=chmod_if_permitted)


def main() -> int | None:
    """Run Snakemake's command line; returns its exit code."""
    write_records_without_chmod()
    from snakemake.cli import main as snakemake_main

    code: int | None = snakemake_main()
    return code


if __name__ == "__main__":
    sys.exit(main())
