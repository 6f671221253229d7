"""Forked processes have none of the threads that the library has started, so a call in one could wait for ever."""

from __future__ import annotations

import os

from trawl._errors import Error

_started = False
_forked = False


def check() -> None:
    global _started
    if _forked:
        raise Error("this process was forked after trawl had started its threads; start it with "
                    "multiprocessing.get_context('spawn') or 'forkserver', or map only after the fork")
    _started = True


def _after_fork() -> None:
    global _forked
    _forked = _forked or _started


os.register_at_fork(after_in_child=_after_fork)
