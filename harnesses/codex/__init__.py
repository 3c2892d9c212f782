"""Codex: one tree for all packages, to be used as CODEX_HOME."""

from tackroom.harnesses.codex import writer
from tackroom.harnesses.codex.facts import FACTS
from tackroom.harnesses.contract import Harness

HARNESS = Harness(facts=FACTS, write=writer.WRITE)
