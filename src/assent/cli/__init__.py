"""The command line: `assent demo` to try it, `assent chat` and others to use it."""

import asyncio
import sys
from collections.abc import Sequence

from assent.cli.arguments import FAILED, parser

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; errors are one line on stderr, unless `--debug` asks for all of it."""
    options = parser().parse_args(argv)
    # Only now: `assent --version` and `--help` need nothing of what a command needs.
    from assent.cli.commands import run
    from assent.errors import AssentError

    try:
        return asyncio.run(run(options))
    except (KeyboardInterrupt, asyncio.CancelledError):
        return INTERRUPTED
    except (AssentError, OSError) as error:
        if options.debug:
            raise
        print(f"assent: {error}", file=sys.stderr)
        return FAILED
