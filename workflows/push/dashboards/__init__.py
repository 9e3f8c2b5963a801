# SPDX-License-Identifier: BSD-3-Clause
"""Dashboards for Grafana: of the rows of PostgreSQL, and of the metrics."""

from pathlib import Path

from isochron.common.files import read_text

DASHBOARDS = ("postgresql", "prometheus")


def dashboard(name: str) -> str:
    """Return a dashboard as JSON: one of DASHBOARDS."""
    return read_text(Path(__file__).with_name(f"{name}.json"), "it is part of Isochron: install it again")
