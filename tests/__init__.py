"""All tests; and how many things at a time those that compile do: beside other tests one."""

import os

JOBS = "1" if "PYTEST_XDIST_WORKER" in os.environ else str(os.cpu_count() or 2)
