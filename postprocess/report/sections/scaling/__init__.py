# SPDX-License-Identifier: BSD-3-Clause
"""The section on scalability: departures from the models, times over processes, figures, curves and parameters."""
