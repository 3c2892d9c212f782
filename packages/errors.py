"""What stops a run: a mistake in what the user wrote or asked for, or a package that cannot be had."""

from __future__ import annotations

from tackroom.packages.findings import visible


class TackroomError(Exception):
    """One line for the user: lower case, the offending thing quoted, where it is, what to do.

    Whatever a package puts into it is made visible: it goes to a terminal.
    """

    def __init__(self, message: str, *, where: str = "") -> None:
        """``where`` is a file and line (``tackroom.yaml:12``) or a package, put before the message."""
        text = f"{where}: {message}" if where else message
        super().__init__("\n".join(map(visible, text.split("\n"))))


def reason(wrong: OSError) -> str:
    """Return what the system says went wrong, without the path."""
    return (wrong.strerror or str(wrong)).lower()
