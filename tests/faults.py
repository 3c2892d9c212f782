"""What goes wrong in a run, as a SConstruct in which a call of the system's does something else at times."""

from __future__ import annotations

from building import SCONSTRUCT

_FAULT = """\
import errno, itertools, os, signal, time
real, count = os.{call}, itertools.count(1)
def other(*places, **more):
    if {when}:
        {what}
    return real(*places, **more)
os.{call} = other
"""


def killed_before(nth: int, call: str = "replace") -> str:
    """Return one that is killed before its nth call; a file is written then, but not in its place."""
    return _fault(call, f"next(count) == {nth}", "os.kill(os.getpid(), signal.SIGKILL)")


def killed_at(name: str) -> str:
    """Return one that is killed before it puts a file in a place that holds ``name``."""
    return _fault("replace", f"{name!r} in str(places[-1])", "os.kill(os.getpid(), signal.SIGKILL)")


def stopped_before(nth: int) -> str:
    """Return one that is told to stop, as a build server does, before it puts its nth file in place."""
    return _fault("replace", f"next(count) == {nth}", "os.kill(os.getpid(), signal.SIGTERM)")


def sleeping_before(nth: int) -> str:
    """Return one that makes ``asleep`` at its nth file and goes on once there is ``go``."""
    sleep = "open('asleep', 'w').close()\n        while not os.path.exists('go'): time.sleep(0.01)"
    return _fault("replace", f"next(count) == {nth}", sleep)


def failing_at(name: str, code: str, call: str = "replace") -> str:
    """Return one in which a call for a path that holds ``name`` fails."""
    wrong = f"raise OSError(errno.{code}, os.strerror(errno.{code}), places[-1])"
    meant = {"replace": "str(places[-1])", "open": "str(places[0]) * bool(places[1] & os.O_CREAT)"}
    return _fault(call, f"{name!r} in {meant.get(call, 'str(places[0])')}", wrong)


def _fault(call: str, when: str, what: str) -> str:
    return _FAULT.format(call=call, when=when, what=what) + SCONSTRUCT
