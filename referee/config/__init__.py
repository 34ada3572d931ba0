"""The tournament file and the bots that it names."""
