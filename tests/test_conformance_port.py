"""Ports that misbehave: every kind is reported as what it is, in one line, in time, and nothing of them is left."""

import os
import signal
import subprocess
import sys
import time

import pytest

from compass.conformance import port as port_module
from compass.conformance.port import Port, PortEnded, PortFailure
from compass.errors import InputError

LINE = '{"event":"depart","job":"a"}'
# `-S -E` and no imports but these: such a process starts in some ten milliseconds.
PRELUDE = "import sys, os, time\nr = sys.stdin.buffer.readline\n"
PRELUDE += "def w(b):\n    sys.stdout.buffer.write(b)\n    sys.stdout.buffer.flush()\n"


def words(code):
    return [sys.executable, "-S", "-E", "-c", PRELUDE + code]


def outcome(code, timeout, expected):
    """What the harness says of a port, after one question and the end of the input."""
    with Port(words(code), timeout if "no answer" in expected else 10) as port:
        try:
            port.ask(LINE)
            port._timeout = timeout  # a busy machine may be late with the answer, the end is what is waited for
            port.finish()
        except PortFailure as error:
            assert "\n" not in str(error)  # noqa: PT017 - either call may raise it
            return str(error)
    raise AssertionError("it is taken for a good port")


def test_a_port_that_answers():
    with Port(words("while r():\n    w(b'yes\\r\\n')"), 10) as port:
        assert port.ask(LINE) == "yes"
        assert port.ask(LINE) == "yes"
        port.finish()


HOSTILE = {
    "hangs": ("time.sleep(60)", 0.3, "the port gave no answer within 0.3 s"),
    "dies": ("r(); sys.exit(3)", 5, "ended with exit status 3 without an answer"),
    "killed": ("r(); os.kill(os.getpid(), 9)", 5, "was killed by signal 9 without an answer"),
    "says why": ("r(); sys.exit('out of\\nluck')", 5, "(standard error: out of luck)"),
    "dies in a line": ("r(); w(b'{'); sys.exit()", 5, "without an answer after '{', a line without its end"),
    "no line end": ("r(); w(b'{'); time.sleep(60)", 0.3, "no answer within"),
    "too much": ("r(); w(b'yes\\nand\\n'); r()", 5, "more than one line as an answer; the rest is 'and\\n'"),
    "no UTF-8": ("r(); w(b'\\xff\\n'); r()", 5, "not UTF-8"),
    "long line": ("r(); w(b'x' * 3000000); r()", 5, "a line longer than 1048576 bytes"),
    "line a bit too long": ("r(); w(b'x' * 1048577 + b'\\n'); r()", 5, "a line longer than 1048576 bytes"),
    "closes output": ("r(); os.close(1); time.sleep(60)", 5, "closed its standard output"),
    "goes on": ("r(); w(b'yes\\n'); time.sleep(60)", 0.3, "did not end (exit status 0 expected at the end"),
    "ends badly": ("r(); w(b'yes\\n'); r(); sys.exit(4)", 5, "ended with exit status 4, exit status 0 expected"),
    "says goodbye": (
        "r(); w(b'yes\\n'); r(); w(b'bye\\n')",
        5,
        "wrote output where exit status 0 expected at the end of the input: 'bye\\n'",
    ),
    "closes output at the end": ("r(); w(b'yes\\n'); r(); os.close(1); time.sleep(60)", 0.5, "and did not end within"),
    "leaves a child": (
        "r(); w(b'yes\\n'); r()\nif os.fork() == 0:\n    time.sleep(60)\nos._exit(0)",
        0.3,
        "did not end (exit status 0",
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_port(kind):
    code, timeout, what = HOSTILE[kind]
    assert what in outcome(code, timeout, what)


def test_output_before_the_question_is_not_taken_for_an_answer():
    with Port(words("w(b'yes\\n')\nwhile r():\n    w(b'yes\\n')"), 10) as port:
        assert port._poll.poll(5000)
        with pytest.raises(PortFailure, match="wrote before it was asked: 'yes"):
            port.ask(LINE)


def test_a_port_that_ended_before_the_question():
    with Port(words("sys.exit(7)"), 10) as port:
        assert port._exit_status(time.monotonic() + 5) == 7
        with pytest.raises(PortEnded, match="ended with exit status 7 without an answer") as caught:
            port.ask(LINE)
        assert caught.value.status == 7


def test_standard_error_is_read_and_bounded(monkeypatch):
    chatty = "while r():\n    sys.stderr.write('x' * 100000)\n    sys.stderr.flush()\n    w(b'yes\\n')"
    with Port(words(chatty), 10) as port:
        assert [port.ask(LINE) for _ in range(3)] == ["yes"] * 3
        port.finish()
    monkeypatch.setattr(port_module, "MAX_STDERR", 250_000)  # what is late counts for the next event
    with Port(words(chatty), 10) as port:
        assert [port.ask(LINE) for _ in range(3)] == ["yes"] * 3
    monkeypatch.setattr(port_module, "MAX_STDERR", 50_000)
    with Port(words(chatty), 10) as port, pytest.raises(PortFailure, match="more than 50000 bytes to standard error"):
        list(map(port.ask, [LINE] * 3))


def test_what_is_said_before_the_question_is_no_answer():
    with Port(words("sys.stderr.write('ready')\nsys.stderr.flush()\nwhile r():\n    w(b'yes\\n')"), 10) as port:
        assert port._poll.poll(5000)
        assert port.ask(LINE) == "yes"


def test_a_closed_standard_error_is_no_failure():
    with Port(words("os.close(2)\nwhile r():\n    w(b'yes\\n')"), 10) as port:
        assert [port.ask(LINE) for _ in range(3)] == ["yes"] * 3
        port.finish()


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("os.close(0); w(b''); time.sleep(60)", "closed its standard input"),
        ("time.sleep(60)", "did not read its input within 0.4 s"),
        ("time.sleep(0.1)\nwhile True: w(b'x' * 100000)", "wrote and did not read its input"),
        ("time.sleep(0.1); os.close(1); time.sleep(60)", "closed its standard output"),
        ("time.sleep(0.1); sys.exit(5)", "ended with exit status 5"),
    ],
)
def test_a_port_that_does_not_read(code, what):
    def send_much(port):
        for _ in range(100):  # more than a pipe holds
            port._send("x" * 100_000, time.monotonic() + port._timeout)
            time.sleep(0.01)

    with Port(words(code), 0.4 if "within" in what else 10) as port, pytest.raises(PortFailure) as caught:
        send_much(port)
    assert what in str(caught.value)


def test_a_line_longer_than_a_pipe_holds_is_read_bit_by_bit():
    slow = "line = b''\nwhile not line.endswith(b'\\n'):\n    time.sleep(0.05); line += os.read(0, 50000)\n"
    with Port(words(slow + "w(b'%d\\n' % len(line)); r()"), 10) as port:
        assert port.ask("x" * 400_000) == "400001"
        port.finish()


def test_an_event_that_ends_the_run():
    with Port(words("r(); sys.exit(2)"), 10) as port:
        port.ends(LINE, 2)
    with Port(words("r(); sys.exit(0)"), 10) as port, pytest.raises(PortFailure, match=r"status 0, exit status 2 exp"):
        port.ends(LINE, 2)
    with Port(words("r(); w(b'yes\\n'); r()"), 10) as port, pytest.raises(PortFailure, match="where exit status 2"):
        port.ends(LINE, 2)


def test_nothing_is_left_of_a_port(tmp_path):
    code = f"r()\nif os.fork() == 0:\n    open({str(tmp_path / 'child')!r}, 'w').write(str(os.getpid()))\n"
    code += "    w(b'yes\\n'); time.sleep(60)\nr(); os._exit(0)"
    with Port(words(code), 10) as port:
        assert port.ask(LINE) == "yes"
        child = int((tmp_path / "child").read_text())
    for _ in range(500):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        with open(f"/proc/{child}/stat") as stat:
            if stat.read().rpartition(")")[2].split()[0] == "Z":
                return
        time.sleep(0.01)
    raise AssertionError("the port's child still runs")


def test_an_interrupt_while_a_port_starts_leaves_nothing(monkeypatch):
    started = []

    def start(*arguments, **options):
        started.append(popen(*arguments, **options))
        os.kill(os.getpid(), signal.SIGINT)
        return started[0]

    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", start)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job of a shell ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            Port(words("time.sleep(60)"), 10)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert started[0].returncode == -signal.SIGKILL


@pytest.mark.parametrize("command", [["/no/such/port"], ["/"], ["a\0b"]])
def test_a_command_that_cannot_be_run(command):
    with pytest.raises(InputError, match="cannot be run"):
        Port(command, 1)
