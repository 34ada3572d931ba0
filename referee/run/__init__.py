"""Playing a tournament: engines, workers, progress and results."""
