"""One game between two players."""
