"""The commands of the command line: each has `add_arguments`, `run`, and its help as docstring."""
