"""Files that people upload: taken in, kept in chunks, lent to bodies, and deleted."""
