"""A language model behind the `Model` port: one request over the wire, one JSON object back."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING

from anyio import Lock, create_task_group, to_thread

from deskhand.core.errors import MissingRequirement, ModelRefused, ModelUnavailable, ReplyDefect, RequestRejected
from deskhand.core.model import ModelReply, ModelRequest, PictureLimits
from deskhand.models.language.call import CallResult, CallSettings, Form
from deskhand.models.language.extract import reply_object
from deskhand.models.language.lazy_import import IMPORTING
from deskhand.models.language.prices import is_listed
from deskhand.models.language.providers import ModelName, secrets_in

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

    from deskhand.models.language.wire import Line


class LanguageModel:
    """Client of one model. Used as a context, it closes its connections at the end.

    After a server rejected a schema or a picture, requests are sent without it, and the reply's note records that.
    One request at a time. `keys`: the variables the provider needs (`ModelName.check`), its address included.
    """

    def __init__(
        self,
        name: ModelName,
        keys: Mapping[str, str],
        settings: CallSettings | None = None,
        *,
        sees: bool = True,
        schema: bool = True,
    ) -> None:
        """`sees`: False for a model that accepts no pictures; `schema`: False for a server that gets no schema.

        Raises: UsageError if a key is missing.
        """
        name.check(keys)
        self._name = name
        self._keys = name.keys_of(keys)
        self._settings = settings or CallSettings()
        self._form = Form(schema=schema, pictures=sees, strict=schema and name.is_strict(keys))
        self._line: Line | None = None
        self._making = Lock()
        self._ahead: TaskGroup | None = None

    @property
    def name(self) -> str:
        return str(self._name)

    @property
    def pictures(self) -> PictureLimits | None:
        return self._name.provider.pictures if self._form.pictures else None

    @property
    def form(self) -> Form:
        """Form of its requests, as learned from its server's answers."""
        return self._form

    def has_price(self) -> bool:
        """True if the cost of its calls can be computed: from its own price, or from a price list."""
        return self._settings.price is not None or is_listed(self._name)

    async def __aenter__(self) -> LanguageModel:
        """Begin to connect in the background."""
        self._ahead = await create_task_group().__aenter__()
        self._ahead.start_soon(self._connect_ahead)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            ahead.cancel_scope.cancel()
            await ahead.__aexit__(None, None, None)
        line, self._line = self._line, None
        if line is not None:
            await line.close()

    async def respond(self, request: ModelRequest) -> ModelReply:
        """Make one call. Raises: ModelUnavailable (one of its kinds), ReplyDefect, MissingRequirement."""
        line = await self.connect()
        left_out, form = list[str](), self._form
        while True:
            try:
                result = await line.ask(request, form)
            except RequestRejected as error:
                simpler = form.simpler(error.message)
                if simpler is None:
                    raise
                left_out.append(f"without {form.beyond(simpler)}: {error}")
                form = simpler
            else:
                self._form = form
                notes = [f"asked {what}" for what in left_out]
                if result.estimated:
                    notes.append("its server counted no tokens: they are estimated, and the price is unknown")
                return self._reply(result, "; ".join(notes))

    def _reply(self, result: CallResult, note: str) -> ModelReply:
        if result.refusal:
            raise ModelRefused(
                f"{self.name} declined to answer: {result.refusal}", fix="reword the request", usage=result.usage
            )
        try:
            if result.cut:
                raise ReplyDefect("the reply was cut off at the limit of its length; answer more briefly")
            content = reply_object(result.text)
        except ReplyDefect as defect:
            raise ReplyDefect(defect.message, text=result.text, usage=result.usage) from defect
        return ModelReply(content, result.text, result.usage, model=self.name, note=note)

    async def connect(self) -> Line:
        """The connection, made once, at the latest at the first call: its client takes a second to import, in a thread.

        Nothing is sent. Raises: MissingRequirement, ModelDenied.
        """
        async with self._making:
            if self._line is None:
                self._line = await to_thread.run_sync(self._connect)
            return self._line

    async def _connect_ahead(self) -> None:
        with suppress(MissingRequirement, ModelUnavailable):  # the first call raises it again
            await self.connect()

    def _connect(self) -> Line:
        secrets = secrets_in(self._keys, self._name.provider.address)
        with IMPORTING:
            from deskhand.models.language.wire import Line  # noqa: PLC0415 - importing it takes a second

            return Line(self._name, self._keys, self._settings, secrets)
