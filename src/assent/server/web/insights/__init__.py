"""Figures over time, as plots and tables."""
