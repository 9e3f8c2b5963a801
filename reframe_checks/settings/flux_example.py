# SPDX-License-Identifier: BSD-3-Clause
"""Example ReFrame settings for a Flux cluster: copy, and change names, access and cores to your site's.

ReFrame needs the Python bindings of Flux in its environment, and is started in a Flux instance.
docs/how-to/run-under-a-scheduler.md says what Isochron takes from them.
"""

from importlib.util import find_spec

#: `flux` can be named only where its bindings are installed; inside an instance `local` does as well.
SCHEDULER = "flux" if find_spec("flux") else "local"

site_configuration = {
    "systems": [
        {
            "name": "flux_example",
            "descr": "a Flux cluster",
            "hostnames": [".*"],
            "modules_system": "nomod",
            "partitions": [
                {
                    "name": "compute",
                    # With the bindings of Flux: "flux".
                    "scheduler": SCHEDULER,
                    "launcher": "mpiexec",
                    "access": [],
                    "environs": ["stack"],
                    "max_jobs": 8,
                    "processor": {"num_cpus": 48},
                },
            ],
        }
    ],
    # The compilers and libraries are those of the stacks.
    "environments": [{"name": "stack", "target_systems": ["flux_example"]}],
    "logging": [{"handlers": [{"type": "file", "name": "reframe.log", "level": "debug", "append": False}]}],
}
