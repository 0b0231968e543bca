"""One request: its card, its forms and its verdicts."""
