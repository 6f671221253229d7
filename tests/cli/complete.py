#!/usr/bin/env python3
"""Types command lines into a real interactive shell on a terminal (bash, zsh), presses Tab after each, and prints the
lines that then stand there.

  complete.py bash build/release/help/trawl/bash/trawl 'trawl map --rea'   ->  trawl map --read-group
"""
import os
import pty
import re
import select
import sys
import time

shell, script, *lines = sys.argv[1:]
PROMPT = "PROMPT> "


def read_until(terminal, wanted, seconds=10):
    """What the shell writes until the pattern is in it."""
    text = ""
    end = time.time() + seconds
    while time.time() < end and not re.search(wanted, text):
        if select.select([terminal], [], [], 0.1)[0]:
            text += os.read(terminal, 4096).decode(errors="replace")
    return text


pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(TERM="dumb", PS1=PROMPT, INPUTRC="/dev/null", COLUMNS="500")
    os.execvp(shell, [shell] + {"bash": ["--norc", "--noprofile", "-i"], "zsh": ["-f", "-i"]}[shell])

os.write(terminal, b"stty cols 500\n")
if shell == "bash":
    os.write(terminal, f"bind 'set bell-style none'; source '{script}'; echo rea''dy\n".encode())
else:
    folder = os.path.dirname(os.path.abspath(script))
    setup = f"PS1='{PROMPT}'; unsetopt zle_bracketed_paste beep; fpath=('{folder}' $fpath)"
    os.write(terminal, f"{setup}; autoload -U compinit; compinit -u -D; echo rea''dy\n".encode())
read_until(terminal, r"ready\r?\n(.*\n)*.*" + re.escape(PROMPT))
for typed in lines:
    os.write(terminal, typed.encode() + b"\t")
    time.sleep(0.05)
    # The line becomes an argument of echo, so that it is written once more.
    os.write(terminal, b"END\x01echo :\x05\n")
    shown = read_until(terminal, r"\n:.*END(.*\n)*.*" + re.escape(PROMPT))
    found = re.findall(r"^:(.*)END", shown.replace("\r", ""), re.M)
    print(found[-1].rstrip() if found else "nothing: " + repr(shown))
os.write(terminal, b"exit\n")
