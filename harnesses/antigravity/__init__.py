"""Antigravity: one customisation root for all packages."""

from tackroom.harnesses.antigravity.facts import FACTS
from tackroom.harnesses.contract import Harness, Writer


def _writer() -> Writer:
    from tackroom.harnesses.antigravity import writer

    return Writer(writer.WRITE)


HARNESS = Harness(FACTS, _writer)
