"""A network that is far away: a TCP proxy on this machine that holds every byte back for a while."""

import asyncio
import threading
from typing import Self


class Far:
    """Within it, `far.port` leads to `port`, `seconds` later each way. Order is kept, bandwidth is not limited."""

    def __init__(self, port: int, seconds: float) -> None:
        self.to, self.seconds = port, seconds
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        self.server = asyncio.run_coroutine_threadsafe(self._listen(), self.loop).result()
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def _listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._connected, "127.0.0.1", 0)

    async def _end(self) -> None:
        self.server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _connected(self, near_in, near_out) -> None:
        try:
            far_in, far_out = await asyncio.open_connection("127.0.0.1", self.to)
        except OSError:
            near_out.close()
            return
        try:
            await asyncio.gather(self._carry(near_in, far_out), self._carry(far_in, near_out))
        except asyncio.CancelledError:
            pass  # by `_end`; asyncio's own callback would report it as an error
        finally:
            near_out.close()
            far_out.close()

    async def _carry(self, source, target) -> None:
        """Bytes from `source` to `target`, each `seconds` after it came."""
        held = asyncio.Queue()
        delivery = asyncio.ensure_future(self._deliver(held, target))
        try:
            while data := await source.read(65536):
                held.put_nowait((self.loop.time() + self.seconds, data))
        except ConnectionError:
            pass
        held.put_nowait((self.loop.time() + self.seconds, b""))
        await delivery

    async def _deliver(self, held, target) -> None:
        try:
            while True:
                due, data = await held.get()
                await asyncio.sleep(due - self.loop.time())
                if not data:
                    target.write_eof()  # the other way may still have something to say
                    return
                target.write(data)
                await target.drain()
        except OSError:  # the other end is gone
            target.close()
