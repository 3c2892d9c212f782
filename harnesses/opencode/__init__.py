"""OpenCode: one tree for all packages, read as a configuration folder."""

from tackroom.harnesses.contract import Harness
from tackroom.harnesses.opencode import writer
from tackroom.harnesses.opencode.facts import FACTS

HARNESS = Harness(facts=FACTS, write=writer.WRITE)
