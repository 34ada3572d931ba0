"""Operating system: signals, output, cores, memory management of the interpreter."""
