"""Games on disk: the only truth about a tournament."""
