"""Ctrl-C on the command line is never lost."""

import subprocess
import sys

import pytest

LOST = {
    "in a destructor": """
class Lost:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
Lost()
""",
    "made into another error, which is handled": """
try:
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise OSError
except OSError:
    pass
""",
}
PROGRAM = """
import signal, sys, time
from polyroc.interrupts import end_at_interrupt, raise_until_handled
sys.unraisablehook = lambda unraisable: None
raise_until_handled()
try:
    {lost}
    time.sleep(30)
except KeyboardInterrupt:
    time.sleep(0.5)  # it is handled: there is no second one
    end_at_interrupt()
    time.sleep(0.5)
    print("handled")
"""


@pytest.mark.slow
@pytest.mark.parametrize("lost", LOST.values(), ids=LOST)
def test_an_interrupt_that_is_lost_is_raised_again(lost):
    program = PROGRAM.format(lost=lost.strip().replace("\n", "\n    "))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20)
    assert (done.stdout, done.stderr, done.returncode) == ("handled\n", "", 0)


WITH_ITS_OWN_WORDS = """
import signal, sys
from polyroc.cli import app, process

def run(arguments):
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        sys.excepthook(*sys.exc_info())  # as PyErr_Print of an extension
    raise ImportError("numba._devicearray failed to import")

app.run = run
process.main()
"""


@pytest.mark.slow
def test_an_extension_that_cannot_be_loaded_because_of_an_interrupt():
    """Seen with numba: it prints the interrupt, and says that its extension failed to import."""
    done = subprocess.run([sys.executable, "-c", WITH_ITS_OWN_WORDS], capture_output=True, text=True, timeout=20)
    assert (done.stdout, done.stderr, done.returncode) == ("", "polyroc: Interrupted.\n", 130)
