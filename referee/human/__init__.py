"""People as players."""
