"""Turns as streams, in the protocols that frontends understand."""
