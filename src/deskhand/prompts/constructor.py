"""Renders a model's messages from the typed values of its request."""

import json
from functools import cached_property

from jinja2 import Environment, PackageLoader, StrictUndefined

from deskhand.core.model import AgentKind, Message, ModelRequest, TextPart
from deskhand.core.replies import AppAgentResponse, HostAgentResponse
from deskhand.perception.compact import compact


class MessageConstructor:
    """Builds the messages of one kind of agent. What never changes comes first; screen text is fenced as untrusted."""

    def __init__(self, kind: AgentKind) -> None:
        self._kind = kind

    @cached_property
    def _environment(self) -> Environment:
        loader = PackageLoader("deskhand.prompts", "templates")
        return Environment(  # noqa: S701 - the output is a prompt, not a page
            loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )

    def messages(self, request: ModelRequest, blackboard: str) -> tuple[Message, ...]:
        """The system message, then what is known, then what was seen."""
        reply_type = HostAgentResponse if self._kind is AgentKind.HOST else AppAgentResponse
        schema = json.dumps(reply_type.model_json_schema(by_alias=False), separators=(",", ":"))
        system = self._render("system", tools=request.tools, statuses=request.allowed_statuses, schema=schema)
        task = self._render("task", request=request, blackboard=blackboard)
        seen = self._render("seen", window=request.window, controls=compact(request.controls, budget=2000).text)
        return (
            Message("system", (TextPart(system),)),
            Message("user", (TextPart(task), TextPart(seen, untrusted=True))),
        )

    def _render(self, part: str, **values: object) -> str:
        return self._environment.get_template(f"{self._kind.value}_{part}.md.j2").render(**values)
