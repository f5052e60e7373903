"""Conversions whose content doesn't reach the framework's next request, each with the client's reason."""

LEFT: dict[str, str] = {}
