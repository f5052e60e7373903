"""Two chat templates as strict as real ones, and a renderer that works like transformers."""

from __future__ import annotations

import json
from typing import Any

from jinja2.sandbox import ImmutableSandboxedEnvironment

__all__ = ["TOOLS", "VISION", "rendered"]

# Text alone: arguments are objects, content is never null, and every result has the name of its tool.
TOOLS = """
{%- for tool in tools or [] %}
    {{- '<tool>' + (tool | tojson) + '</tool>\n' }}
{%- endfor %}
{%- for message in messages %}
    {%- if message.content is none or message.content is undefined %}
        {{- raise_exception('content is missing') }}
    {%- endif %}
    {{- '<|' + message.role + '|>' }}
    {%- if message.role == 'tool' %}
        {{- '[' + message['name'] + ']' }}
    {%- endif %}
    {%- if message.reasoning_content %}
        {{- '<think>' + message.reasoning_content + '</think>' }}
    {%- endif %}
    {%- if message.content is string %}
        {{- message.content }}
    {%- else %}
        {%- for part in message.content %}
            {{- part.text }}
        {%- endfor %}
    {%- endif %}
    {%- if 'tool_calls' in message %}
        {%- for call in message.tool_calls %}
            {{- '<call>' + call.function.name + '(' }}
            {%- for name, value in call.function.arguments.items() %}
                {{- name + '=' + (value | tojson) + ';' }}
            {%- endfor %}
            {{- ')</call>' }}
        {%- endfor %}
    {%- endif %}
    {{- '\n' }}
{%- endfor %}
"""
# Images are placeholders, with only text beside them.
VISION = """
{%- for message in messages %}
    {{- message.role + ': ' }}
    {%- if message.content is string %}
        {{- message.content }}
    {%- else %}
        {%- for part in message.content %}
            {%- if part.type not in ('image', 'text') %}
                {{- raise_exception('no ' + part.type + ' here') }}
            {%- endif %}
            {{- '<image>' if part.type == 'image' else part.text }}
        {%- endfor %}
    {%- endif %}
    {{- '\n' }}
{%- endfor %}
"""


def rendered(template: str, row: dict[str, Any]) -> str:
    """Return a row rendered by a template, which may raise."""
    environment: Any = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = _as_json
    environment.globals["raise_exception"] = _refuse
    text: str = environment.from_string(template).render(messages=row["messages"], tools=row.get("tools"))
    return text


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _refuse(why: str) -> None:
    raise ValueError(why)
