"""A folder for runs, made for its owner alone and left out of repositories: it holds plans and answers in the clear."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from replanctl.errors import StoreError

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
