"""Checks a built wheel: it holds the package ``tackroom`` with all three floors, and nothing beside it."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path


def problems(wheel: Path) -> list[str]:
    names = zipfile.ZipFile(wheel).namelist()
    stray = [each for each in names if not each.startswith("tackroom/") and ".dist-info/" not in each]
    wanted = ["tackroom/py.typed", "tackroom/workspace.scons", "tackroom/packages/model.py"]
    here = Path(__file__).parents[1] / "harnesses"
    wanted += [f"tackroom/harnesses/{each.parent.name}/facts.py" for each in sorted(here.glob("*/facts.py"))]
    missing = [each for each in wanted if each not in names]
    return [f"stray: {each}" for each in stray] + [f"missing: {each}" for each in missing]


if __name__ == "__main__":
    found = problems(Path(sys.argv[1]))
    print("\n".join(found) or f"{Path(sys.argv[1]).name}: all of tackroom, nothing else")
    sys.exit(bool(found))
