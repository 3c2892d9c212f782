"""tackroom stages packages for coding agents: commands, agents, skills and rules, for every harness.

In a checkout the three floors lie in three folders at the top. The hook below puts that folder on
this package's path, so that ``tackroom.packages`` and ``tackroom.harnesses`` are the one true name
of their modules in a checkout, in an editable install and in the wheel alike.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

__version__ = "0.1.0"

_top = Path(__file__).resolve().parents[2]
if (_top / "SConstruct").is_file() and (_top / "harnesses" / "__init__.py").is_file():
    __path__.append(str(_top))


def workspace(path: str = "tackroom.yaml") -> None:
    """Declare the targets of a workspace in an SConstruct: stage, lock and the others."""
    from tackroom import scons_tool

    scons_tool.workspace(path)


def tool(env: Any) -> None:  # noqa: ANN401 - SCons ships no types
    """Give a construction environment the method ``Stage``: ``Environment(tools=[tackroom.tool])``."""
    from tackroom import scons_tool

    scons_tool.tool(env)
