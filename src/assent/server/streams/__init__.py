"""Turns as the streams that frontends understand."""
