"""Acting through accessibility: no pointer moves, no focus is stolen."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from deskhand.core.errors import ActionRefused, ApplicationGone, ApplicationUnresponsive, ElementStale, NotOffered
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.action_call import DEADLINE_S, Deed, interfaces_of
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Body, Call, Transport
from deskhand.desktop.linux.atspi.roles import (
    FOCUSED,
    LABEL,
    PASSWORD_TEXT,
    RADIO_BUTTON,
    SELECTED,
    SPIN_BUTTON,
)
from deskhand.desktop.linux.atspi.toolkit import Toolkit, Toolkits
from deskhand.desktop.linux.dbus.wire import Variant
from deskhand.desktop.notifier import Pulse
from deskhand.desktop.protocols.accessibility import Caret

_REPLY_S: Final = 1.0
"""An action that opens a modal dialog may answer only when that closes."""

_SELECTED_S: Final = 0.5
_FOCUSED_S: Final = 0.5
_ACTIONS_LIMIT: Final = 50
_DEFAULT_ACTIONS: Final = ("click", "press", "activate", "jump", "toggle")
_SELECT: Final = "select"


class Actor:
    """Acts on accessible objects over one transport; returns when the application took the action over."""

    def __init__(self, transport: Transport, toolkits: Toolkits, pulse: Pulse) -> None:
        self._transport = transport
        self._pulse = pulse
        self._toolkits = toolkits

    async def do(self, ref: Ref, action: str, described: str) -> None:
        """Perform an action. Raises: ActionRefused, ElementStale, ActionDeadline, ApplicationGone."""
        deed = Deed(self._transport, described)
        toolkit = await self._toolkit(deed, ref)
        role = calls.int_in(await deed.ask(calls.get_role(ref)), -1)
        state = toolkit.state_in(calls.bits_in(await deed.ask(calls.get_state(ref))))
        await toolkit.require_action(deed, ref, role, state, described)
        lack = f"{described} has no action at all; it offers: none."
        if role in toolkit.lacks_actions:
            raise NotOffered(lack, fix="Click it, or choose another control.")
        await _require(deed, ref, calls.ACTION, lack)
        names = await _action_names(deed, ref)
        number = _choose(names, action, role, described)
        done = await deed.send_briefly(ref.call(calls.ACTION, "DoAction", "i", number), _REPLY_S)
        if done is None:
            # An answer now comes from inside the action, so the action was delivered.
            await deed.ask(calls.get_state(ref))
            return
        _require_yes(done, f"{described} refused the action {names[number]!r}")

    async def set_text(self, ref: Ref, text: str, described: str) -> None:
        """Raises: ActionRefused, ElementStale, ActionDeadline, ApplicationGone."""
        deed = Deed(self._transport, described)
        await _require(deed, ref, calls.EDITABLE_TEXT, f"{described} has no text that can be replaced.")
        await (await self._toolkit(deed, ref)).require_text(deed, ref, text, described)
        done = await deed.send(ref.call(calls.EDITABLE_TEXT, "SetTextContents", "s", text))
        _require_yes(done, f"{described} refused the text")

    async def set_value(self, ref: Ref, value: float, described: str) -> None:
        """Raises: ActionRefused, ElementStale, ActionDeadline, ApplicationGone."""
        deed = Deed(self._transport, described)
        await _require(deed, ref, calls.VALUE, f"{described} has no number.")
        role, state = await deed.ask_all([calls.get_role(ref), calls.get_state(ref)])
        if calls.int_in(role) == SPIN_BUTTON and (await self._toolkit(deed, ref)).takes_keys_alone(
            calls.bits_in(state)
        ):
            raise NotOffered(
                f"{described} takes a number only as text: it counts once the field is left.", fix="Type it."
            )
        await deed.ask(ref.get(calls.VALUE, "CurrentValue"))  # setting a missing value is not refused
        body = (calls.VALUE, "CurrentValue", Variant("d", float(value)))
        await deed.send(Call(ref.bus, ref.path, calls.PROPERTIES, "Set", "ssv", body))

    async def number_limits(self, ref: Ref, described: str) -> tuple[float, float] | None:
        """Return the least and the greatest number; None if it has none: equal ends are what toolkits report then.

        Raises: ElementStale, ActionDeadline, ApplicationGone.
        """
        deed = Deed(self._transport, described)
        if calls.VALUE not in await interfaces_of(deed, ref):
            return None
        ends = await deed.ask_all([ref.get(calls.VALUE, end) for end in ("MinimumValue", "MaximumValue")])
        least, most = map(calls.float_in, ends)
        return (least, most) if least is not None and most is not None and least < most else None

    async def focus(self, ref: Ref, described: str) -> bool:
        """Return True once the control reports the focus, False soon after: not every one reports it.

        Raises: ActionRefused, ElementStale, ActionDeadline, ApplicationGone.
        """
        deed = Deed(self._transport, described)
        _require_yes(await deed.send(ref.call(calls.COMPONENT, "GrabFocus")), f"{described} refused the focus")
        return await self._comes_to(deed, ref, FOCUSED, _FOCUSED_S)

    async def select(self, ref: Ref, described: str) -> None:
        """Select an item in one of the ways that toolkits offer, the plain one first. Raises: as `focus`."""
        deed = Deed(self._transport, described)
        parent = calls.ref_in(await deed.ask(ref.get(calls.ACCESSIBLE, "Parent")))
        index = calls.int_in(await deed.ask(calls.get_index(ref)), -1)
        if parent is None or index < 0:
            raise ActionRefused(f"{described} is inside no container.", fix="Click it.")
        offered = await interfaces_of(deed, parent)
        is_selected = partial(self._comes_to, deed, ref, SELECTED, _SELECTED_S)
        in_table = calls.TABLE in offered
        toolkit = await self._toolkit(deed, ref)
        if in_table and await toolkit.select_in_table(deed, ref, is_selected, described):
            return
        if calls.SELECTION in offered and await deed.attempt(parent.call(calls.SELECTION, "SelectChild", "i", index)):
            return
        ways = [ref.call(calls.COMPONENT, "GrabFocus")]
        if in_table:
            (row,) = await deed.ask_all([parent.call(calls.TABLE, "GetRowAtIndex", "i", index)])
            ways.insert(0, parent.call(calls.TABLE, "AddRowSelection", "i", calls.int_in(row, -1)))
        for call in ways:
            if await deed.attempt(call) and await is_selected():
                return
        raise ActionRefused(f"{described} did not become selected.", fix="Click it.")

    async def selected_count(self, ref: Ref, described: str) -> int:
        """Raises: ActionRefused, ElementStale, ActionDeadline, ApplicationGone."""
        deed = Deed(self._transport, described)
        await _require(deed, ref, calls.SELECTION, f"{described} has no selection.")
        count = calls.int_in(await deed.ask(ref.get(calls.SELECTION, "NSelectedChildren")), -1)
        if count < 0:
            raise ActionRefused(f"{described} has no selection.")
        return count

    async def show_named(self, ref: Ref, name: str, described: str) -> bool:
        """Raises: ActionRefused, ElementStale, ActionDeadline, ApplicationGone."""
        deed = Deed(self._transport, described)
        return await (await self._toolkit(deed, ref)).show_named(deed, ref, name)

    async def read_text(self, ref: Ref, described: str) -> str:
        """Return the whole text, "" for a password.

        Raises: ActionRefused, ElementStale, ActionDeadline, ApplicationGone.
        """
        deed = Deed(self._transport, described)
        role = calls.int_in(await deed.ask(calls.get_role(ref)))
        if role == PASSWORD_TEXT:
            return ""
        if role == LABEL and calls.TEXT not in await interfaces_of(deed, ref):
            return calls.text_in(await deed.ask(calls.get_name(ref)))  # a label without a text is its name
        await _require(deed, ref, calls.TEXT, f"{described} has no text.")
        toolkit = await self._toolkit(deed, ref)
        return await toolkit.read_text(deed, ref, role, described)

    async def description(self, ref: Ref, described: str) -> str:
        """Raises: ElementStale, ActionDeadline, ApplicationGone."""
        deed = Deed(self._transport, described)
        return calls.text_in(await deed.ask(ref.get(calls.ACCESSIBLE, "Description")))

    async def accessible_ids(self, refs: Sequence[Ref | None], *, deadline_s: float) -> tuple[str | None, ...]:
        """Return an id for each, None where it may have one that is not exposed. A None has no object of its own.

        Raises: ApplicationUnresponsive, ApplicationGone, DesktopGone.
        """
        known = [ref for ref in dict.fromkeys(refs) if ref is not None]
        asked = [call for ref in known for call in (calls.get_accessible_id(ref), calls.get_attributes(ref))]
        replies = await self._transport.batch(asked, deadline_s=deadline_s)
        ids: dict[Ref | None, str | None] = {}
        for ref, own, attributes in zip(known, replies[::2], replies[1::2], strict=True):
            for reply in (own, attributes):
                if isinstance(reply, ApplicationUnresponsive | ApplicationGone):
                    raise reply
            told = calls.text_in(own) or calls.attributes_in(attributes).get("id", "")
            has_none = isinstance(own, ElementStale) or (await self._exposes_ids(ref, deadline_s))
            ids[ref] = told or ("" if has_none else None)
        ids[None] = "" if known and None not in ids.values() else None
        return tuple(ids[ref] for ref in refs)

    async def _exposes_ids(self, ref: Ref, deadline_s: float) -> bool:
        return (await self._toolkits.of(ref.bus, deadline_s=deadline_s)).exposes_ids

    async def caret(self, ref: Ref, described: str) -> Caret:
        """Raises: ActionRefused, ElementStale, ActionDeadline, ApplicationGone."""
        deed = Deed(self._transport, described)
        await _require(deed, ref, calls.TEXT, f"{described} has no text.")
        asked = (calls.get_text_length(ref), calls.get_caret(ref), calls.count_selections(ref))
        length, at, selections = (calls.int_in(reply) for reply in await deed.ask_all(asked))
        if selections > 0:
            (reply,) = await deed.ask_all([calls.get_selection(ref)])
            start, end = sorted(calls.pair_in(reply))
            if (await self._toolkit(deed, ref)).shortens_selections:
                start, end = min(start, at), max(end, at)  # behind an emoji it counts ends of selections short
            if 0 <= start < end:
                return Caret(length, start, end)
        return Caret(length, at, at)

    async def put_caret(self, ref: Ref, start: int, end: int, described: str) -> None:
        """Raises: ActionRefused, ElementStale, ActionDeadline, ApplicationGone."""
        deed = Deed(self._transport, described)
        await _require(deed, ref, calls.TEXT, f"{described} has no text.")
        if start == end:
            done = await deed.send(ref.call(calls.TEXT, "SetCaretOffset", "i", start))
        elif calls.int_in(await deed.ask(calls.count_selections(ref))) > 0:
            done = await deed.send(ref.call(calls.TEXT, "SetSelection", "iii", 0, start, end))
        else:
            done = await deed.send(ref.call(calls.TEXT, "AddSelection", "ii", start, end))
        _require_yes(done, f"{described} refused to have its text selected")

    async def _toolkit(self, deed: Deed, ref: Ref) -> Toolkit:
        return await self._toolkits.of(ref.bus, deadline_s=deed.left_s("ToolkitName"))

    async def tells_late(self, ref: Ref) -> bool:
        """True if the application reports changes a while after they are painted. Raises: DesktopGone."""
        return (await self._toolkits.of(ref.bus, deadline_s=DEADLINE_S)).tells_late

    async def _comes_to(self, deed: Deed, ref: Ref, state: int, patience_s: float) -> bool:
        """Return True if it soon reports this state."""

        async def says_so() -> bool | None:
            return True if calls.bits_in(await deed.ask(calls.get_state(ref))) & state else None

        return bool(await self._pulse.until(says_so, patience_s))


async def _require(deed: Deed, ref: Ref, interface: str, lack: str) -> None:
    """Require an interface: some applications end, or report the object gone, if a missing one is called.

    Raises: ActionRefused, ElementStale, ActionDeadline, ApplicationGone.
    """
    if interface not in await interfaces_of(deed, ref):
        raise NotOffered(lack, fix="Click it, or choose another control.")


async def _action_names(deed: Deed, ref: Ref) -> list[str]:
    names = list(calls.action_names_in(await deed.ask(calls.get_actions(ref))))[:_ACTIONS_LIMIT]
    if all(names):
        return names
    replies = await deed.ask_all([calls.get_action_name(ref, index) for index in range(len(names))])
    return [calls.text_in(reply) for reply in replies]


def _choose(names: list[str], action: str, role: int, described: str) -> int:
    lowered = [name.lower() for name in names]
    # An action with a dot is one of a menu, such as "clipboard.copy" of a label: no default.
    defaults = (*_DEFAULT_ACTIONS, *(name for name in lowered[:1] if "." not in name))
    if role == RADIO_BUTTON and _SELECT in lowered:
        defaults = (_SELECT,)  # activating a colour may close its chooser with the colour before
    for name in (action.lower(),) if action else defaults:
        if name in lowered:
            return lowered.index(name)
    offered = ", ".join(name or "(unnamed)" for name in names) or "none"
    raise NotOffered(
        f"{described} has no action {action or 'at all'!r}; it offers: {offered}.",
        fix="Click it, or name one of these.",
    )


def _require_yes(body: Body, refusal: str) -> None:
    if not calls.true_in(body):
        raise ActionRefused(f"{refusal}.", fix="Observe the window; the control may be disabled or read-only.")
