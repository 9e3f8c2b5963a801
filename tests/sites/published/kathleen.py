# SPDX-License-Identifier: BSD-3-Clause
"""Kathleen (UCL): facts of `benchmarks/reframe_config.py` of github.com/ukri-excalibur/excalibur-tests, commit 8f763d5.

Grid Engine; slots are asked for by a resource of the partition; nodes of 2 x 20 cores, each library's own launcher.
"""

site_configuration = {
    "systems": [
        {
            "name": "kathleen",
            "hostnames": [r"login[0-9]+.kathleen.ucl.ac.uk"],
            "max_local_jobs": 1,
            "partitions": [
                {
                    "name": "compute-node",
                    "scheduler": "sge",
                    "launcher": "mpirun",
                    "environs": ["default"],
                    "max_jobs": 36,
                    "processor": {"num_cpus": 40, "num_cpus_per_core": 1, "num_sockets": 2, "num_cpus_per_socket": 20},
                    "resources": [
                        {"name": "mpi", "options": ["-pe mpi {num_slots}"]},
                        {"name": "hyperthreads", "options": ["-l threads=2"]},
                    ],
                },
            ],
        },
    ],
    "environments": [{"name": "default"}],
}
