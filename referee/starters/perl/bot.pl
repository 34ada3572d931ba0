#!/usr/bin/env perl
# @NAME@, a Blockade bot that plays random legal moves. Your code goes into `choose`.
#
# The referee writes lines to standard input and reads the answers from standard output. Print
# debugging text to STDERR, or as a line that starts with `info`.

use strict;
use warnings;

# The move to play.
sub choose {
    my ($game, $turn) = @_;
    my $variant = $game->{variant};    # standoff, barricade, lockdown, runner or crossfire
    my ($rows, $cols) = ($game->{rows}, $game->{cols});
    my $origin  = $game->{origin};     # the number of the first row and column, 0 or 1
    my $seat    = $game->{seat};       # 1 or 2; seat 1 moves first
    my $ply     = $turn->{ply};        # this move's number; $turn->{moves} has those before it
    my $time_ms = $turn->{time_ms};    # the most that this answer may take
    # The rows from the top, joined by "/"; "." is empty. The cell row,col is
    # substr($board, ($row - $origin) * ($cols + 1) + $col - $origin, 1).
    my $board = $turn->{board};
    my $empty = ($board =~ tr/.//);
    my @legal = split /;/, $turn->{legal};
    my $note = "$variant ${rows}x$cols from $origin, seat $seat, ply $ply, $time_ms ms";
    print "info $note, $empty empty cells, ${\scalar @legal} legal moves\n";

    # >>> YOUR CODE GOES HERE: return a better move than this random one. <<<
    srand($game->{seed} % 2**31);    # the same game gives the same numbers...
    rand for 0 .. $ply + 1;          # ...and each ply has its own
    return $legal[rand @legal];
}

$| = 1;    # flush after every print: what stays in a buffer is never seen
my $game = {};
while (my $line = <STDIN>) {
    my ($verb, @words) = split ' ', $line;
    next unless defined $verb;
    my %fields = map { split /=/, $_, 2 } grep { /=/ } @words;
    if ($verb eq 'game') {             # a new game: the same process may play many
        $game = \%fields;
        print "ready\n";
    }
    elsif ($verb eq 'turn') {
        print 'move ', choose($game, \%fields), "\n";
    }
    elsif ($verb eq 'quit') {
        last;
    }
    # `end` has the outcome; ignore it, and verbs of later versions of the protocol.
}
