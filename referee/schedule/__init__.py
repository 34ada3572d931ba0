"""Who meets whom, and from which openings. Pure."""
