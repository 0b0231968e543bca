"""Web pages for people: rendered on the server, usable without a script, better with one."""
