"""Pages for people: rendered here, working without a script, better with one."""
