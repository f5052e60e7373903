"""The group of all commands: finds each when it is called; turns every error into a line and an exit code.

    0  done
    1  an error: one line with code, codec, path and words
    2  the command line itself is wrong
    3  content would be lost, and --on-loss error was given

As shells expect, 130 means stopped by Ctrl-C, and 141 that nobody reads the output any more.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

import agentmsg
from agentmsg.cli.terminal import abandon_output, say
from agentmsg.errors import AgentMsgError, LossError

__all__ = ["program"]

# Each command: its module, and its line in --help, which so imports none of them.
_COMMANDS = {
    "convert": ("agentmsg.cli.convert", "Convert one document, and account for what is lost."),
    "detect": ("agentmsg.cli.detect", "Tell what format files have."),
    "formats": ("agentmsg.cli.formats", "List the formats, and what each carries."),
    "restore": ("agentmsg.cli.restore", "Give back the original of a converted document."),
    "show": ("agentmsg.cli.show", "Show a conversation in the terminal, or make a page of it."),
}
# The extra that brings a package which some commands need.
_EXTRAS = {"jinja2": "html", "markdown_it": "html", "rich": "cli"}
_WRONG_USAGE = 2
_CONTENT_LOSS = 3
_INTERRUPTED = 130
_NO_READER = 141

_EXAMPLES = """\b
Examples:
  agentmsg formats
  agentmsg detect history.json
  agentmsg convert history.json --to langchain -o out.json --losses account.jsonl
  agentmsg restore out.json account.jsonl --to json
  cat history.json | agentmsg convert - --to json --pretty
"""


class _Program(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(_COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in _COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        result = code = None
        try:
            result = super().invoke(ctx)
        except AgentMsgError as error:
            say(f"error [{error.code}] {error}")
            is_loss = isinstance(error, LossError) and error.code == "content-loss"
            code = _CONTENT_LOSS if is_loss else 1
        except ModuleNotFoundError as error:
            package = str(error.name).partition(".")[0]
            if package not in _EXTRAS:
                raise
            say(f"this needs the package {package}: pip install 'agentmsg[{_EXTRAS[package]}]'")
            code = _WRONG_USAGE
        except BrokenPipeError:
            abandon_output()
            code = _NO_READER
        except KeyboardInterrupt:
            say("stopped")
            code = _INTERRUPTED
        if code is not None:
            ctx.exit(code)
        return result


@click.group(
    cls=_Program,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_EXAMPLES,
)
@click.version_option(agentmsg.__version__, prog_name="agentmsg", message="%(prog)s %(version)s")
def program() -> None:
    """Convert conversations of AI agents between formats, with an exact account of what was lost."""
