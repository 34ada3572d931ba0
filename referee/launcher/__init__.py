"""A separate program that starts bots, confines them, and ends all of their processes.

It imports nothing of the rest of the package and little of the library, because a run waits for it
to start and it forks once per bot: `typing` alone would be a fifth of its start. The referee sends
a command, its confinement and four descriptors; the launcher forks a supervisor, which forks the
bot.

    referee --- launcher --- supervisor --- bot --- processes that the bot starts

cgroup          A control group per bot, where the kernel permits it
confine         Apply a confinement to the process that becomes the bot
file_metadata   Change permissions and times of files on behalf of a bot
landlock        Restrict file access with Landlock
main            Receive requests and fork a supervisor for each
private_root    A root folder that contains only what a bot may see
process_memory  Measure the memory of processes, and list their open files
process_tree    List, stop and kill all processes below this one
request         Types of the requests, for type checking only
scratch_folder  Create, measure and remove the scratch folder of a bot
seccomp         Filter system calls
socket_memory   Bound the kernel memory that sockets hold
supervisor      Start one bot, watch it, stop and resume it, and end it
syscalls        System calls that Python's library does not offer
"""
