"""OpenCode: one tree for all packages, read as a configuration folder."""

from tackroom.harnesses.contract import Harness, Writer
from tackroom.harnesses.opencode.facts import FACTS


def _writer() -> Writer:
    from tackroom.harnesses.opencode import writer

    return Writer(writer.WRITE)


HARNESS = Harness(FACTS, _writer)
