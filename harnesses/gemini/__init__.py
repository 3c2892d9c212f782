"""Gemini CLI: one extension a package."""

from tackroom.harnesses.contract import Harness
from tackroom.harnesses.gemini import extension, writer
from tackroom.harnesses.gemini.facts import FACTS

HARNESS = Harness(facts=FACTS, write=writer.WRITE, package=extension.package)
