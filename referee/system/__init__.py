"""Interface to the operating system: signals, standard streams, cores, resource limits.

cores               Processor cores that this process may use
cpu_quota           Processor time that control groups grant
deadline            A limit of time as a condition
full_screen         A program that uses the whole window of a terminal
garbage_collection  Context managers that pause or relax garbage collection
keys                Keys from the bytes that a terminal sends
machine             Identity of the machine that this process runs on
open_files          Raise the limit on open files
output              Standard output and error that never raise
parent_death        End a process together with its parent
resource_errors     Messages about refused resources, with the limit to raise
shebang             Read the first line of a script as the kernel does
signals             SIGINT, SIGTERM and SIGHUP as KeyboardInterrupt, deferred or blocked; Ctrl-Z
terminal            Abilities of the terminal: colour, cursor, links
"""
