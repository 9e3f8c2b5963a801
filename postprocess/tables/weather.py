# SPDX-License-Identifier: BSD-3-Clause
"""`weather.csv`: the machine's weather in each launch; and its course, for the figure."""

from __future__ import annotations

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
WEATHER_COURSE = Kept(
    name="weather-course",
    columns=COURSE_COLUMNS,
    make=lambda bench: weather_course(bench.launches, bench.weather),
)
