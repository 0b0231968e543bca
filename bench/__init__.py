"""What the hot paths cost, against this machine's own floor in the same run."""
