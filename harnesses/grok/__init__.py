"""Grok Build: one tree for all packages, to be used as GROK_HOME."""

from tackroom.harnesses.contract import Harness, Writer
from tackroom.harnesses.grok.facts import FACTS


def _writer() -> Writer:
    from tackroom.harnesses.grok import writer

    return Writer(writer.WRITE)


HARNESS = Harness(FACTS, _writer)
