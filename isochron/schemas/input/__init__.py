# SPDX-License-Identifier: BSD-3-Clause
"""What a person writes: the campaign, the machine, the settings of a site."""
