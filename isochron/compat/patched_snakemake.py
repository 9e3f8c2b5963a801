# SPDX-License-Identifier: BSD-3-Clause
"""Snakemake with changes: for file systems that refuse chmod, and for login nodes with little memory.

usage: python -m isochron.compat.patched_snakemake OPTION…     (the options of `snakemake`)
"""

import sys
from collections.abc import Sequence

from isochron.compat.substitute import chmod_if_permitted, leave_out, substitute

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


#: Modules that Snakemake imports in every call, where an ImportError is expected, and the options that need them.
UNUSED = {
    "snakemake.report": ("--report",),  # imports docutils
    "numpy": ("--report",),  # of the reader of profiles, yte
    "pulp": ("--scheduler",),  # that of the profile, greedy, needs none
}


def import_what_is_used(arguments: Sequence[str]) -> None:
    """Let Snakemake import less for a call with these options: a campaign that waits in a queue holds it in memory.

    Upstream: `ReportPluginRegistry.collect_plugins` of `snakemake_interface_report_plugins`, which imports the reporter
    that is part of Snakemake; `yte/value_handler.py`; `LpSolverCollection` in `snakemake/scheduling/milp.py`.
    Verified with Snakemake 9.17.0 and 9.27.1.
    """
    for module, options in UNUSED.items():
        if not any(argument.startswith(options) for argument in arguments):
            leave_out(module)


def main() -> int | None:
    """Run Snakemake's command line; returns its exit code."""
    write_records_without_chmod()
    from snakemake.cli import main as snakemake_main

    code: int | None = snakemake_main()
    return code


if __name__ == "__main__":
    sys.exit(main())
