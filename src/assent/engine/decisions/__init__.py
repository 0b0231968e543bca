"""People's decisions: the checks they must pass, and the changes they make."""
