"""Requests: a body with messages under a key, a list of messages, or a single one.

The note ``/container`` ("list" or "single") records which it was, unless it was a body.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from agentmsg.formats.issuers import with_issuers
from agentmsg.formats.records import Record
from agentmsg.formats.shapes import Native, mark_of
from agentmsg.lazy import imported
from agentmsg.model.construction import maker
from agentmsg.model.history import History
from agentmsg.values.frozen import EMPTY, adopt, thaw
from agentmsg.values.types import is_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from dataclasses import KW_ONLY

    from agentmsg.formats.bodies.settings import BodySettings
    from agentmsg.model.settings import Settings

_make_history = maker(History)


class Requests(Record):
    """How a format's requests hold messages.

    Attributes:
        family: whose extras and notes are used.
        key: the key of the body that holds the messages.
        is_single: tells a single message from a body.
        carrier: whose signatures and opaque payloads its messages hold, unless the model's name says otherwise.
        settings_in: the name of the module whose ``SETTINGS`` describe the parameters; imported for the first of them.
    """

    _: KW_ONLY
    family: str
    key: str
    is_single: Callable[[Any], bool]
    settings_in: str
    carrier: str | None = None

    @cached_property
    def settings(self) -> BodySettings:
        """The description of the parameters that are settings."""
        described: BodySettings = imported(self.settings_in).SETTINGS
        return described

    def read_settings(self, parameters: Native) -> tuple[Settings | None, Native]:
        """Return the settings in some parameters, and the remaining parameters."""
        return self.settings.read(parameters) if parameters else (None, parameters)

    def write_settings(self, settings: Settings | None, rest: Mapping[str, Any] = EMPTY) -> Native:
        """Return the parameters for settings; arguments as for ``BodySettings.write``."""
        return {} if settings is None else self.settings.write(settings, rest)

    def parameters(self, history: History) -> Mapping[str, Any]:
        """Return the parameters of a body that aren't settings."""
        return self.settings.parameters(history) if history.extras else EMPTY

    def opened(self, document: Any) -> tuple[Any, Native]:
        """Return a document as a body, which may be any value, and the note of what it was."""
        if is_list(document):
            return {self.key: document}, {"/container": "list"}
        return ({self.key: [document]}, {"/container": "single"}) if self.is_single(document) else (document, {})

    def history(
        self,
        messages: Iterable[Any],
        rest: Native,
        note: Native,
        *,
        tools: tuple[Any, ...] = (),
        settings: Settings | None = None,
    ) -> History:
        """Return the history for the parts of a body.

        Args:
            messages: of the body.
            rest: the unread keys.
            note: how the document was spelt.
            tools: of the body.
            settings: of the body.
        """
        if self.carrier is not None and settings is not None and settings.model is not None:
            messages = with_issuers(list(messages), self.family, self.carrier, settings.model)
        return _make_history(
            messages=tuple(messages),
            tools=tools,
            settings=settings,
            extras=adopt(self.settings.extras(rest)) if rest else EMPTY,
            notes=adopt({self.family: note}) if note else EMPTY,
        )

    def is_bare(self, history: History) -> bool:
        """Whether a history is written without a body, unless something needs one."""
        noted = mark_of(history, self.family, "/container") if history.notes else None
        return noted in ("list", "single")

    def closed(self, history: History, body: Native, settings: Native) -> Any:
        """Return the document for a body: only its messages, if that was read and nothing needs more.

        Args:
            history: the history to write.
            body: the messages, and everything before the history's extras.
            settings: their parameters.
        """
        rest = self.parameters(history)
        if rest or settings or len(body) > 1 or not self.is_bare(history):
            asked = {key: value for key, value in settings.items() if key not in rest}
            return {**body, **asked, **thaw(rest), **settings}
        natives = body[self.key]
        is_one = mark_of(history, self.family, "/container") == "single" and len(natives) == 1
        return natives[0] if is_one and self.is_single(natives[0]) else natives
