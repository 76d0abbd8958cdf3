"""The folder of a store: made for its owner alone, and who is writing a run in it.

Plans and answers lie in it in the clear, so it is left out of repositories. Whoever writes a run holds a lock, which
the operating system lets go of however the writer dies.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from replanctl.errors import StoreError

if sys.platform != "win32":
    import fcntl

# A link in the place of a lock is not followed, and nobody waits for the other end of a pipe.
_CAREFULLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

DEFAULT_NAME = ".replanctl"  # a folder of this name is ours, whoever made it

_IGNORED = "# made by replanctl: what runs hold is not for a repository\n*\n"


def make_folder(folder: Path) -> None:
    """Make the folder where there is none. Somebody else's folder keeps its rights, and gets no file but the store's.

    Raises StoreError.
    """
    try:
        ours = not folder.exists() or folder.name == DEFAULT_NAME
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreError(f"the store {folder} can't be made: {reason}", hint="use --store or --no-store") from error
    if ours:
        _keep_private(folder)


def _keep_private(folder: Path) -> None:
    with suppress(OSError):  # a store on a file system without rights, or one that can't be written, as will be said
        ignored = folder / ".gitignore"
        if not ignored.is_symlink() and not ignored.exists():
            folder.chmod(0o700)
            with ignored.open("x", encoding="utf-8") as file:
                file.write(_IGNORED)


class Claim:
    """The exclusive right to write one run, `held` until `release`. What a dead writer leaves behind locks nothing."""

    def __init__(self, folder: Path, run: int) -> None:
        self._path = _lock_path(folder, run)
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | _CAREFULLY, 0o600)
        self.held = _try_lock(self._file) and self._is_current()

    def _is_current(self) -> bool:
        """Whether the file that was locked is still the one of that name: the writer before takes its own away."""
        with suppress(OSError):
            return os.path.samestat(os.fstat(self._file), self._path.stat())
        return False

    def release(self) -> None:
        """Let go; the lock's file goes too."""
        if self.held:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
        os.close(self._file)


def is_claimed(folder: Path, run: int) -> bool:
    """Whether a living process is writing this run."""
    try:
        file = os.open(_lock_path(folder, run), os.O_RDONLY | _CAREFULLY)
    except OSError:
        return False
    try:
        return not _try_lock(file)
    finally:
        os.close(file)


def _lock_path(folder: Path, run: int) -> Path:
    return folder / f"run-{run}.lock"


def _try_lock(file: int) -> bool:
    """Whether nobody else holds the lock. File systems without locks, and Windows, say that nobody does."""
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True
    return True
