"""Rules for settings: the values that a provider accepts, alone and beside others.

Each rule takes the nearest accepted value, or leaves the setting out. A codec lists its rules as a table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

from agentmsg.formats.natives import extras_of
from agentmsg.formats.sending.edits import Change
from agentmsg.formats.sending.findings import Request, SendingRule
from agentmsg.model.blocks import (
    AudioBlock,
    ImageBlock,
    RefusalBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    VideoBlock,
)
from agentmsg.model.tools import ToolSpec
from agentmsg.values.types import is_mapping

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from agentmsg.formats.sending.edits import Edit, Path
    from agentmsg.formats.sending.findings import Mending, Severity
    from agentmsg.model.history import History

_RANGE, _CONFLICT = "setting-range", "setting-conflict"
_CHOICES = ("auto", "required")
# Blocks without words that a provider would look at.
_WORDLESS = (AudioBlock, ImageBlock, RefusalBlock, ThinkingBlock, VideoBlock)


@attrs.frozen
class When:
    """What else a request must have for a rule to apply.

    Attributes:
        told: the same in words, such as "with tools".
        holds: whether a request has it.
    """

    told: str
    holds: Callable[[Request], bool]


def setting(request: Request, name: str) -> Any:
    """Return a setting of a request; None if it isn't stated."""
    return getattr(request.history.settings, name, None)


def beside(name: str) -> When:
    """Return the condition that another setting is stated."""
    return When(f"with {name}", lambda request: setting(request, name) is not None)


def with_tools(family: str) -> When:
    """Return the condition that a provider is given tools."""
    return When("with tools", lambda request: bool(request.tools_of(family)))


def without_tools(family: str, *, key: str = "tools", inside: tuple[type, ...] = ()) -> When:
    """Return the condition that a provider is given no tools, in no way.

    Args:
        family: of its codec.
        key: the parameter that holds the tools.
        inside: the classes of blocks that hold tools, if messages may.
    """

    def holds(request: Request) -> bool:
        return not (request.tools_of(family) or _hides_tools(request, family, key, inside))

    return When("without tools", holds)


def accepting(
    name: str,
    near: Callable[[Any, Request], Any],
    message: str,
    fix: str = "take the nearest value",
    *,
    when: When | None = None,
    code: str | None = None,
    severity: Severity = "error",
    unread: Callable[[History], tuple[Any, Mapping[str, Any]] | None] | None = None,
) -> SendingRule:
    """Return the rule that a setting has a value that is accepted.

    Args:
        name: of the setting.
        near: returns the nearest accepted value, or None to leave the setting out; called with the value.
        message: which values are accepted.
        fix: what ``near`` does.
        when: what it depends on.
        code: of the rule; by default that of a range, or of a conflict if it depends on something.
        severity: of the findings.
        unread: returns a value that is an extra, because none like it is read, with the extras left without it.
    """

    def stated(request: Request) -> tuple[Any, Mapping[str, Any] | None]:
        value = setting(request, name)
        found = None if value is not None or unread is None else unread(request.history)
        return found or (value, None)

    def find(request: Request) -> Iterable[Path]:
        value = stated(request)[0]
        if value is None or (when is not None and not when.holds(request)) or near(value, request) == value:
            return ()
        return (("settings", name),)

    def mend(mending: Mending) -> Iterator[Edit]:
        value, extras = stated(mending.request)
        yield Change(("settings", name), near(value, mending.request))
        if extras is not None:
            yield Change(("extras",), extras)

    told = message if when is None else f"{when.told}, {message}"
    code = code or (_RANGE if when is None else _CONFLICT)
    return SendingRule(code, find, told, fix, mend=mend, severity=severity)


# -- numbers and texts ------------------------------------------------------------------------------------------------


def between(name: str, least: float, most: float | None = None, **how: Any) -> SendingRule:
    """Return the rule for the range of a number.

    Args:
        name: of the setting.
        least: the lowest value.
        most: the highest one; None: no limit.
        how: options of ``accepting``.
    """

    def near(value: Any, _: Request) -> Any:
        return max(value, least) if most is None else min(max(value, least), most)

    if least == most:
        return accepting(name, near, f"{name} is {least:g}", **how)
    told = f"is at least {least:g}" if most is None else f"goes from {least:g} to {most:g}"
    return accepting(name, near, f"{name} {told}", **how)


def few_stops(most: int) -> SendingRule:
    """Return the rule for the number of texts to stop at."""

    def near(value: Any, _: Request) -> Any:
        return value[:most]

    return accepting("stop", near, f"there are at most {most} texts to stop at", f"keep the first {most}")


def filled_stops(*, is_blank: bool) -> SendingRule:
    """Return the rule that texts to stop at aren't empty.

    Args:
        is_blank: whether they also need more than white space.
    """

    def near(value: Any, _: Request) -> Any:
        return tuple(text for text in value if (text.strip() if is_blank else text))

    told = "isn't only white space" if is_blank else "isn't empty"
    return accepting("stop", near, f"a text to stop at {told}", "leave it out")


def left_out(name: str, when: When, **how: Any) -> SendingRule:
    """Return the rule that a setting has no place beside something else; ``how`` are options of ``accepting``."""
    return accepting(name, lambda _, __: None, f"there is no {name}", "leave it out", when=when, **how)


def of_others(models: str) -> Callable[[Request], bool]:
    """Return the test whether a request names a model of another maker, whose server may speak alike.

    Args:
        models: how the names of the maker's models begin, as a regular expression.
    """
    begins = re.compile(models).match

    def test(request: Request) -> bool:
        model = setting(request, "model")
        return model is not None and begins(model) is None

    return test


def fixed_sampling(models: str) -> tuple[SendingRule, SendingRule]:
    """Return the rules that models which reason take no temperature and top_p; other servers may use their names.

    Args:
        models: how their names begin, as a regular expression.
    """
    begins = re.compile(models).match

    def reasons(request: Request) -> bool:
        model = setting(request, "model")
        return model is not None and setting(request, "reasoning") != "off" and begins(model) is not None

    when = When("for a model that reasons", reasons)
    return (
        between("temperature", 1, 1, when=when, severity="warning"),
        left_out("top_p", when, severity="warning"),
    )


# -- tools ------------------------------------------------------------------------------------------------------------


def _hides_tools(request: Request, family: str, key: str, inside: tuple[type, ...]) -> bool:
    """Whether a request has tools that aren't in its list: in messages, or unread ones."""
    return bool(request.blocks(*inside)) or key in extras_of(request.history, family)


def offered_tools(
    family: str,
    *names: str,
    words: Collection[str] = _CHOICES,
    key: str = "tools",
    inside: tuple[type, ...] = (),
) -> tuple[SendingRule, ...]:
    """Return the rules that what is said about tools needs tools.

    Args:
        family: of the codec.
        names: of settings, besides the choice of tools.
        words: the choices that need tools, besides that of one tool.
        key: the parameter that holds the tools.
        inside: as for ``without_tools``.
    """
    without = without_tools(family, key=key, inside=inside)

    def near(value: Any, _: Request) -> Any:
        return value if isinstance(value, str) and value not in words else None

    choice = accepting("tool_choice", near, "none can be chosen", "leave out the choice", when=without)
    return (choice, *(left_out(name, without) for name in names))


def known_choice(family: str, *, inside: tuple[type, ...] = ()) -> SendingRule:
    """Return the rule that a chosen tool is one of the request's; if there are none at all, see ``offered_tools``.

    Args:
        family: of the codec.
        inside: as for ``without_tools``.
    """

    def near(value: Any, request: Request) -> Any:
        tools = request.tools_of(family)
        name = value.get("name") if is_mapping(value) else None
        if not isinstance(name, str) or not tools or _hides_tools(request, family, "tools", inside):
            return value
        names = [_name_of(tool) for tool in tools]
        # A tool of the provider without a name may have any.
        return value if name in names or None in names else None

    return accepting("tool_choice", near, "the chosen tool is one of the tools", "leave out the choice", code=_CONFLICT)


def _name_of(tool: Any) -> Any:
    if isinstance(tool, ToolSpec):
        return tool.name
    return tool.value.get("name") if is_mapping(tool.value) else None


# -- the format of the answer -----------------------------------------------------------------------------------------


def format_names(longest: int, letters: str = "a-zA-Z0-9_-", told: str = "letters, digits, _ and -") -> SendingRule:
    """Return the rule for the name of an answer's schema; arguments as for ``usual.tool_names``."""
    outside = re.compile(f"[^{letters}]")

    def near(value: Any, _: Request) -> Any:
        name = value.get("name") if is_mapping(value) else None
        if not isinstance(name, str) or (0 < len(name) <= longest and not outside.search(name)):
            return value
        return {**value, "name": outside.sub("_", name)[:longest] or "_"}

    message = f"the name of an answer's schema has 1 to {longest} {told}"
    return accepting("response_format", near, message, "replace the characters", code="format-name")


def json_word(*before: str, family: str) -> SendingRule:
    """Return the rule that messages mention JSON if the answer may be any: else a model might never end it.

    Args:
        before: the parameters that refer to messages held elsewhere.
        family: of the codec.
    """

    def find(request: Request) -> Iterator[Path]:
        if setting(request, "response_format") != "json":
            return
        own = extras_of(request.history, family)
        if all(own.get(key) is None for key in before) and not any(map(_says_json, request.messages)):
            yield ("settings", "response_format")

    return SendingRule("json-word", find, "no message has the word JSON", "ask for JSON in a message")


def _says_json(message: Any) -> bool:
    return message.role == "native" or any(map(_may_say_json, message.content))


def _may_say_json(block: Any) -> bool:
    """Whether a block has the word, or holds what isn't looked at here, such as arguments and files."""
    if isinstance(block, ToolResultBlock):
        return block.structured is not None or any(map(_may_say_json, block.content))
    return "json" in block.text.lower() if isinstance(block, TextBlock) else not isinstance(block, _WORDLESS)
