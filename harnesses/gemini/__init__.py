"""Gemini CLI: one extension a package."""

from tackroom.harnesses.contract import Harness, Writer
from tackroom.harnesses.gemini.facts import FACTS


def _writer() -> Writer:
    from tackroom.harnesses.gemini import extension, writer

    return Writer(writer.WRITE, extension.package)


HARNESS = Harness(FACTS, _writer)
