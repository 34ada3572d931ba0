"""A program of its own that starts bots, confines them, and lets nothing of them outlive its time.

It imports nothing of the rest of the package and little of the library, because a run waits for it
to start and it forks once per bot: `typing` alone would be a fifth of it. The referee sends it a
command, its cage and four descriptors; it forks a supervisor, and the supervisor forks the bot.

    referee --- launcher --- supervisor --- bot --- whatever the bot starts
"""
