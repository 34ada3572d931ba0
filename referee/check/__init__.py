"""Protocol conformance of a bot: `referee check` runs these steps and explains failures.

steps      The steps and their order
runner     Run the steps; turn faults into results with hints
candidate  BotUnderTest: send single requests to a bot and check its answers
positions  Boards and positions; find a position with a given property
"""
