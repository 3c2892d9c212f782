"""What a workspace can be asked for: the targets of SCons and the commands of the console script."""

from __future__ import annotations

from tackroom import __version__

COMMANDS = {
    "stage": "render what changed, for every harness",
    "lock": "resolve revisions to commits and write the lock",
    "explain": "say where an artifact comes from, where it lands and why",
    "clean": "remove what was staged and nobody edited",
}

# of the contract, and still to come: targets, which are commands too, and commands alone
TARGETS_TO_COME = ("check", "doctor", "report")
COMMANDS_TO_COME = (*TARGETS_TO_COME, "init", "vendor", "runs", "diff", "run", "sbom", "provenance")


def to_come(name: str) -> str:
    """Return what is said of a target or command that is still to come."""
    return f"'{name}' is not supported by tackroom {__version__} yet"
