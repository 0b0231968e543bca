"""The story that the demo's script tells: long enough to watch it and to stop it."""

STORY = """\
Once upon a time there was an agent that could do anything, and so nobody dared to let it do \
anything.

It could delete files, and it could send money, and it could talk to machines far away. People \
looked at it as one looks at a very sharp knife in a drawer. "What if it is wrong?" they said. \
"What if it is right," said the agent, "and you never find out?"

Then somebody had a small idea. Let it say what it wants to do, exactly, and let it wait. Let a \
person read it and say yes, or no, or: not like that, like this. And let what was said be \
written down, so that nobody has to remember it.

The first request was a small one, to water the plants, and it was approved. The second was to \
sell the house, and it was not, with the words "Do not run it again unless I ask for it." The \
agent did not mind. It had never been told before why something was a bad idea.

One night the power failed in the middle of everything. In the morning the requests were all \
still there, in the order in which they had come, waiting. The agent read them, and so did the \
people, and one by one they were decided. And what was approved ran, once.

That is the whole story. I am a scripted, offline model, so it is always the same one."""
