"""An agent to try Assent with: real tools in one folder, and a model that is a script."""
