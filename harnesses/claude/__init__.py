"""Claude Code: one plugin a package."""

from tackroom.harnesses.claude import writer
from tackroom.harnesses.claude.facts import FACTS
from tackroom.harnesses.contract import Harness

HARNESS = Harness(facts=FACTS, write=writer.WRITE, package=writer.package)
