"""Bot processes: how they are started, asked, suspended and ended."""
