"""The native API: typed, documented, paged."""
