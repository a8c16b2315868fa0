"""The ways that messages go, as the settings `notify` name them."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from deskhand.config.sections import NotifySection
from deskhand.core.errors import ConfigurationError
from deskhand.notify.desktop import DesktopNotification
from deskhand.notify.message import Message
from deskhand.notify.program import Program
from deskhand.notify.webhook import Webhook

_MARK: Final = "whsec_"
_LEAST_BYTES: Final = 24
"""Bytes of a secret, as Standard Webhooks demands them."""
_MAKE: Final = 'make one by: echo "whsec_$(head -c 32 /dev/urandom | base64)"; give it to the receiver as well'


class Channel(Protocol):
    """One way that messages go. Its connections are opened by the first message."""

    @property
    def name(self) -> str:
        """As in `the webhook at example.com`."""
        ...

    async def send(self, message: Message) -> None:
        """Return when the message was taken. Raises: NotificationFailed, within its own deadline."""
        ...

    async def close(self) -> None:
        """End its connections."""
        ...


@dataclass(frozen=True, slots=True)
class Notifications:
    """The settings `notify`, with their secret. Without `channels` nothing is ever sent."""

    section: NotifySection = field(default_factory=NotifySection)
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    secret: bytes = field(default=b"", repr=False)

    def channels(self) -> tuple[Channel, ...]:
        """New channels, in the order of the settings."""
        section, deadline_s = self.section, self.section.deadline_s
        found: list[Channel] = []
        if section.command:
            found.append(Program(section.command, self.environment, deadline_s))
        if section.webhook:
            found.append(Webhook(section.webhook, self.secret, deadline_s))
        if section.desktop:
            found.append(DesktopNotification(self.environment, deadline_s))
        return tuple(found)


def notifications(
    section: NotifySection, variables: Mapping[str, str], environment: Mapping[str, str]
) -> Notifications:
    """The messages of a process: `variables` has the secret, `environment` is that of the user's own programs.

    Raises: ConfigurationError if the secret is missing or weak, or has nothing to sign.
    """
    if not section.secret_env:
        return Notifications(section, environment)
    name = section.secret_env
    if not section.webhook:
        raise ConfigurationError("notify.secret_env is set, and notify.webhook is not", fix="set both, or neither")
    if not variables.get(name):
        raise ConfigurationError(
            f"notify.secret_env: {name} is set neither in the environment nor in the secrets file",
            fix=f"write {name}=whsec_… into secrets.env beside your configuration; {_MAKE}",
        )
    return Notifications(section, environment, _decoded(name, variables[name]))


def _decoded(name: str, text: str) -> bytes:
    """Bytes of a secret. Raises: ConfigurationError, which never contains it."""
    try:
        if not text.startswith(_MARK):
            raise ConfigurationError(f"{name}: the secret does not begin with {_MARK}", fix=_MAKE)
        secret = base64.b64decode(text.removeprefix(_MARK), validate=True)
    except binascii.Error as error:
        raise ConfigurationError(f"{name}: the secret is not base64 after {_MARK}", fix=_MAKE) from error
    if len(secret) < _LEAST_BYTES:
        raise ConfigurationError(f"{name}: the secret has {len(secret)} bytes, less than {_LEAST_BYTES}", fix=_MAKE)
    return secret
