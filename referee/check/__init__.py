"""Protocol conformance of a bot."""
