# SPDX-License-Identifier: BSD-3-Clause
"""What a job takes from each scheduler, by its file and imitations of its commands."""
