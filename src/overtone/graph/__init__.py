"""Algorithm 2: who is near whom, how much they agree, and the walk that this makes."""
