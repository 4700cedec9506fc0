#!/usr/bin/env bash
# scenes.sh -- the scenes of docs/validation/cases.md, run as they are, give the number that their "expect" names.
#
# `impel validate` builds the same worlds in code, with more quantities and tighter bounds; each scene that it names (--list) must
# have been run here. Numbers are closed forms, the reference's, or those of another program, and never what Impel printed.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"

mkdir table1

# flies SCENE WORDS...: runs it
flies() {
    local scene=$1
    shift
    gives "$scene runs" 0 run "$SOURCE/scenes/$scene.json" --json "$@"
    cp out "$scene.out"
    echo "$scene" >>ran
}

# ends SCENE WORDS...: runs it, without a warning
ends() { flies "$@" --strict; }

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

# level SCENE BODY: cosine of the angle between its z axis and the vertical
level() {
    awk -v x="$(value "$1" "$2" orientation 2)" -v y="$(value "$1" "$2" orientation 3)" 'BEGIN { print 1 - 2 * (x * x + y * y) }'
}

# all_rest NAME SCENE: no body of it moves
all_rest() { is "$1" "$(grep '"velocity"' "$2.out" | grep -vc '\[0, 0, 0\]')" 0; }

# way_down SCENE BODY DEGREES: how far along a slope that falls towards +x
way_down() {
    awk -v x="$(value "$1" "$2" position 1)" -v z="$(value "$1" "$2" position 3)" -v a="$3" \
        'BEGIN { a *= atan2(0, -1) / 180; print x * cos(a) - z * sin(a) }'
}

# turned SCENE BODY: about y, in rad, of a body that turns about y only
turned() {
    awk -v w="$(value "$1" "$2" orientation 1)" -v y="$(value "$1" "$2" orientation 3)" 'BEGIN { print 2 * atan2(y, w) }'
}

# unmirrored SCENE: how far balls 1 to 15 of a rack are from their mirror images in y, worst
unmirrored() {
    awk '$1 == "\"name\":" { split($2, part, /[".]/); n = part[3] }
         $1 == "\"position\":" { gsub(/[][,]/, " "); x[n] = $2; y[n] = $3 }
         function size(a) { return a < 0 ? -a : a }
         END { for (row = 1; row <= 5; first += row++)
                   for (k = 1; k <= row; k++) {
                       a = first + k; b = first + row + 1 - k
                       if (size(x[a] - x[b]) > worst) worst = size(x[a] - x[b])
                       if (size(y[a] + y[b]) > worst) worst = size(y[a] + y[b])
                   }
               print x[15] == "" ? "" : worst + 0 }' "$1.out"
}

# --- free flight and prescribed motion --------------------------------------------------------------------------------
flies tumbling_brick
near "the brick has turned, w" "$(value tumbling_brick brick orientation 1)" 0.7942741500 1e-9
near "x" "$(value tumbling_brick brick orientation 2)" 0.2519400372 1e-9
flies dzhanibekov -t 12.0695799
# the fourth time that the spin about its middle axis, y, is nothing
spin=$(awk '$1 == "\"orientation\":" { gsub(/[][,]/, " "); w = $2; x = $3; y = $4; z = $5 }
            $1 == "\"angular_velocity\":" { gsub(/[][,]/, " ")
                print 2 * (x * y - w * z) * $2 + (1 - 2 * (x * x + z * z)) * $3 + 2 * (y * z + w * x) * $4 }' dzhanibekov.out)
near "the racket flips" "$spin" 0 1e-5
flies precession
near "the wheel has turned, w" "$(value precession wheel orientation 1)" 0.24698329155522075 1e-9
near "z" "$(value precession wheel orientation 4)" 0.9610571473797734 1e-9
flies thrown_brick
near "x of the brick" "$(value thrown_brick brick position 1)" 50.6725 1e-10
near "z" "$(value thrown_brick brick position 3)" 56.85055 1e-10
flies feeders
near "the platter is back" "$(value feeders platter orientation 1)" -1 1e-12
near "the bowl is at its top" "$(value feeders bowl position 3)" 0.0005 1e-12

# --- contact ----------------------------------------------------------------------------------------------------------
ends bouncing_ball
near "the ball lies at its height" "$(value bouncing_ball ball position 3)" 0.050005 1e-9
near "and does not move" "$(value bouncing_ball ball velocity 3)" 0 0
ends slope
near "the block lies where it was put" "$(value slope block position 1)" 0.0221834757 1e-9
near "and does not move" "$(value slope block velocity 1)" 0 0
ends sliding_block
near "the block stops" "$(value sliding_block block position 1)" 1.515845 2e-5
ends blocks_on_slope
near "friction of 0.4 stops a block" "$(way_down blocks_on_slope block4 20)" 6.021625 6e-4
near "friction of 0.5" "$(way_down blocks_on_slope block5 20)" 1.594929 1.6e-4
near "friction of 0.7" "$(way_down blocks_on_slope block7 20)" 0.645650 6e-5
near "friction of 0.9" "$(way_down blocks_on_slope block9 20)" 0.404749 4e-5
all_rest "and all are at rest" blocks_on_slope
# the first impacts; with -t 6 the scene is the experiment, and `impel validate funnel` has 1.5 s of it
ends funnel
near "no pair of cubes overlaps by more than 6 mm" "$(awk '$1 == "\"overlap\":" { print $2 + 0; exit }' funnel.out)" 0 6e-3
is "no cube is outside" "$(awk '$1 == "\"name\":" { cube = $2 ~ /cube/ }
    cube && $1 == "\"position\":" { gsub(/[][,]/, " "); n += $2 * $2 < 400 && $3 * $3 < 400 && $4 > 0 } END { print n }' funnel.out)" 1000
ends tippe_top -t 1.4166
near "the top's axis is level" "$(level tippe_top top)" 0 1e-3
ends slope_reversal
near "the block creeps" "$(way_down slope_reversal block 14.036243467926479)" 0.0108 5e-4
ends tall_block
near "the tall block has not turned" "$(turned tall_block block)" 0.3141592654 1.8e-6
all_rest "and is at rest" tall_block
ends block_on_platter
near "the block rides on the platter, x" "$(value block_on_platter block position 1)" -0.08390715 1e-6
near "y" "$(value block_on_platter block position 2)" -0.05440211 1e-6
# two corners hit, 74 us apart; each blow integrated along p_z by a program of its own, Poisson's e = 0.5 and mu = 0.3
ends bullet
near "the cube is thrown back" "$(value bullet cube velocity 3)" 49.3520957 1e-6
near "and aside" "$(value bullet cube velocity 1)" -62.5608354 1e-6
near "and spins" "$(value bullet cube angular_velocity 2)" -4873.98274 1e-4
ends bounce_with_friction
near "5/7 of the speed along the floor is left" "$(value bounce_with_friction ball velocity 1)" 1.428571428571 1e-11
near "the ball leaves rolling" "$(value bounce_with_friction ball angular_velocity 2)" 57.142857142857 1e-9
ends superball -t 0.03
near "3/7 is left to the superball" "$(value superball ball velocity 1)" 0.042857142857 1e-11
near "which spins" "$(value superball ball angular_velocity 2)" 5.714285714286 1e-9
ends superball
near "the second bounce gives the speed back" "$(value superball ball velocity 1)" 0.1 1e-11
near "and takes the spin" "$(value superball ball angular_velocity 2)" 0 1e-9
ends dropped_rod
near "the rod goes aside" "$(value dropped_rod rod velocity 1)" -0.10032799298 1e-9
near "and turns" "$(value dropped_rod rod angular_velocity 2)" -2.305613740 1e-8
ends brick_drops
all_rest "every brick is at rest" brick_drops
ends billiard
near "x(1) of the billiard ball" "$(value billiard ball position 1)" 1.422658 1e-6
near "y(1)" "$(value billiard ball position 2)" -0.320777 1e-6
ends rolling_cylinder
near "the cylinder rolls" "$(value rolling_cylinder cylinder velocity 1)" 2 1e-6
ends platter
near "back after four turns, x" "$(value platter ball position 1)" 0.1 1e-5
near "back after four turns, y" "$(value platter ball position 2)" 0 1e-5
ends platter_still
near "the ball stays, x" "$(value platter_still ball position 1)" 0.1 1e-9
near "the ball stays, y" "$(value platter_still ball position 2)" 0 1e-9
ends ramp
near "the ball rolls on" "$(value ramp ball velocity 1)" 2.868209 5.7e-3
# the reference's spin; it swings by 0.35 rad/s in 20 ms, so that 0.06 rad/s are 3 ms
ends rattleback -t 3
near "the rattleback has just turned round" "$(value rattleback rattleback angular_velocity 3)" 0.27573973 0.01
ends rattleback
near "and spins the other way after 5 s" "$(value rattleback rattleback angular_velocity 3)" 4.2728288 0.06
ends euler_disc
near "the disc keeps its height" "$(value euler_disc disc position 3)" 0.0065129 1e-6
ends rolling_coin
near "x(1.5) of the coin" "$(value rolling_coin coin position 1)" 0.059698 5e-4
near "y(1.5)" "$(value rolling_coin coin position 2)" 0.098655 5e-4
# a pendulum upside down from side to side, which keeps 0.98719 of its spin at each: 25 of them
ends rolling_prism
near "the prism rolls on" "$(value rolling_prism wheel angular_velocity 2)" 2.0939194 1e-3
ends marbles
near "the last marble rolls" "$(value marbles marble.4 velocity 1)" 0.357143 3.6e-4
ends marbles_lossy -t 0.0024
near "first the striker keeps 0.025" "$(value marbles_lossy marble.0 velocity 1)" 0.0125 5e-10
near "and the marble before the last 0.0231715" "$(value marbles_lossy marble.3 velocity 1)" 0.0115857421875 5e-10
ends marbles_lossy
near "after ten blows the striker has 0.0232592" "$(value marbles_lossy marble.0 velocity 1)" 0.011629592910766599 5e-10
near "the marble before the last 0.0249093" "$(value marbles_lossy marble.3 velocity 1)" 0.01245467285156251 5e-10
near "and the last 0.9036879" "$(value marbles_lossy marble.4 velocity 1)" 0.45184394531249995 5e-10
ends three_balls
near "the ball of 1 kg comes back" "$(value three_balls ball.0 velocity 1)" -0.333333333333 1e-9
near "so does that of 2 kg" "$(value three_balls ball.1 velocity 1)" -0.133333333333 1e-9
near "that of 3 kg goes on" "$(value three_balls ball.2 velocity 1)" 0.533333333333 1e-9
ends pool_break -t 0.015
push=$(awk '/"linear"/ { gsub(/[][,]/, " "); print $2 }' pool_break.out)
near "before the break all momentum is the cue ball's" "$push" 1.354997 1e-4
ends pool_break -t 0.075
near "the break is mirrored 50 ms after the hit" "$(unmirrored pool_break)" 0 1e-6
ends pool_oblique
x=$(value pool_oblique cue velocity 1)
y=$(value pool_oblique cue velocity 2)
near "the cue ball's direction" "$(awk -v x="$x" -v y="$y" 'BEGIN { print -y / x }')" 0.66617 2e-5
ends dish
all_rest "every ball in the dish is at rest" dish
ends bin
all_rest "every part in the bin is at rest" bin
ends pushed_block
near "the block is over" "$(value pushed_block block position 3)" 0.050005 1e-7
ends pushed_block_stays
near "the block stands" "$(value pushed_block_stays block position 3)" 0.150005 1e-7
all_rest "and is at rest" pushed_block_stays
# rocking: the spin changes by 10 rad/s^2, 5e-3 rad/s within a hop; what is kept is good to 1e-3, so that the lean is to 2e-3
ends rocking_block -t 0.251
near "the block is about to come down" "$(value rocking_block block angular_velocity 2)" -1.689266 5e-3
ends rocking_block -t 0.255
near "and has kept 0.793103" "$(value rocking_block block angular_velocity 2)" -1.335754 5e-3
ends rocking_block
near "and leans the other way" "$(turned rocking_block block)" -0.1043704 2.1e-4
ends falling_block
near "the block falls" "$(value falling_block block angular_velocity 2)" 5.843 2e-2
ends tilting_bed -t 1.8
near "the block lies on the bed" "$(value tilting_bed block position 1)" 0.071757975 1e-7
near "and turns with it" "$(value tilting_bed block angular_velocity 2)" 0.00174532925 1e-7
# s'' = Omega^2 s + g sin - mu (g cos - 2 Omega s' - Omega^2 n) in the bed's axes, integrated from 1.992430 s on: s(3) = 3.048240 mm
ends tilting_bed -t 3
near "the block has slid" "$(value tilting_bed block position 1)" 0.075177534 1e-6
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

# --- table 1 ----------------------------------------------------------------------------------------------------------
ends table1/ball_on_platter
near "40 s on the platter, x" "$(value table1/ball_on_platter ball position 1)" 0.081900413 1e-5
near "y" "$(value table1/ball_on_platter ball position 2)" -0.054307609 1e-5
# three gaps of 0.1 mm with friction in each: v^2 falls by 6 mu g gap, and 5/7 of what is left rolls. A gap is crossed in 0.2 ms and a hop
# takes 1.8 ms, so that friction is that of hops and not of the gap: the reference's 0.1 %, which 0.357143, without gaps, misses
ends table1/chain_of_balls
near "the last ball rolls" "$(value table1/chain_of_balls marble.3 velocity 1)" 0.356301 3.56e-4
ends table1/ramp
near "the ball rolls on" "$(value table1/ramp ball velocity 1)" 2.868209 5.7e-3
ends table1/rattleback -t 3
near "the one against has just turned round" "$(value table1/rattleback against angular_velocity 3)" 0.27573973 0.01
ends table1/rattleback
near "and spins the other way after 5 s" "$(value table1/rattleback against angular_velocity 3)" 4.2728288 0.06
near "the one along spins on" "$(value table1/rattleback along angular_velocity 3)" 4.3384254 0.06
ends table1/pool_break -t 0.195
near "the break is mirrored 50 ms after the hit" "$(unmirrored table1/pool_break)" 0 1e-6
ends table1/bowling -t 2.45
near "the ball before the head pin, x" "$(value table1/bowling ball position 1)" 18.08805 0.012
near "y" "$(value table1/bowling ball position 2)" -0.09074 5e-3
near "its speed" "$(value table1/bowling ball velocity 1)" 6.0844 0.012
near "and aside" "$(value table1/bowling ball velocity 2)" 0.8295 1.7e-3
ends table1/bowling
down=$(awk '$1 == "\"name\":" { pin = $2 ~ /pin/ } pin && $1 == "\"orientation\":" { gsub(/[][,]/, " ")
            n += $3 * $3 + $4 * $4 > 0.0075961 } END { print n }' table1/bowling.out)   # by more than 10 degrees
is "a strike" "$down" 10
ends table1/balls_in_dish
all_rest "five balls are at rest" table1/balls_in_dish
# their middles are 0.48 m from that of the hollow, less what its facets take away
far=$(awk '$1 == "\"name\":" { ball = $2 ~ /ball/ }
           ball && $1 == "\"position\":" {
               gsub(/[][,]/, " "); off = 0.48 - sqrt($2 * $2 + $3 * $3 + (0.5 - $4) ^ 2)
               if (off < 0) off = -off
               if (off > worst) worst = off }
           END { print worst }' table1/balls_in_dish.out)
near "each of them on the bowl" "$far" 0 5e-4
ends table1/coins_32 -t 5
all_rest "every coin is at rest" table1/coins_32
ends table1/dominos -t 0.75 --contacts dominos.csv
wave=$(awk -F, '{ split($2, a, "."); split($3, b, "."); m = a[2] > b[2] ? a[2] : b[2] }
                a[1] == "piece" && b[1] == "piece" && (a[2] - b[2]) ^ 2 == 1 && !(m in first) { first[m] = $1 }
                END { if (first[28]) print 0.024 * 10 / (first[28] - first[18]) }' dominos.csv)
near "the wave of dominos runs" "$wave" 1.23677 0.025

# Marbles of 5120 facets are smooth only from afar. Blows without friction: what the normal velocity is before is minus what it is after. Then
# a polyhedron rolls like a wheel without rim: it loses alpha^2 / 2.8 of its spin on each facet, alpha their height as an angle, if the band is
# small against their depth of 9 um. 5120 equal triangles have alpha = 0.0652: 0.02329 a radian.
ends table1/marbles -t 0.1742 --contacts marbles.csv
blows=$(awk -F, 'NR > 1 && $22 == 0 && $2 != "floor" && $3 != "floor" { n = n " " $2 "-" $3 } END { print n }' marbles.csv)
is "one blow after the other" "$blows" " striker-marble.0 marble.0-marble.1 marble.1-marble.2 marble.2-marble.3"
change=$(awk -F, 'NR > 1 && $22 == 0 && $2 != "floor" && $3 != "floor" {
                      sum = ($13 + $16) * $7 + ($14 + $17) * $8 + ($15 + $18) * $9
                      if (sum < 0) sum = -sum
                      if (sum > worst) worst = sum }
                  END { print worst + 0 }' marbles.csv)
near "and none loses or gains" "$change" 0 1e-12
for t in 0.5 1.5; do
    ends table1/marbles -t $t --band 1.6e-6
    v="${v:-} $(value table1/marbles marble.3 velocity 1) $(value table1/marbles marble.3 position 1)"
done
rate=$(awk -v v="$v" 'BEGIN { split(v, a, " "); print log(a[1] / a[3]) / ((a[4] - a[2]) / 0.008) }')
near "the last marble loses at its facets" "$rate" 0.02329 0.0023

# --- all that validate names ------------------------------------------------------------------------------------------
"$IMPEL" validate --list --json | sed -n 's|.*"scenes/\(.*\)\.json".*|\1|p' | sort -u >named
is "validate names scenes" "$(test "$(wc -l <named)" -ge 40 && echo yes)" yes
is "each of them was run" "$(sort -u ran | comm -13 - named)" ""
done_testing
