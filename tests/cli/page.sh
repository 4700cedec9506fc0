#!/usr/bin/env bash
# page.sh -- pages from the command line: one file that holds all of a run, side by side, opened by a browser.
#
# What is in them is read back by tests of viewer/test; here: that they are written, whole, once, and never by accident.
# SPDX-License-Identifier: MIT
. "$(dirname "$0")/check.bash"

ball="$SOURCE/scenes/bouncing_ball.json"
run run "$ball" -t 0.1 -q -o probe.html
if [ "$code" = 5 ] && grep -q "run './dev viewer' in the source folder" err; then
    is "a build without the template says so and leaves no file" "$(ls probe.html* 2>/dev/null)" ""
    echo "skipped: this build makes no pages"
    exit 77
fi
gives "a page" 0 run "$ball" -t 1 -o a.html
holds "is named" out '^samples: a.html \([0-9]+\)'
holds "holds its run" a.html '<script type="text/plain" id="run0">[A-Za-z0-9+/=]+</script>'
holds "says the format" a.html '"format": "impel-page"'
is "one place is filled in" "$(grep -c 'id="page"' a.html)" 1
is "no marker is left" "$(grep -c '^<!-- runs -->$' a.html)" 0
run run "$ball" -t 1 -q -o b.html
if cmp -s a.html b.html; then ok "equal runs, equal pages"; else not_ok "equal runs, equal pages"; fi
gives "over a page that is there" 6 run "$ball" -t 1 -q -o a.html
gives "into a folder that is not there" 6 run "$ball" -t 1 -q -o nowhere/a.html
gives "of a run of no time" 0 run "$ball" -t 0 -q -o zero.html
gives "of nothing but a floor" 0 run - -q -o floor.html <<'SCENE'
{ "impel": 1, "bodies": [ { "name": "floor", "fixed": true, "shape": { "plane": { "normal": [0, 0, 1] } } } ], "run": { "duration": 0.1 } }
SCENE
gives "of nothing at all" 0 run - -q -o nothing.html <<<'{ "impel": 1, "bodies": [], "run": { "duration": 0.1 } }'

run run "$ball" -t 1 -q -o a.rec
gives "a page of a recording" 0 convert a.rec c.html -q
if cmp -s a.html c.html; then ok "is the page of the run"; else not_ok "is the page of the run"; fi

name='a <b>"x"'"'"'&.json'
cp "$ball" "$name"
gives "a file with a name full of markup" 0 run "$name" -t 0.1 -q -o markup.html
lacks "shows none of it as markup" markup.html '"title": ".*<b>'
long=$(printf 'x%.0s' $(seq 10000))
sed "s#\"about\": \"[^\"]*\"#\"about\": \"</script><script>alert(1)</script>$long\"#" "$ball" >long.json
gives "an about of ten thousand letters and a script" 0 run long.json -t 0.1 -q -o long.html
holds "is escaped" long.html '\\u003c/script>\\u003cscript>alert\(1\)'
is "and ends no element" "$(grep -c '</script><script>alert' long.html)" 0

gives "two methods" 0 compare "$ball" --methods impulse,flight -t 1 -o cmp.html
holds "are told apart" out '^impulse +0.01 '
holds "how far" out 'm \(ball\)'
holds "both are in" cmp.html 'id="run1"'
gives "one method, three steps" 0 compare "$ball" --methods impulse --dt 0.01,0.005,0.002 -t 0.5 -q -o steps.html
holds "have their names" steps.html '"label": "impulse, dt 0.005 s"'
coins=$SOURCE/scenes/table1/coins_32.json
gives "a step too long for one of the methods" 0 compare "$coins" --methods impulse,iterated -t 0.1
holds "is taken in parts" err '^note: iterated: [1-9][0-9]* of 6 steps of 0.0166667 s were taken in parts; a smaller --dt may need none$'
gives "without a page" 0 compare "$ball" --methods impulse,flight -t 0.2
gives "schemes of one method" 0 compare "$ball" --methods lcp,lcp:position --dt 0.001 -t 0.2 -q -o schemes.html
holds "have theirs" schemes.html '"label": "lcp, position"'
gives "a scheme that does not exist" 2 compare "$ball" --methods lcp,lcp:implicit -t 0.2
gives "one run" 2 compare "$ball" --methods impulse
gives "seven runs" 2 compare "$ball" --dt 1,2,3,4,5,6,7
gives "lists that do not fit" 2 compare "$ball" --methods impulse,flight --dt 0.1,0.2,0.3
gives "a step of nothing" 2 compare "$ball" --methods impulse --dt 0.1,0
gives "nothing to compare" 2 compare "$ball"
gives "a method nobody knows" 2 compare "$ball" --methods impulse,fligth
gives "a comparison as a trace" 2 compare "$ball" --methods impulse,flight -o cmp.csv

printf '#!/bin/sh\necho "$1" >"%s/opened"\n' "$work" >browser
chmod +x browser
export BROWSER=$work/browser TMPDIR=$work
gives "a look at a scene" 0 view "$ball" -t 0.2
page=$(head -1 out)
holds "names its page" out '/bouncing_ball.html$'
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -s opened ] && break; sleep 0.2; done
is "and opens it" "$(cat opened 2>/dev/null)" "$page"
gives "a look at a recording" 0 view a.rec
gives "a look at a page" 0 view a.html
is "opens itself" "$(cat out)" a.html
gives "a look at nothing" 3 view nowhere.json
gives "a look at a page that is not there" 3 view nowhere.html
unset BROWSER DISPLAY WAYLAND_DISPLAY
gives "without a browser" 0 view "$ball" -t 0.1
if [ -s "$(head -1 out)" ]; then ok "the page is where its name says"; else not_ok "the page is where its name says"; fi
done_testing
