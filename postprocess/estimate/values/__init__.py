# SPDX-License-Identifier: BSD-3-Clause
"""One value for each result, with interval, verdict and remeasurement."""
