"""Statistics over time, as plots and tables."""
