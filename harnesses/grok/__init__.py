"""Grok Build: one tree for all packages, to be used as GROK_HOME."""

from tackroom.harnesses.contract import Harness
from tackroom.harnesses.grok import writer
from tackroom.harnesses.grok.facts import FACTS

HARNESS = Harness(facts=FACTS, write=writer.WRITE)
