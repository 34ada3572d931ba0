"""People as players, at a terminal or through a pipe.

console     Terminal input with a deadline, and output
player      HumanPlayer: a person in the place of a bot's process
coach       Messages about moves that give the win away, and hints
game_view   One game on the screen
board_view  Names and appearance of cells
move_input  Parse moves typed by a person
dialogues   The wording of each game
"""
