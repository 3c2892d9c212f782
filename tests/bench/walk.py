"""The bare walk: ``os.stat`` of every file of a list, whose paths count from the current folder."""

import os
import sys

with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123 - as little as can be done
    paths = file.read().split("\n")
stat = os.stat
for each in paths:
    stat(each)
