"""Bot processes: start them, exchange lines with them, suspend them and end them.

bot           A bot whose processes are started when they are needed
command       Command and confinement of a bot: plain data
exchange      Requests and answers between the referee and the players of one game
exit_status   Exit status of a process
launcher      Client of the launcher process
output_state  What was received from a player, and how its process ended
player        The interface of a player: a bot's process or a person
poller        Poll the output and status pipes of several players
process       One process of a bot: pipes, status messages, suspend, kill
supervised    Run a program that is no bot to its end
watchdog      Interrupt blocking reads with SIGALRM after a fixed period
"""
