"""Awaiting what asynchronous tools and planners return, from the engine's synchronous loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # asyncio takes 50 ms to import, and most sessions never need it
    import asyncio
    from concurrent.futures import ThreadPoolExecutor


class Awaiting:
    """Runs awaitables to their end, all of one session on one event loop.

    With a `loop` they run there, while the session itself runs in another thread. Without one a loop is made when the
    first awaitable comes, in this thread, or in one of its own where this thread's loop is running already.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._loop = loop
        self._runner: asyncio.Runner | None = None
        self._thread: ThreadPoolExecutor | None = None

    def result(self, awaitable: Awaitable[Any]) -> Any:
        """What it comes to; raises what it raises."""
        import asyncio

        if self._loop is not None:
            return asyncio.run_coroutine_threadsafe(_of(awaitable), self._loop).result()
        if self._runner is None:
            # One loop for the whole session: clients that tools keep open (sessions, pools) belong to the loop they
            # were made on.
            self._runner = asyncio.Runner()
            self._thread = _a_thread() if _in_a_loop() else None
        return self._there(self._runner.run, _of(awaitable))

    def close(self) -> None:
        """End the loop that was made here."""
        runner, self._runner = self._runner, None
        if runner is not None:
            self._there(runner.close)
        if self._thread is not None:
            self._thread.shutdown()

    def _there(self, what: Callable[..., Any], *args: Any) -> Any:
        """Do something where the loop runs: a loop can't be run inside another."""
        return what(*args) if self._thread is None else self._thread.submit(what, *args).result()

    def __del__(self) -> None:
        self.close()


def _a_thread() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(1)


async def _of(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


def _in_a_loop() -> bool:
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
