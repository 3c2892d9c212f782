"""Codex: one tree for all packages, to be used as CODEX_HOME."""

from tackroom.harnesses.codex.facts import FACTS
from tackroom.harnesses.contract import Harness, Writer


def _writer() -> Writer:
    from tackroom.harnesses.codex import writer

    return Writer(writer.WRITE)


HARNESS = Harness(FACTS, _writer)
