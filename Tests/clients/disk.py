"""A small disk of its own: an ext4 in a file, over a loop device where this machine has one to spare, else a tmpfs."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path


def _run(*command: str | Path) -> None:
    subprocess.run(list(map(str, command)), check=True, capture_output=True, timeout=60)


class SmallDisk:
    def __init__(self, folder: Path, megabytes: int = 20) -> None:
        """Raises OSError where neither can be had."""
        self.path = folder / "disk"
        self.path.mkdir()
        self.kind = "ext4"
        image = folder / "disk.image"
        try:
            with image.open("wb") as file:
                file.truncate(megabytes << 20)
            _run("mkfs.ext4", "-q", "-m", "0", image)
            _run("mount", "-o", "loop", image, self.path)
        except (subprocess.CalledProcessError, FileNotFoundError):
            self.kind = "tmpfs"
            try:
                _run("mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", self.path)
            except (subprocess.CalledProcessError, FileNotFoundError) as error:
                raise OSError(f"no disk can be mounted: {error}") from error

    @property
    def free(self) -> int:
        system = os.statvfs(self.path)
        return system.f_bavail * system.f_frsize

    def fill(self, leaving: int) -> None:
        """Takes all but so many bytes. Who else writes there meanwhile may have the last ones."""
        with (self.path / "filler").open("ab", buffering=0) as file:
            try:
                while (size := min(1 << 16, self.free - leaving)) > 0:
                    file.write(b"\0" * size)
                    os.fsync(file.fileno())
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise

    def empty(self) -> None:
        (self.path / "filler").unlink()

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Writes hang until the end. Raises OSError for a tmpfs, which cannot be frozen."""
        try:
            _run("fsfreeze", "--freeze", self.path)
        except (subprocess.CalledProcessError, FileNotFoundError) as error:
            raise OSError(f"{self.kind} cannot be frozen: {error}") from error
        try:
            yield
        finally:
            _run("fsfreeze", "--unfreeze", self.path)

    def remount(self, mode: str) -> None:
        _run("mount", "-o", f"remount,{mode}", self.path)

    def close(self) -> None:
        subprocess.run(["umount", "--lazy", str(self.path)], check=False, capture_output=True, timeout=60)
