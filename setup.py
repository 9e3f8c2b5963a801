# SPDX-License-Identifier: BSD-3-Clause
"""The build of the wheel begins with nothing: setuptools takes along what an earlier one left in build/lib.

All else is in pyproject.toml.
"""

from __future__ import annotations

import shutil

from setuptools import setup
from setuptools.command.build import build


class FreshBuild(build):
    """`build`, after what lies in its folder is removed."""

    def run(self) -> None:
        """Remove, then build."""
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


setup(cmdclass={"build": FreshBuild})
