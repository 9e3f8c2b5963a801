# SPDX-License-Identifier: BSD-3-Clause
"""Dashboards: whole by themselves. Their queries meet real services in test_postgresql.py and test_prometheus.py."""

from __future__ import annotations

import json

import pytest

from isochron.cli.main import main
from isochron.workflows.push.dashboards import DASHBOARDS, dashboard
from tests.workflows.push.dashboards import VALUES, document, used


@pytest.mark.parametrize("name", DASHBOARDS)
def test_a_dashboard_defines_what_it_uses_and_shows_each_panel_in_its_place(name: str) -> None:
    board = document(name)
    variables = [variable["name"] for variable in board["templating"]["list"]]
    assert used(json.dumps(board)) == set(variables)
    assert set(variables) - {"datasource"} <= set(VALUES)
    for index, variable in enumerate(board["templating"]["list"]):  # Grafana asks for them in this order
        assert used(json.dumps(variable)) <= set(variables[:index])
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"]) > 5
    places = set()
    for panel in board["panels"]:
        place = panel["gridPos"]
        fields = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not fields & places
        places |= fields
    assert max(x for x, _ in places) == 23


def test_a_dashboard_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["push", "--dashboard", "prometheus"]) == 0
    assert capsys.readouterr().out == dashboard("prometheus")
