# SPDX-License-Identifier: BSD-3-Clause
"""`weather.csv`: the weather in each launch, and its course for the figure; `regimes.csv`: rows that met another."""

from __future__ import annotations

from isochron.postprocess.machine.regimes import REGIME_COLUMNS, regime_table
from isochron.postprocess.machine.weather import COURSE_COLUMNS, WEATHER_COLUMNS, weather_course, weather_table
from isochron.postprocess.tables.declaration import Kept, Table

WEATHER = Table(
    name="weather",
    columns=WEATHER_COLUMNS,
    make=lambda bench: weather_table(
        bench.launches, bench.weather, bench.everything.groupby("launch_id")["invalid_disturbed"].sum()
    ),
    holds="the machine's weather in every launch, as read between the batches",
)
REGIMES = Table(
    name="regimes",
    columns=REGIME_COLUMNS,
    make=lambda bench: regime_table(bench.rows, bench.launches, bench.weather),
    holds="rows that a launch measured wholly in another regime of the machine than the other launches of its block",
)
WEATHER_COURSE = Kept(
    name="weather-course",
    columns=COURSE_COLUMNS,
    make=lambda bench: weather_course(bench.launches, bench.weather),
)
