"""A port as a child process: one line to it, one line from it, within a time and within a size.

Nothing that a port does can block the harness or fill its memory: every wait has an end, what is read
is bounded, and the process group of the port is killed when it is closed (a child that has left the group is not).
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from types import TracebackType

from compass.conformance.failure import Failure
from compass.errors import InputError
from compass.text_input import MAX_LINE, printable

MAX_STDERR = 2**26
"""Most bytes a port may write to standard error from one event to the next."""
_TAIL = 400
_CHUNK = 2**16
_READABLE = select.POLLIN | select.POLLHUP | select.POLLERR


class PortFailure(Failure):
    """The port does not keep to the protocol."""


class PortEnded(PortFailure):
    """The port has ended in place of an answer, with exit status ``status`` (minus the signal that killed it)."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message, f"ended with {status}")
        self.status = status


class Port:
    """A running port; a context manager that kills what is left of it.

    Args:
        words: the command, without a shell.
        timeout: seconds that every answer, and the end of the process, may take.

    Raises:
        InputError: the command cannot be run.
    """

    def __init__(self, words: Sequence[str], timeout: float) -> None:
        self._timeout = timeout
        self._out = b""
        self._err = b""
        self._err_bytes = 0
        with contextlib.ExitStack() as undo:
            with _signals_later():  # those that came meanwhile come where this ends, and the port is closed
                self._start(words)
                undo.callback(self.close)
            undo.pop_all()

    def _start(self, words: Sequence[str]) -> None:
        try:
            # A session of its own: its process group can be killed as a whole.
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise InputError(f"{printable(words[0])!r} cannot be run: {getattr(error, 'strerror', error)}") from error
        assert self._process.stdin, "asked for above"
        assert self._process.stdout, "asked for above"
        assert self._process.stderr, "asked for above"
        self._stdin = self._process.stdin
        self._stdout = self._process.stdout
        self._stderr = self._process.stderr
        self._poll = select.poll()
        for stream in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(stream.fileno(), False)
        self._poll.register(self._stdout, _READABLE)
        self._poll.register(self._stderr, _READABLE)

    def __enter__(self) -> Port:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # -- the protocol -------------------------------------------------------------------------------------------

    def ask(self, line: str) -> str:
        """Send a line and return the answer to it, without its line end.

        Raises:
            PortEnded: the port ended instead.
            PortFailure: it did anything else but answer with one line in time.
        """
        deadline = time.monotonic() + self._timeout
        self._err_bytes = 0
        self._send(line, deadline)
        while (end := self._out.find(b"\n")) < 0 and len(self._out) <= MAX_LINE:
            if not self._read(deadline, "gave no answer"):
                raise self._ended()
        if not 0 <= end <= MAX_LINE:
            raise self._failure(f"wrote a line longer than {MAX_LINE} bytes")
        answer, self._out = self._out[:end], self._out[end + 1 :]
        if self._out:
            raise self._failure("wrote more than one line as an answer", f"; the rest is {self._shown()}")
        try:
            return answer.decode("utf-8").removesuffix("\r")
        except UnicodeDecodeError as error:
            raise self._failure("answered with a line that is not UTF-8") from error

    def ends(self, line: str, status: int) -> None:
        """Send a line that ends the run: nothing may be answered and the exit status must be ``status``.

        Raises:
            PortFailure: it is otherwise.
        """
        deadline = time.monotonic() + self._timeout
        self._send(line, deadline)
        self._expect_end(deadline, status, f"exit status {status} expected for this event")

    def finish(self) -> None:
        """End the input: the port must end with exit status 0 and write nothing more.

        Raises:
            PortFailure: it does not.
        """
        self._stdin.close()
        self._expect_end(time.monotonic() + self._timeout, 0, "exit status 0 expected at the end of the input")

    def close(self) -> None:
        """Kill the process group and free what it holds."""
        with contextlib.suppress(ProcessLookupError, PermissionError):  # a zombie alone in its group, on some systems
            os.killpg(self._process.pid, signal.SIGKILL)  # not yet waited for, so nobody else has its number
        for stream in (self._stdin, self._stdout, self._stderr):
            stream.close()
        self._process.wait()

    # -- reading and writing ------------------------------------------------------------------------------------

    def _send(self, line: str, deadline: float) -> None:
        while self._poll.poll(0):  # early output is there before the event is
            open_ = self._read(deadline, "gave no answer")
            if self._out:
                raise self._failure("wrote before it was asked", f": {self._shown()}")
            if not open_:
                raise self._ended()
        data = line.encode("utf-8") + b"\n"
        while data:
            try:
                data = data[os.write(self._stdin.fileno(), data) :]
            except BlockingIOError:
                self._poll.register(self._stdin, select.POLLOUT)
                try:
                    if not self._read(deadline, "did not read its input"):
                        raise self._ended() from None
                finally:
                    self._poll.unregister(self._stdin)
                if len(self._out) > MAX_LINE:
                    raise self._failure("wrote and did not read its input") from None
            except BrokenPipeError:
                raise self._ended("closed its standard input") from None

    def _read(self, deadline: float, late: str) -> bool:
        """Wait for output and take it in; False where standard output has ended."""
        left = deadline - time.monotonic()
        ready = self._poll.poll(max(0.0, left) * 1000) if left > 0 else []
        if not ready:
            raise self._failure(f"{late} within {self._timeout:g} s")
        for descriptor, _ in ready:
            if descriptor == self._stdout.fileno():
                data = os.read(descriptor, _CHUNK)
                self._out += data
                if not data:
                    return False
            elif descriptor == self._stderr.fileno():
                self._take_error(os.read(descriptor, _CHUNK))
        return True

    def _take_error(self, data: bytes) -> None:
        if not data:
            self._poll.unregister(self._stderr)
        self._err = (self._err + data)[-_TAIL:]
        self._err_bytes += len(data)
        if self._err_bytes > MAX_STDERR:
            raise self._failure(f"wrote more than {MAX_STDERR} bytes to standard error for one event")

    # -- the end ------------------------------------------------------------------------------------------------

    def _expect_end(self, deadline: float, status: int, expected: str) -> None:
        while self._read(deadline, f"did not end ({expected})"):
            if self._out:
                raise self._failure(f"wrote output where {expected}", f": {self._shown()}")
        found = self._exit_status(deadline)
        if found is None:
            raise self._failure(f"closed its standard output and did not end within {self._timeout:g} s ({expected})")
        if found != status:
            raise self._failure(f"{_ending(found)}, {expected}")

    def _ended(self, otherwise: str = "closed its standard output") -> PortFailure:
        status = self._exit_status(time.monotonic() + min(0.5, self._timeout))
        if status is None:
            return self._failure(otherwise)
        part = f" after {self._shown()}, a line without its end" if self._out else ""
        return PortEnded(str(self._failure(f"{_ending(status)} without an answer{part}")), status)

    def _exit_status(self, deadline: float) -> int | None:
        """The exit status, minus a signal's number; None where the process goes on. It stays a zombie until closed."""
        pause = 0.0005
        while True:
            found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if found is not None:
                return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
            if time.monotonic() + pause > deadline:
                return None
            time.sleep(pause)
            pause = min(2 * pause, 0.05)

    def _failure(self, what: str, detail: str = "") -> PortFailure:
        if any(fd == self._stderr.fileno() for fd, _ in self._poll.poll(0)):  # what is there by now says why
            self._err = (self._err + os.read(self._stderr.fileno(), _CHUNK))[-_TAIL:]
        said = " ".join(self._err.decode("utf-8", "replace").split())
        heard = f" (standard error: {printable(said[-200:], 200)})" if said else ""
        return PortFailure(f"the port {what}{detail}{heard}", what)

    def _shown(self) -> str:
        return f"'{printable(self._out[:200].decode('utf-8', 'replace'), 100)}'"


@contextlib.contextmanager
def _signals_later() -> Iterator[None]:
    """Hold back the signals that a handler would turn into an exception; they come where this ends."""
    came: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    handled = [number for number in numbers if callable(signal.getsignal(number))]
    here = handled if threading.current_thread() is threading.main_thread() else []
    handlers = {number: signal.signal(number, lambda number, _: came.append(number)) for number in here}
    try:
        yield
    finally:
        for held, handler in handlers.items():
            signal.signal(held, handler)
        for number in came:
            signal.raise_signal(number)


def _ending(status: int) -> str:
    return f"ended with exit status {status}" if status >= 0 else f"was killed by signal {-status}"
