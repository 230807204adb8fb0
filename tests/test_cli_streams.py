"""The command line where its streams are closed, full or cut off, and where signals end it."""

from __future__ import annotations

import errno
import io
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import click
import pytest

import compass.cli
from compass import cli_support
from compass.__main__ import main as guarded
from compass.cli import main
from compass.synthetic import generate
from compass.trace import format_trace

SNAPSHOT = '{"nodes":[{"name":"n0","instances":[{"job":"a","gpus":4}]}]}'
FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full on this system")
BUFFERING = pytest.mark.parametrize("unbuffered", ["", "1"])


def environment(unbuffered=""):
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": unbuffered}


def shell(command, folder, unbuffered=""):
    """What a shell gives for ``command``, in which ``compass`` is the command line."""
    (folder / "ok.json").write_text(SNAPSHOT)
    (folder / "bad.json").write_text("{")
    script = f'compass() {{ "{sys.executable}" -m compass "$@"; }}\n{command}'
    result = subprocess.run(
        ["sh", "-c", script], cwd=folder, env=environment(unbuffered), capture_output=True, text=True, check=False
    )
    return result.returncode, result.stdout, result.stderr


@BUFFERING
@pytest.mark.parametrize("arguments", ["sif ok.json", "show ok.json", "--help", "--version", "generate --jobs 9"])
def test_closed_output(tmp_path, arguments, unbuffered):
    expected = (2, "", "compass: <stdout>: Bad file descriptor\n")
    assert shell(f"compass {arguments} >&-", tmp_path, unbuffered) == expected


@BUFFERING
def test_closed_output_that_is_not_needed(tmp_path, unbuffered):
    assert shell("compass generate --jobs 9 --out q >&-", tmp_path, unbuffered) == (0, "", "")
    assert (tmp_path / "q").read_text().count("\n") == 10
    status, _, error = shell("compass sif bad.json >&-", tmp_path, unbuffered)
    assert (status, error.count("\n")) == (2, 1)


def test_closed_input(tmp_path):
    expected = (2, "", "compass: <stdin>: standard input is closed\n")
    assert shell("compass sif - <&-", tmp_path) == expected
    assert shell("compass run - --nodes 1 --variant unified <&-", tmp_path) == expected
    assert shell("compass sif - <&- >&- 2>&-", tmp_path) == (2, "", "")


@BUFFERING
def test_closed_standard_error(tmp_path, unbuffered):
    assert shell("compass sif bad.json 2>&-", tmp_path, unbuffered) == (2, "", "")
    assert shell("compass sfi 2>&-", tmp_path, unbuffered) == (2, "", "")


@FULL
@BUFFERING
def test_full_standard_error(tmp_path, unbuffered):
    assert shell("compass sif bad.json 2>/dev/full", tmp_path, unbuffered) == (2, "", "")
    assert shell("compass sif ok.json >/dev/full 2>&1", tmp_path, unbuffered) == (2, "", "")


@BUFFERING
@pytest.mark.parametrize("arguments", ["--help", "--version", "sif --help", "sif ok.json"])
def test_a_reader_that_has_gone(tmp_path, arguments, unbuffered):
    command = (
        f"{{ sleep 0.2; compass {arguments}; echo $? >status; }} | true; while [ ! -s status ]; do sleep 0.1; done"
    )
    assert shell(command, tmp_path, unbuffered) == (0, "", "")
    assert (tmp_path / "status").read_text() == "141\n"


@BUFFERING
def test_what_was_wrong_first_is_said_once(tmp_path, unbuffered):
    """The output of a command that failed cannot be written either: one line, the first status."""
    code = "import sys, compass.cli as c; c.write_trace = lambda *_: print('x') or exec('raise c.InputError(1)'); "
    script = f"\"{sys.executable}\" -c \"{code} sys.exit(c.main(['generate', '--out', 'x']))\" >&-"
    assert shell(script, tmp_path, unbuffered) == (2, "", "compass: 1\n")


class Full(io.StringIO):
    """A stream that cannot be written to."""

    def write(self, _):
        raise OSError(errno.ENOSPC, "full")


@pytest.mark.parametrize("stream", [None, Full()])
def test_nowhere_to_complain(capsys, monkeypatch, stream):
    monkeypatch.setattr(sys, "stderr", stream)
    assert main(["sfi"]) == 2
    assert capsys.readouterr() == ("", "")


def test_closed_output_in_this_process(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    descriptors = os.listdir("/dev/fd")
    assert main(["phi", "--counts", "8:1"]) == 2
    assert sys.stdout is None
    assert os.listdir("/dev/fd") == descriptors
    assert capsys.readouterr().err == "compass: <stdout>: Bad file descriptor\n"


def test_input_that_comes_slowly_into_a_pipe_that_does_not_block(tmp_path):
    path = tmp_path / "s.json"
    path.write_text(SNAPSHOT)
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    arguments = [sys.executable, "-m", "compass", "sif", "-"]
    with subprocess.Popen(arguments, stdin=reading, stdout=subprocess.PIPE, env=environment()) as child:
        os.close(reading)
        for part in (SNAPSHOT[:20], SNAPSHOT[20:], " " * 9):
            time.sleep(0.2)
            os.write(writing, part.encode())
        os.close(writing)
        assert "SIF" in child.stdout.read().decode()
    assert child.returncode == 0


@pytest.mark.parametrize("error", [KeyboardInterrupt, click.Abort])
def test_interrupted_outside_of_a_command(capsys, monkeypatch, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(cli_support, "_drop", lambda _: None)
    monkeypatch.setattr(cli_support.Commands, "main", fail)
    assert main(["--help"]) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt, 130), (BrokenPipeError, 141)])
def test_ended_while_arguments_are_read(capsys, monkeypatch, error, status):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(cli_support, "_drop", lambda _: None)
    monkeypatch.setattr(click.Command, "parse_args", fail)
    assert main(["--help"]) == status
    assert capsys.readouterr() == ("", "")


def test_interrupted_while_it_is_loaded():
    """Also where an import would turn the exception into another one."""
    code = """if True:
        import os, signal, sys
        signal.signal(signal.SIGINT, signal.default_int_handler)
        from compass.__main__ import main

        class Interrupting:
            @staticmethod
            def find_spec(name, *_):
                if name == "compass.cli":
                    try:
                        os.kill(os.getpid(), signal.SIGINT)
                    except KeyboardInterrupt:
                        raise RuntimeError from None

        sys.meta_path.insert(0, Interrupting)
        main()"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment(), check=False)
    assert (result.returncode, result.stdout, result.stderr) == (130, b"", b"")


def test_interrupted_before_it_runs(monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr("compass.cli.main", interrupted)
    assert guarded() == 130
    assert signal.getsignal(signal.SIGINT) is before


def test_the_command_line_loads_only_what_it_needs():
    code = "import sys, compass.cli; print({'rich', 'importlib.metadata', 'tempfile'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment(), check=True)
    assert result.stdout.strip() == b"set()"


@pytest.mark.parametrize("number", cli_support._ENDING)
def test_a_signal_while_a_file_is_written_leaves_nothing(capsys, monkeypatch, tmp_path, number):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli_support, "_drop", lambda _: None)
    before = signal.getsignal(number)
    signal.signal(number, signal.SIG_DFL)
    try:
        monkeypatch.setattr(os, "replace", lambda *_: signal.getsignal(number)(number, None))  # as it comes
        assert main(["generate", "--jobs", "9", "--out", "q"]) == 128 + number
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)
    assert capsys.readouterr() == ("", "")
    assert os.listdir() == []


def test_a_signal_that_is_ignored_stays_ignored(tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        assert main(["generate", "--jobs", "9", "--out", str(tmp_path / "q")]) == 0
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


def test_the_command_line_in_another_thread(monkeypatch, tmp_path):
    """Only the main thread may say what signals do."""
    status = []
    target = tmp_path / "q"
    thread = threading.Thread(target=lambda: status.append(main(["generate", "--jobs", "9", "--out", str(target)])))
    thread.start()
    thread.join()
    assert status == [0]
    assert target.exists()


def test_terminated_while_it_writes(tmp_path):
    arguments = [sys.executable, "-m", "compass", "generate", "--jobs", "300000", "--out", "q"]
    with subprocess.Popen(arguments, cwd=tmp_path, env=environment(), stderr=subprocess.PIPE) as child:
        while not os.listdir(tmp_path) and child.poll() is None:
            time.sleep(0.001)
        child.terminate()
        assert child.stderr.read() == b""
    assert child.returncode in (143, 0)  # 0: it was done before
    assert set(os.listdir(tmp_path)) <= {"q"}


@pytest.mark.parametrize("module", ["compass.cli", "click", "compass.replay", "json"])
def test_interrupted_while_it_loads(module):
    """Whichever module is being imported, an interrupt is silent."""
    code = f"""
        import os, signal, sys
        import compass.__main__
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a command in the background ignores interrupts
        def audit(event, arguments):
            if event == "import" and arguments[0] == {module!r}:
                os.kill(os.getpid(), signal.SIGINT)
        sys.addaudithook(audit)
        sys.exit(compass.__main__.main())
    """
    command = [sys.executable, "-c", textwrap.dedent(code), "run", "-", "--nodes", "1", "--variant", "unified"]
    done = subprocess.run(command, check=False, env=environment(), stdin=subprocess.DEVNULL, capture_output=True)
    assert (done.returncode, done.stderr) == (130, b"")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_is_no_error(unbuffered):
    arguments = [sys.executable, "-m", "compass", "generate", "--jobs", "20000"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as child:
        child.stdout.readline()
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 141


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full on this system")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_said_so(unbuffered):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "wb") as full:
        arguments = [sys.executable, "-m", "compass", "generate", "--jobs", "5"]
        result = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, env=environment, check=False)
    assert result.returncode == 2
    assert result.stderr == b"compass: <stdout>: No space left on device\n"


class Output(io.StringIO):
    """Standard output that fails when it is flushed."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def flush(self):
        raise self.error


@pytest.mark.parametrize(
    ("error", "status", "line"),
    [
        (BrokenPipeError(), 141, ""),
        (OSError(errno.ENOSPC, "disk full"), 2, "compass: <stdout>: disk full\n"),
        (OSError(), 2, "compass: <stdout>: OSError\n"),
    ],
)
def test_output_that_fails_at_the_end(run, monkeypatch, error, status, line):
    monkeypatch.setattr(sys, "stdout", Output(error))
    assert run("phi", "--counts", "8:1") == (status, "", line)


def test_dropped_output_goes_nowhere(tmp_path):
    with open(tmp_path / "out", "w") as stream:
        stream.write("first ")
        stream.flush()
        stream.write("second")
        cli_support._drop(stream)
    assert (tmp_path / "out").read_text() == "first "


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt, 130), (BrokenPipeError, 141)])
def test_ended_from_outside(run, monkeypatch, error, status):
    def fail(*_):
        raise error

    monkeypatch.setattr(cli_support, "_drop", lambda _: None)
    monkeypatch.setattr(compass.cli, "read_trace", fail)
    assert run("wcc", "-") == (status, "", "")


def test_unbuffered_output_is_whole(monkeypatch, tmp_path):
    """A raw stream may write a part only; the command line writes the rest."""

    class Slow(io.FileIO):
        def write(self, data):
            return super().write(bytes(data)[:100])

    path = tmp_path / "out"
    with io.TextIOWrapper(Slow(path, "w"), encoding="utf-8", write_through=True) as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert main(["generate", "--jobs", "50"]) == 0
        assert sys.stdout is stream
    assert path.read_text() == format_trace(generate("venus", 50))
