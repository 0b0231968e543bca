"""The command line: `assent demo` to try the package, `assent chat` and others to use it."""

import asyncio
import sys
from collections.abc import Sequence

from assent.cli.arguments import FAILED, parser

INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; an error is one line on stderr, or a full traceback with `--debug`."""
    options = parser().parse_args(argv)
    if options.command == "hook":
        # Its errors are answers, too: one that is not caught would let a call through.
        from assent.cli.hook import answer

        return answer(options)
    # Imported only now: `assent --version` and `--help` do not need the modules of the commands.
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
