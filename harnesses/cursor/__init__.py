"""Cursor: one plugin a package, and a marketplace that lists them."""

from tackroom.harnesses.contract import Harness, Writer
from tackroom.harnesses.cursor.facts import FACTS


def _writer() -> Writer:
    from tackroom.harnesses.cursor import manifest, writer

    return Writer(writer.WRITE, manifest.package, manifest.merge)


HARNESS = Harness(FACTS, _writer)
