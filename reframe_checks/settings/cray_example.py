# SPDX-License-Identifier: BSD-3-Clause
"""Example ReFrame settings for a Cray EX with Slurm: copy, and change what is marked `yours`.

cray-mpich is a stack of the site: a module, or an external of Spack; `srun` starts it with the plug-in of the machine.
docs/how-to/begin-at-your-site.md shows them with a campaign.
"""

site_configuration = {
    "systems": [
        {
            "name": "cray_example",
            "descr": "a Cray EX with Slurm",
            "hostnames": [".*"],
            "modules_system": "nomod",
            "partitions": [
                {
                    "name": "compute",
                    "scheduler": "slurm",
                    "launcher": "srun",
                    "access": ["--constraint=cpu", "--account=my-project"],  # yours
                    "environs": ["stack"],
                    "max_jobs": 8,
                    "processor": {"num_cpus": 64},  # yours
                    "sched_options": {"use_nodes_option": True},
                    "env_vars": [["MPICH_OFI_NIC_POLICY", "NUMA"]],  # yours
                },
            ],
        }
    ],
    # The compilers and libraries are those of the stacks.
    "environments": [{"name": "stack", "target_systems": ["cray_example"]}],
    "logging": [{"handlers": [{"type": "file", "name": "reframe.log", "level": "debug", "append": False}]}],
}
