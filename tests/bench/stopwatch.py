"""Run one command and write down what it cost: ``python -I -S stopwatch.py REPORT COMMAND...``.

A process of its own, which imports next to nothing: the peak memory that a system reports of a child is
never less than what its parent had when it started it, and the benchmark itself holds long lists.
"""

import os
import sys
import time


def main() -> None:
    """Write CPU seconds, seconds on the wall and peak memory in bytes, and end as the command ended."""
    report, *command = sys.argv[1:]
    start = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, used = os.wait4(child, 0)  # of exactly this process and what it waited for
    wall = time.perf_counter() - start
    unit = 1 if sys.platform == "darwin" else 1024
    with open(report, "w", encoding="ascii") as file:  # noqa: PTH123 - pathlib would be memory
        file.write(f"{used.ru_utime + used.ru_stime} {wall} {used.ru_maxrss * unit}")
    sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)


main()
