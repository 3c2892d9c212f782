"""Antigravity: one customisation root for all packages."""

from tackroom.harnesses.antigravity import writer
from tackroom.harnesses.antigravity.facts import FACTS
from tackroom.harnesses.contract import Harness

HARNESS = Harness(facts=FACTS, write=writer.WRITE)
