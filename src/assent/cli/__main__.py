"""Entry point for `python -m assent.cli`, for when the script `assent` is not on the path."""

import sys

from assent.cli import main

sys.exit(main())
