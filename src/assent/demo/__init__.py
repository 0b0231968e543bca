"""An agent to try Assent with: real tools in a folder of their own, and a model that is a script."""
