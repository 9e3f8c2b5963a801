# SPDX-License-Identifier: BSD-3-Clause
"""The commands are tried on the small campaign of the workflows' tests."""

from tests.workflows.conftest import campaign_file

__all__ = ["campaign_file"]
