# SPDX-License-Identifier: BSD-3-Clause
"""Programs that users run: built with each stack, and loaded with a witness that says where they ran."""
