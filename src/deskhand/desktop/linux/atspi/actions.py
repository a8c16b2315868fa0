"""Acting through accessibility: no pointer moves, no focus is stolen."""

from typing import Final

from deskhand.core.errors import ActionDeadline, ActionRefused, ApplicationUnresponsive
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.roles import ENABLED, FOCUSED, LABEL, PASSWORD_TEXT, SELECTED
from deskhand.desktop.linux.atspi.toolkits import Toolkits
from deskhand.desktop.linux.atspi.transport import Body, Call, Transport
from deskhand.desktop.linux.dbus.wire import Variant
from deskhand.desktop.linux.pulse import Pulse

_DEADLINE_S: Final = 5.0
_REPLY_S: Final = 1.0
"""An action that opens a modal dialog may answer only when that closes."""

_SELECTED_S: Final = 0.5
_FOCUSED_S: Final = 0.5
_ACTIONS_LIMIT: Final = 50
_DEFAULT_ACTIONS: Final = ("click", "press", "activate", "jump", "toggle")


class Actor:
    """Acts on accessible objects over one transport; returns when the application took the action over."""

    def __init__(self, transport: Transport, pulse: Pulse) -> None:
        self._transport = transport
        self._pulse = pulse
        self._toolkits = Toolkits(transport)

    async def do(self, ref: Ref, action: str, described: str) -> None:
        """Raises: ActionRefused (no such action, or it says no), ElementStale, ApplicationUnresponsive."""
        if not calls.bits_in(await self._act(calls.get_state(ref), described)) & ENABLED:
            raise ActionRefused(f"{described} is disabled.", fix="Find out what enables it.")
        await self._require(ref, calls.ACTION, described, "action at all; it offers: none")
        names = await self._action_names(ref, described)
        number = _choose(names, action, described)
        try:
            done = await self._transport.call(ref.call(calls.ACTION, "DoAction", "i", number), deadline_s=_REPLY_S)
        except ApplicationUnresponsive:
            # What it answers now it answers from inside the action, so the action was delivered.
            await self._transport.call(calls.get_state(ref), deadline_s=_DEADLINE_S)
            return
        _require_yes(done, f"{described} refused the action {names[number]!r}")

    async def set_text(self, ref: Ref, text: str, described: str) -> None:
        """Raises: ActionRefused, ElementStale, ActionDeadline, ApplicationGone."""
        await self._require(ref, calls.EDITABLE_TEXT, described, "text that can be replaced")
        await self._say(ref.call(calls.EDITABLE_TEXT, "SetTextContents", "s", text), f"{described} refused the text")

    async def set_value(self, ref: Ref, value: float, described: str) -> None:
        """Raises: ActionRefused, ElementStale, ActionDeadline, ApplicationGone."""
        await self._require(ref, calls.VALUE, described, "number")
        await self._act(ref.get(calls.VALUE, "CurrentValue"), described)  # setting what is not there is not refused
        body = (calls.VALUE, "CurrentValue", Variant("d", float(value)))
        await self._act(Call(ref.bus, ref.path, calls.PROPERTIES, "Set", "ssv", body), described)

    async def focus(self, ref: Ref, described: str) -> None:
        """Returns when the control says that it has the focus, or soon after: not every one ever says so.

        Raises: ActionRefused, ElementStale, ActionDeadline, ApplicationGone.
        """
        await self._say(ref.call(calls.COMPONENT, "GrabFocus"), f"{described} refused the focus")

        async def has_it() -> bool | None:
            state = await self._transport.call(calls.get_state(ref), deadline_s=_DEADLINE_S)
            return True if calls.bits_in(state) & FOCUSED else None

        await self._pulse.until(has_it, _FOCUSED_S)

    async def select(self, ref: Ref, described: str) -> None:
        """Tries what the toolkits offer, the plain way first. Raises: as `focus`."""
        parent = calls.ref_in(await self._act(ref.get(calls.ACCESSIBLE, "Parent"), described))
        index = calls.int_in(await self._act(ref.call(calls.ACCESSIBLE, "GetIndexInParent"), described), -1)
        if parent is None or index < 0:
            raise ActionRefused(f"{described} stands in no container.", fix="Click it.")
        offered = await self._interfaces(parent, described)
        if calls.SELECTION in offered and await self._try(parent.call(calls.SELECTION, "SelectChild", "i", index)):
            return
        ways = [ref.call(calls.COMPONENT, "GrabFocus")]
        if calls.TABLE in offered:
            asked = [parent.call(calls.TABLE, "GetRowAtIndex", "i", index)]
            (row,) = await self._transport.batch(asked, deadline_s=_DEADLINE_S)
            ways.insert(0, parent.call(calls.TABLE, "AddRowSelection", "i", calls.int_in(row, -1)))
        for call in ways:
            if await self._try(call) and await self._becomes_selected(ref):
                return
        raise ActionRefused(f"{described} did not become selected.", fix="Click it.")

    async def selected_count(self, ref: Ref, described: str) -> int:
        """Raises: ActionRefused, ElementStale, ActionDeadline, ApplicationGone."""
        await self._require(ref, calls.SELECTION, described, "selection")
        count = calls.int_in(await self._act(ref.get(calls.SELECTION, "NSelectedChildren"), described), -1)
        if count < 0:
            raise ActionRefused(f"{described} has no selection.")
        return count

    async def read_text(self, ref: Ref, described: str) -> str:
        """The whole text, "" for a password. Raises: ActionRefused, ElementStale, ActionDeadline, ApplicationGone."""
        role = calls.int_in(await self._act(calls.get_role(ref), described))
        if role == PASSWORD_TEXT:
            return ""
        if role == LABEL and calls.TEXT not in await self._interfaces(ref, described):
            return calls.text_in(await self._act(calls.get_name(ref), described))  # all that Qt says of its labels
        await self._require(ref, calls.TEXT, described, "text")
        if (await self._toolkits.of(ref.bus, deadline_s=_DEADLINE_S)).hides_texts:
            (shown,) = await self._transport.batch([calls.get_shown_line(ref)], deadline_s=_DEADLINE_S)
            if calls.is_hidden(calls.text_in(shown)):
                return ""
        text = calls.text_in(await self._act(calls.get_text(ref), described))
        if text:
            return text
        # GTK 4 knows no "to the end", LibreOffice nothing beyond the end.
        length = calls.int_in(await self._act(calls.get_text_length(ref), described))
        return calls.text_in(await self._act(calls.get_text(ref, length), described)) if length > 0 else ""

    async def tells_late(self, ref: Ref) -> bool:
        """Whether its application tells of changes only a while after they are seen. Raises: DesktopGone."""
        return (await self._toolkits.of(ref.bus, deadline_s=_DEADLINE_S)).tells_late

    async def _interfaces(self, ref: Ref, described: str) -> tuple[str, ...]:
        return calls.strings_in(await self._act(calls.get_interfaces(ref), described))

    async def _require(self, ref: Ref, interface: str, described: str, what: str) -> None:
        """Asking for what an object does not offer makes Qt say that it does not exist, and ends some applications.

        Raises: ActionRefused, ElementStale, ActionDeadline, ApplicationGone.
        """
        if interface not in await self._interfaces(ref, described):
            raise ActionRefused(f"{described} has no {what}.", fix="Click it, or choose another control.")

    async def _action_names(self, ref: Ref, described: str) -> list[str]:
        names = list(calls.action_names_in(await self._act(calls.get_actions(ref), described)))[:_ACTIONS_LIMIT]
        if not all(names):
            one_by_one = [ref.call(calls.ACTION, "GetName", "i", index) for index in range(len(names))]
            replies = await self._transport.batch(one_by_one, deadline_s=_DEADLINE_S)
            for call, reply in zip(one_by_one, replies, strict=True):
                if isinstance(reply, ApplicationUnresponsive):
                    raise _too_late(described, call) from reply
            names = [calls.text_in(reply) for reply in replies]
        return names

    async def _becomes_selected(self, ref: Ref) -> bool:
        async def selected() -> bool | None:
            state = calls.bits_in(await self._transport.call(calls.get_state(ref), deadline_s=_DEADLINE_S))
            return True if state & SELECTED else None

        return bool(await self._pulse.until(selected, _SELECTED_S))

    async def _try(self, call: Call) -> bool:
        """Whether the application says that it did it; a control that cannot says no."""
        try:
            return calls.true_in(await self._transport.call(call, deadline_s=_DEADLINE_S))
        except ActionRefused:
            return False

    async def _say(self, call: Call, refusal: str) -> None:
        _require_yes(await self._act(call, refusal), refusal)

    async def _act(self, call: Call, described: str) -> Body:
        try:
            return await self._transport.call(call, deadline_s=_DEADLINE_S)
        except ApplicationUnresponsive as error:
            raise _too_late(described, call) from error


def _too_late(described: str, call: Call) -> ActionDeadline:
    return ActionDeadline(
        f"{described}: {call.member} did not end within {_DEADLINE_S:.0f} s.",
        fix="Observe the window before trying again; it may have happened.",
    )


def _choose(names: list[str], action: str, described: str) -> int:
    lowered = [name.lower() for name in names]
    # An action with a dot is one of a menu, such as "clipboard.copy" of every GTK 4 label: nobody's default.
    wanted = (action.lower(),) if action else (*_DEFAULT_ACTIONS, *(name for name in lowered[:1] if "." not in name))
    for name in wanted:
        if name in lowered:
            return lowered.index(name)
    offered = ", ".join(name or "(unnamed)" for name in names) or "none"
    raise ActionRefused(
        f"{described} has no action {action or 'at all'!r}; it offers: {offered}.",
        fix="Click it, or name one of these.",
    )


def _require_yes(body: Body, refusal: str) -> None:
    if not calls.true_in(body):
        raise ActionRefused(f"{refusal}.", fix="Observe the window; the control may be disabled or read-only.")
