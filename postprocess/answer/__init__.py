# SPDX-License-Identifier: BSD-3-Clause
"""What a director asks: what does the newer version bring, and can this run be trusted?"""
