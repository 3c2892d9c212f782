"""Claude Code: one plugin a package."""

from tackroom.harnesses.claude.facts import FACTS
from tackroom.harnesses.contract import Harness, Writer


def _writer() -> Writer:
    from tackroom.harnesses.claude import writer

    return Writer(writer.WRITE, writer.package)


HARNESS = Harness(FACTS, _writer)
