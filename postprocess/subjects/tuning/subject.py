# SPDX-License-Identifier: BSD-3-Clause
"""The rules that were proven in this run: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.tuning.finding import tuned

SUBJECT = Subject(findings=(tuned,))
