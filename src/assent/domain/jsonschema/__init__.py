"""JSON schemas that strangers wrote: validated offline, with every step counted."""
