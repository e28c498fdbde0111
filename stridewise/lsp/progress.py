"""Work-done progress: a bar in the editor, which its author may cancel."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Coroutine
from typing import Any

from lsprotocol import types
from pygls.progress import Progress


class Silent:
    """For clients that show none."""

    def step(self, done: int, count: int) -> None:
        pass

    def end(self) -> None:
        pass


class Bar:
    """Appears once the client has agreed to it."""

    def __init__(
        self,
        protocol: Progress,
        title: str,
        cancel: Callable[[], None],
        later: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._protocol, self._title, self._cancel = protocol, title, cancel
        self._token = str(uuid.uuid4())
        self._begun = self._ended = False
        later(self._begin())

    async def _begin(self) -> None:
        await self._protocol.create_async(self._token)
        if self._ended:
            return
        self._begun = True
        self._protocol.begin(self._token, types.WorkDoneProgressBegin(self._title, cancellable=True, percentage=0))
        self._protocol.tokens[self._token].add_done_callback(
            lambda future: self._cancel() if future.cancelled() else None
        )

    def step(self, done: int, count: int) -> None:
        if self._begun and not self._ended:
            share = types.WorkDoneProgressReport(
                message=f"{done} of {count}", percentage=100 * done // max(1, count), cancellable=True
            )
            self._protocol.report(self._token, share)

    def end(self) -> None:
        self._ended = True
        if self._begun:
            self._protocol.end(self._token, types.WorkDoneProgressEnd())
