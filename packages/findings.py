"""Everything the user should know about a run, as typed values; each renders its own text.

A finding is made where something is found, with what is known there (often only a line). Whoever
knows the package, the file or the harness adds them with ``at``. ``CATALOGUE`` lists every code for
the generated page. Text: lower case, the offending thing in quotes, then what to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, ClassVar, NoReturn, Self, dataclass_transform


class Severity(StrEnum):
    """How much a finding matters: ``STRICT=1`` fails on warnings, an error always fails the run."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


CATALOGUE: dict[str, type[Finding]] = {}
PLACE = ("package", "commit", "path", "line", "harness")


@dataclass_transform(kw_only_default=True, frozen_default=True)
class _Fields:
    """Frozen fields, declared and checked by types as those of a dataclass.

    The methods are the same for all: to generate some for each of fifty kinds of findings would take
    longer than a run with nothing to do.
    """

    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = vars(cls).get("__annotations__", {})
        cls._fields += tuple(name for name, kind in own.items() if "ClassVar" not in kind)

    def __init__(self, **given: Any) -> None:  # noqa: ANN401 - the types are those of the fields
        """Take the fields by name; those that have a default may be left out."""
        if unknown := given.keys() - set(self._fields):
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(unknown))}")
        for name in self._fields:
            vars(self)[name] = given[name] if name in given else self._default(name)

    def _default(self, name: str) -> object:
        try:
            return getattr(type(self), name)
        except AttributeError:
            raise TypeError(f"{type(self).__name__} needs {name}") from None

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *vars(self).values()))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"
        )


class Finding(_Fields):
    """What is common to all: the place. ``line`` counts from 1; 0 is the file as a whole."""

    code: ClassVar[str] = ""
    severity: ClassVar[Severity] = Severity.WARNING
    about: ClassVar[str] = ""

    package: str = ""
    commit: str = ""
    path: str = ""
    line: int = 0
    harness: str = ""

    def __init_subclass__(cls) -> None:
        """Enter the class into the catalogue under its code."""
        super().__init_subclass__()
        if cls.code in CATALOGUE:
            raise ValueError(f"two findings of one code: {cls.code}")
        CATALOGUE[cls.code] = cls

    @property
    def message(self) -> str:
        """What happened and what to do, without the place."""
        raise NotImplementedError

    def at(self, **place: str | int) -> Self:
        """Return the same finding with those parts of the place filled in that are still empty."""
        made = object.__new__(type(self))
        fields = vars(made)
        fields.update(vars(self))
        for key, value in place.items():
            if not fields[key]:
                fields[key] = value
        return made

    def further_down(self, lines: int) -> Self:
        """Return the same finding that many lines below."""
        return self.but(line=self.line + lines) if lines else self

    def but(self, **place: str | int) -> Self:
        """Return the same finding at another place."""
        made = object.__new__(type(self))
        vars(made).update(vars(self), **place)
        return made

    @classmethod
    def own_fields(cls) -> tuple[str, ...]:
        """Return the names of the fields of this code alone."""
        return cls._fields[len(PLACE) :]

    @property
    def data(self) -> dict[str, Any]:
        """The fields of this code alone, for machines."""
        fields = vars(self)
        return {name: fields[name] for name in self.own_fields()}

    def record(self) -> dict[str, Any]:
        """Return the finding as plain data; ``revive`` is the inverse."""
        return {"code": self.code, **vars(self)}


def revive(record: Mapping[str, Any]) -> Finding:
    """Make a finding from what ``record`` returned; KeyError or TypeError for anything else."""
    known = dict(record)
    return CATALOGUE[known.pop("code")](**known)


def place(finding: Finding) -> Iterator[str]:
    """Yield the parts of a finding's place: ``package@commit:path:line``, then the harness."""
    where = finding.package
    if finding.package and finding.commit:
        where += "@" + finding.commit[:7]
    parts = [where, finding.path, str(finding.line) if finding.line else ""]
    where = ":".join(part for part in parts if part)
    yield from (part for part in (where, finding.harness) if part)


def render(finding: Finding) -> str:
    """Return the one line that the screen shows."""
    return visible(": ".join([finding.severity, finding.code, *place(finding), finding.message]))


def quoted(name: str) -> str:
    """Return a name of a package in quotes, with control characters made visible."""
    return f"'{visible(name)}'"


def visible(text: str) -> str:
    """Return a text of a package with control characters made visible."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
