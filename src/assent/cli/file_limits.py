"""File handles: every connection takes one, and a process that has none left accepts no client."""

import contextlib
import sys


def handles_for(wanted: int) -> int:
    """Ask the system for so many file handles; return how many this process may have open."""
    if sys.platform == "win32":
        return wanted
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    # Some systems have a lower limit than the one they report.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
