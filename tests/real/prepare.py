"""Make the environments of the real libraries and the recipes: ``python tests/real/prepare.py FOLDER``.

Prints the lines that tell a shell where they are. requirements/ and the package.json beside a worker pin
the versions.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import venv
from pathlib import Path

_HERE = Path(__file__).resolve().parent


def prepare(folder: Path) -> dict[str, Path]:
    """Make the environments in a folder, and return the Python of each, or the worker, by its variable."""
    made: dict[str, Path] = {}
    # One pip for all: one in each environment takes longer than the packages.
    venv.create(folder / "pip", clear=True, symlinks=True, with_pip=True)
    for pins in sorted((_HERE / "requirements").glob("*.txt")):
        place = folder / pins.stem
        venv.create(place, clear=True, symlinks=True)
        python = place / "bin" / "python"
        pip = [str(folder / "pip" / "bin" / "pip"), "--python", str(python)]
        subprocess.run([*pip, "install", "--no-deps", "-r", str(pins)], check=True, stdout=sys.stderr)
        made[f"AGENTMSG_REAL_{pins.stem.upper()}"] = python
    for name in ("langchain_js", "openapi_ts", "vercel"):
        place = folder / name
        shutil.copytree(_HERE / name, place, dirs_exist_ok=True)
        install = ["npm", "install", "--silent", "--no-audit", "--no-fund"]
        subprocess.run(install, cwd=place, check=True, stdout=sys.stderr)
        made[f"AGENTMSG_REAL_{name.upper()}"] = place / "worker.mjs"
    return made


if __name__ == "__main__":
    for variable, path in prepare(Path(sys.argv[1]).resolve()).items():
        print(f"export {variable}={shlex.quote(str(path))}")  # noqa: T201 - for a shell to read
