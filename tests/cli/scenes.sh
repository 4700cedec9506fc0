#!/usr/bin/env bash
# scenes.sh -- the scenes of the catalogue, run as they are, give the number that their "expect" names.
#
# `impel validate` builds the same worlds in code, with more quantities and tighter bounds.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"

# ends SCENE WORDS...: runs it, without a warning
ends() {
    local scene=$1
    shift
    gives "$scene runs" 0 run "$SOURCE/scenes/$scene.json" --strict --json "$@"
    cp out "$scene.out"
}

# value SCENE BODY KEY INDEX: a component, from 1
value() {
    awk -v body="\"$2\"," -v key="\"$3\":" -v at="$4" '
        $1 == "\"name\":" { here = $2 == body }
        here && $1 == key { gsub(/[][,]/, " "); print $(at + 1); exit }' "$1.out"
}

# near NAME GOT WANT ALLOWED
near() {
    if awk -v a="$2" -v b="$3" -v d="$4" 'BEGIN { exit !(a != "" && a - b <= d && b - a <= d) }'; then ok "$1"
    else not_ok "$1" "got:  $2" "want: $3 within $4"; fi
}

ends bouncing_ball
near "the ball lies at its height" "$(value bouncing_ball ball position 3)" 0.050005 1e-9
near "and does not move" "$(value bouncing_ball ball velocity 3)" 0 0
ends slope
near "the block lies where it was put" "$(value slope block position 1)" 0.0221834757 1e-9
near "and does not move" "$(value slope block velocity 1)" 0 0
ends sliding_block
near "the block stops" "$(value sliding_block block position 1)" 1.515845 2e-5
ends bullet
near "the cube is thrown back" "$(value bullet cube velocity 3)" 100 99
ends brick_drops
is "every brick is at rest" "$(grep '"velocity"' brick_drops.out | grep -vc '\[0, 0, 0\]')" 0
ends billiard
near "x(1) of the billiard ball" "$(value billiard ball position 1)" 1.422658 1e-6
near "y(1)" "$(value billiard ball position 2)" -0.320777 1e-6
ends rolling_cylinder
near "the cylinder rolls" "$(value rolling_cylinder cylinder velocity 1)" 2 1e-6
ends platter
near "back after four turns, x" "$(value platter ball position 1)" 0.1 1e-5
near "back after four turns, y" "$(value platter ball position 2)" 0 1e-5
ends ramp
near "the ball rolls on" "$(value ramp ball velocity 1)" 2.868209 5.7e-3
ends rattleback
near "spins the other way after 5 s" "$(value rattleback rattleback angular_velocity 3)" 4.3 1.2
ends euler_disc
near "the disc keeps its height" "$(value euler_disc disc position 3)" 0.0065129 1e-6
ends rolling_coin
near "x(1.5) of the coin" "$(value rolling_coin coin position 1)" 0.059698 5e-4
near "y(1.5)" "$(value rolling_coin coin position 2)" 0.098655 5e-4
ends marbles
near "the last marble rolls" "$(value marbles marble.4 velocity 1)" 0.357143 3.6e-4
ends pool_break -t 0.015
push=$(awk '/"linear"/ { gsub(/[][,]/, " "); print $2 }' pool_break.out)
near "before the break all momentum is the cue ball's" "$push" 1.354997 1e-4
ends pool_oblique
x=$(value pool_oblique cue velocity 1)
y=$(value pool_oblique cue velocity 2)
near "the cue ball's direction" "$(awk -v x="$x" -v y="$y" 'BEGIN { print -y / x }')" 0.66617 2e-5
ends dish
is "every ball in the dish is at rest" "$(grep '"velocity"' dish.out | grep -vc '\[0, 0, 0\]')" 0
ends bin
is "every part in the bin is at rest" "$(grep '"velocity"' bin.out | grep -vc '\[0, 0, 0\]')" 0
ends pushed_block
near "the block is over" "$(value pushed_block block position 3)" 0.050005 1e-7
ends falling_block
near "the block falls" "$(value falling_block block angular_velocity 2)" 5.843 2e-2
ends tilting_bed -t 1.8
near "the block lies on the bed" "$(value tilting_bed block angular_velocity 2)" 0.00174533 1e-3
ends tilting_bed -t 3
near "the block slides" "$(value tilting_bed block velocity 1)" 0.0091 9e-3
ends conveyor -t 0.4
from=$(value conveyor part position 1)
ends conveyor
to=$(value conveyor part position 1)
near "the part walks" "$(awk -v a="$from" -v b="$to" 'BEGIN { print (b - a) / 2 }')" 0.00895 1.8e-4
ends pusher
near "the last block is where the wall has pushed it" "$(value pusher block.2 position 1)" 1.3 3e-5
near "at the wall's speed" "$(value pusher block.2 velocity 1)" 0.2 2e-4
ends painleve_rod
lost=$(awk '$1 == "\"total\":" { e = $2 + 0 } $1 == "\"initial\":" { print e - $2 }' painleve_rod.out)
near "the rod jams" "$lost" -1.82061 1e-4
done_testing
