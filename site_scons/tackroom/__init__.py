"""tackroom stages packages for coding agents: commands, agents, skills and rules, for every harness.

In a checkout the three floors lie in three folders at the top. The hook below puts that folder on
this package's path, so that ``tackroom.packages`` and ``tackroom.harnesses`` are the one true name
of their modules in a checkout, in an editable install and in the wheel alike.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # as type checkers know it; importing typing would cost each run its time
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"

_top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
if all(os.path.isfile(os.path.join(_top, each)) for each in ("SConstruct", "harnesses/__init__.py")):
    __path__.append(_top)


def workspace(path: str = "tackroom.yaml") -> None:
    """Declare the targets of a workspace in an SConstruct: stage, lock and the others."""
    from tackroom import scons_tool

    scons_tool.workspace(path)


def tool(env: Any) -> None:  # noqa: ANN401 - SCons ships no types
    """Give a construction environment the method ``Stage``: ``Environment(tools=[tackroom.tool])``."""
    from tackroom import scons_tool

    scons_tool.tool(env)
