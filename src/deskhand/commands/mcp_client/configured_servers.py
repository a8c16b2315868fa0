"""The configured servers, with their secrets filled in."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from deskhand.config.sections import McpSection, ToolServerEntry
from deskhand.core.errors import ConfigurationError

_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class ToolServer:
    """One server. `environment` and `headers` may contain secrets. `inside`: a server object in this process."""

    name: str
    entry: ToolServerEntry
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    inside: object | None = None


def tool_servers(section: McpSection, variables: Mapping[str, str]) -> tuple[ToolServer, ...]:
    """The configured servers; `variables` are the values for `${NAME}`. Raises: ConfigurationError."""
    return tuple(
        ToolServer(
            name,
            entry,
            {
                key: _filled(f"mcp.servers.{name}.environment.{key}", text, variables)
                for key, text in entry.environment.items()
            },
            {key: _filled(f"mcp.servers.{name}.headers.{key}", text, variables) for key, text in entry.headers.items()},
        )
        for name, entry in section.servers.items()
    )


def _filled(where: str, text: str, variables: Mapping[str, str]) -> str:
    missing = [name for name in _VARIABLE.findall(text) if name not in variables]
    if missing:
        raise ConfigurationError(
            f"{where}: {missing[0]} is set neither in the environment nor in the secrets file",
            fix=f"write {missing[0]}=… into secrets.env beside your configuration",
        )
    return _VARIABLE.sub(lambda match: variables[match[1]], text)
