"""The command line, ``agentmsg --help``; nothing imports it.

Each module holds one command; ``program`` has their table. The command line needs click and rich (the extra ``cli``),
and plots need matplotlib (the extra ``plot``).

May import everything; it doesn't need ``testing``.
"""

from __future__ import annotations

import sys

from agentmsg.optional import install

__all__ = ["main"]

_INTERRUPTED = 130


def main() -> None:
    """Run the command line with the arguments of this process, and exit."""
    try:
        try:
            from agentmsg.cli.program import program  # noqa: PLC0415 - click may be missing: one line says so
        except ModuleNotFoundError as error:
            if error.name != "click":
                raise
            sys.stderr.write(f"agentmsg: the command line needs more packages: {install('cli')}\n")
            sys.exit(2)
        program(prog_name="agentmsg")
    except (KeyboardInterrupt, RuntimeError) as error:
        # During start or end; program reports a stop inside a command. Python 3.11 wraps one that cuts in while a
        # module's class is made.
        if not any(isinstance(each, KeyboardInterrupt) for each in (error, error.__cause__)):
            raise
        sys.stderr.write("agentmsg: stopped\n")
        sys.exit(_INTERRUPTED)
