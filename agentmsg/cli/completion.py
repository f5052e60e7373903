"""``agentmsg completion``: the script that makes a shell complete command lines of agentmsg."""

from __future__ import annotations

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from agentmsg.cli.output import Output, printing

_SHELLS: dict[str, type[ShellComplete]] = {"bash": BashComplete, "fish": FishComplete, "zsh": ZshComplete}
# The variable that the script sets; click derives its name from the program's.
_VARIABLE = "_AGENTMSG_COMPLETE"

_EXAMPLES = """\b
Examples:
  agentmsg completion bash >> ~/.bashrc
  agentmsg completion zsh >> ~/.zshrc
  agentmsg completion fish -o ~/.config/fish/completions/agentmsg.fish
"""


@click.command("completion", short_help="Print the completion script for a shell.", epilog=_EXAMPLES)
@click.argument("shell", type=click.Choice(list(_SHELLS)))
@printing("The file to write")
@click.pass_context
def command(ctx: click.Context, *, shell: str, out: Output) -> None:
    """Print the completion script for a shell.

    Add it to your shell's start-up file. It completes commands, options, formats, guides and files. Bash needs version
    4.4 or later.
    """
    complete = _SHELLS[shell](ctx.find_root().command, {}, "agentmsg", _VARIABLE)
    out.check()
    with out.printed():
        # The base class's: the one for Bash would run Bash to get its version.
        click.echo(ShellComplete.source(complete), nl=False)
