"""A sandbox for the demo's shell by Linux's Landlock, which needs no privileges and no helper.

This file is also the program that enters the sandbox and then becomes the shell, because nothing
of it may happen between fork and exec in a process with threads. Standard library only.
"""

import ctypes
import os
import resource
import sys
from contextlib import suppress
from enum import IntEnum
from pathlib import Path

SHELL = "/bin/sh"
FILE_BYTES = 50_000_000
MEMORY_BYTES = 4_000_000_000
OPEN_FILES = 256

# Folders that programs need to run; they hold no files of users.
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store")
_SETTINGS = (
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/group",
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

# linux/landlock.h
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION_FLAG, _PATH_BENEATH, _NO_NEW_PRIVS = 1, 1, 38
_EXECUTE, _WRITE, _READ, _LIST, _TRUNCATE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14
_RIGHTS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_TCP, _UNIX_AND_SIGNALS = 0b11, 0b11


class Confinement(IntEnum):
    """The confinement of a command; a higher one includes the lower ones."""

    NONE = 0
    FILES = 1
    TCP = 2


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("tcp", ctypes.c_uint64), ("scope", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def confinement() -> Confinement:
    """Return the strongest confinement that this machine's kernel supports."""
    abi = _abi()
    if abi < 3:  # older versions cannot prevent that files outside are truncated
        return Confinement.NONE
    return Confinement.TCP if abi >= 4 else Confinement.FILES


def sandboxed_command(folder: Path, command: str, cpu_seconds: int) -> list[str]:
    """Return the program and arguments that run a command inside the sandbox."""
    return [sys.executable, "-IS", __file__, str(folder), str(cpu_seconds), command]


def _abi() -> int:
    if sys.platform != "linux":
        return 0
    return max(0, _libc().syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION_FLAG))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _called(number: int, *arguments: object) -> int:
    result: int = _libc().syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "the sandbox could not be made")
    return result


def _enter(folder: str) -> None:
    """Confine this process, and all it starts, to the folder and the system's programs."""
    abi = _abi()
    every = (1 << _RIGHTS_BY_ABI.get(abi, 16)) - 1
    attributes = _Ruleset(every, _TCP, _UNIX_AND_SIGNALS)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    ruleset = _called(_CREATE, ctypes.byref(attributes), ctypes.c_size_t(size), 0)
    _allow(ruleset, folder, every)
    for path in (*_SYSTEM, *_SETTINGS):
        _allow(ruleset, path, _EXECUTE | _READ | _LIST)
    for path in _DEVICES:
        _allow(ruleset, path, _READ | _WRITE | _TRUNCATE)
    if _libc().prctl(_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the sandbox could not be made")
    _called(_RESTRICT, ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not Path(path).is_dir():
        rights &= _EXECUTE | _READ | _WRITE | _TRUNCATE
    rule = _Beneath(rights, place)
    _called(_ADD, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
    os.close(place)


def _limit(cpu_seconds: int) -> None:
    limits = {
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_FSIZE: FILE_BYTES,
        resource.RLIMIT_AS: MEMORY_BYTES,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CORE: 0,
    }
    for which, most in limits.items():
        _, hard = resource.getrlimit(which)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(ValueError, OSError):  # macOS names some limits that it does not support
            resource.setrlimit(which, (allowed, allowed))


def main(folder: str, cpu_seconds: str, command: str) -> None:
    """Enter the sandbox, if this system has one, and become the shell."""
    _limit(int(cpu_seconds))
    if confinement() is not Confinement.NONE:
        _enter(folder)
    os.execv(SHELL, [SHELL, "-c", command])  # noqa: S606 - a shell is what was asked for


if __name__ == "__main__":
    main(*sys.argv[1:])
