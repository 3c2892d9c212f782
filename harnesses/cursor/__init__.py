"""Cursor: one plugin a package, and a marketplace that lists them."""

from tackroom.harnesses.contract import Harness
from tackroom.harnesses.cursor import manifest, writer
from tackroom.harnesses.cursor.facts import FACTS

HARNESS = Harness(facts=FACTS, write=writer.WRITE, package=manifest.package, merge=manifest.merge)
