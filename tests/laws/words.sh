#!/usr/bin/env bash
# words.sh -- terms that were replaced by those of the field do not come back in their old sense.
#
# A row of the table is: the retired term (19 columns), a pattern, the folders where it is looked for, places
# where the same word is right, and the term of docs/concepts/glossary.md. A pattern is an extended
# regular expression; "~" in it is the border of a word, where "_" is a border, too, so that a word
# is found in comments, messages and in parts of identifiers. Lines that are found fail the test.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
export LC_ALL=C

# Folders: all that a user or a reader of the code meets. core: the rooms of lasting contact.
everywhere='^(src|include|cli|validation|bench|examples|docs|scenes|viewer/src|tests/(base|contact|faults|laws|method|model|solve)|README|ARCHITECTURE|CONTRIBUTING|CHANGELOG)'
code='^(src|include|cli|validation|bench|examples)/'
core='^src/(contact|method|solve)/'

# Places where a word is right: a hop is the least rebound of a drop test (glossary); pictures of
# the viewer are faint; a body may be sunk into another, and a table of reasons may show old terms.
drops='^(src/drop/|src/droptest/|docs/(theory|reference)/drop-tests|docs/concepts/glossary|docs/reference/tolerances|include/impel/impel\.h|validation/poses\.c|docs/validation/)'

table() {
  cat <<TABLE
hop                ~hops?~                                    $everywhere $drops micro-step
blow               ~blows?~                                   $everywhere - impact
strike             ~strikes?_|_strikes?~                      $code - impact, simultaneous impact
look, glance       ~(glances?|LOOKS?|look_at|solve_look)~|~looks~at~pairs~|(a|the|next|last|each|one)~looks?~(at|of|finds|found|spares|leaves) $code - narrow-phase query
meet, meeting      ~meets?_|_meets?~|~meetings?~              $code - narrow-phase result
sight, seen        ~[Ss]ight~|~(mark|rate)_seen~              $code - separating axis, narrow-phase cache
touch (a struct)   ~(Touch|touch_of|name_of_touch|touches\[)  $core - contact point
carrier            ~[Cc]arriers?~                             $code - contact motion kind
patch              ~patch~                                    $core - contact reduction, points of one plane
seat               ~seat(s|ed)?~                              $everywhere - island index
calm               ~(calm|CALM)~                              $everywhere - sleep counter
recall, remember   ~(recall|remember)_                        $core - start, store
loads              ~(MOST_LOADS|loads_of|give_load)~          $core - warm-start forces
give, yield, soft  ~(GIVE|SOFT|SOFTEST|yield|yields|yield_of)~|points?~that~give~ $core - compliance
led                ~led~(,|\.|comes|bod)|what~is~led~         $code - kinematic, prescribed
stands (static)    ~stands\[|~stands;|\.stands~               $core - is_ground
roof               ~roofs?~                                   $everywhere - contact above
squeezed           ~squeezed~                                 $code - clearance
thinnest           ~thinnest~                                 $everywhere - smallest extent
books              ~(the|its|their|close)~books~|~booked~     $code - ledger
as it is told      moves~as~it~is~told|what~is~told           $everywhere - kinematic, prescribed
way                ~(SAME_WAY|way_between|way_ahead|set_way|other_way)~ $core - direction, distance, travel
turn               ~(turn_round|turn_no_more|turn_group|turn_tried|may_turn|turns_round)~ $core - rotation, sliding reversal, velocity change
jam                ~jam(s|med|ming)?~                         $everywhere - Painleve inconsistency
drift              ~(set_drifts?|drifts_of)~                  $core - predicted change
crew               ~crews?~                                   $everywhere - thread pool
posture            ~[Pp]osture~                               $everywhere - motion type
faint              ~faint~                                    $code - substitute for gravity
loose              ~\.loose~|->loose~                         $code - unconverged
gains              ~\.gains~|->gains~                         $code - energy_gains
sunk               ~sunk~                                     ^(src|include|cli|viewer/src)/ - level_violation
slept              ~slept~                                    ^(src|include|cli|viewer/src)/ - sleep_energy
number words       (^|[^A-Za-z0-9_])(MUCH|LITTLE|SOON|A_WHILE|NEARLY|FINE|FINELY|FINEST|SURELY|ALMOST|HALF|MILLIONTH|EIGHT|OTHERWISE|ASIDE|STRAIGHT|AWAY|LATE|LIGHT|LIGHTEST|PATIENCE)[[:space:]]+(=[[:space:]]*)?[0-9(] $code ^src/droptest/journal\.c a name that says what the number means
unconverged        keeps?~(its|their)~laws~less~well            $everywhere - did not reach the requested tolerance
the study          ~the~(microcollision~)?study~|~the~catalogue~|~catalogue~[CP][0-9] $code ^src/catalogue\.c the document, by path and section
case numbers       ~[CP][0-9]+[ab]?~                          ^validation/cases\.c - the name of the case
persons            //.*~(nobody|somebody|anybody|everybody|whom|whoever|his|her)~ $code - a noun of the field
TABLE
}

# Prints one line for each line below folder $1 that a row finds; TERM: only for its row.
retired() {   # FOLDER [TERM]
  (
    cd "$1"
    files=$(find . -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.md' -o -name '*.json' -o -name '*.js' \) \
      -not -path './build*' -not -path './.git/*' -not -path '*/node_modules/*' | sed 's,^\./,,' | LC_ALL=C sort)
    while IFS= read -r row; do
      term=${row:0:19}
      term=${term%"${term##*[! ]}"}
      [ $# = 1 ] || [ "$term" = "$2" ] || continue
      read -r pattern scope except now <<< "${row:19}"
      # ~ is the border of a word; between two words it is what parts them
      expression=$(sed -E 's/~/(^|$|[^A-Za-z0-9])/g; s/\(\^\|\$\|\[\^A-Za-z0-9\]\)([A-Za-z(])/(^|[^A-Za-z0-9])\1/g' <<< "$pattern")
      { grep -E "$scope" <<< "$files" || true; } | { [ "$except" = - ] && cat || grep -vE "$except" || true; } |
        xargs -r grep -nHE "$expression" | sed -E "s|^([^:]*:[0-9]+:)|\1 '$term' is now '$now':|" || true
    done < <(table)
  )
}

found=$(retired "$SOURCE")
[ -z "$found" ] || { cut -c1-180 <<< "$found"; exit 1; }

# The check on the check: one line for each row, which must be noticed, and lines that must pass.
house=$(mktemp -d)
trap 'rm -rf "$house"' EXIT
rows=0
expect() {   # TERM FILE LINE
  rm -rf "${house:?}"/*
  mkdir -p "$house/$(dirname "$2")"
  printf '%s\n' "$3" > "$house/$2"
  found=$(retired "$house" "$1")
  [[ $found == *"'$1' is now"* ]] || { echo "words.sh: did not notice '$1' in: $3"; exit 1; }
  rows=$((rows + 1))
}
expect hop               src/method/a.c        '// what the points carried in the last hop'
expect hop               cli/a.c               '    line(t, "  by hops", 1);'
expect blow              src/method/a.c        'static bool is_one_blow(void);'
expect strike            src/method/a.c        'static bool strike_tied(void);'
expect 'look, glance'    src/contact/a.c       '// what the last look found spares most of the next one'
expect 'look, glance'    src/method/a.c        '"too many looks at pairs in one frame"'
expect 'meet, meeting'   src/collide/a.c       'bool convex_meet(int a);'
expect 'sight, seen'     src/contact/a.c       'static Sight sight_of(int a);'
expect 'touch (a struct)' src/method/a.c       'typedef struct Touch {'
expect carrier           src/contact/a.c       'static int carrier_of(int a);'
expect patch             src/contact/a.c       'static Flat patch_of(int a);'
expect seat              src/method/a.c        'int seat; // in the island'
expect calm              src/method/a.c        'static int calm_of(int a);'
expect 'recall, remember' src/method/a.c       'static int recall_pair(int a);'
expect loads             src/method/a.c        'enum { MOST_LOADS = 96 };'
expect 'give, yield, soft' src/solve/a.c       'static int yield_of(int a);'
expect led               src/collide/a.h       '// one that is led comes to one that sleeps'
expect 'stands (static)' src/method/a.c        '    return s->rest.stands[i];'
expect roof              src/method/a.c        'static bool is_roof(int a);'
expect squeezed          src/method/a.c        'static bool is_squeezed(int a);'
expect thinnest          src/model/a.c         '// the thinnest body'
expect books             src/method/a.c        '// rounding that the books would see'
expect 'as it is told'   src/method/a.c        '"which moves as it is told"'
expect way               src/contact/a.c       '#define SAME_WAY 1e-9'
expect turn              src/method/a.c        'static bool turn_round(int a);'
expect jam               src/solve/a.c         '    bool jams;'
expect drift             src/method/a.c        'static void set_drifts(int a);'
expect crew              src/base/a.c          '// A crew of threads'
expect posture           src/collide/a.h       'uint8_t posture;'
expect faint             src/contact/a.c       'double faint;'
expect loose             cli/a.c               '    n += o->loose;'
expect gains             cli/a.c               '    n += o->gains;'
expect sunk              cli/a.c               '    { "sunk", "m" },'
expect slept             cli/a.c               '    cli_json_number(j, "slept", 1);'
expect 'number words'    src/solve/a.c         '#define NEARLY 100'
expect 'number words'    src/solve/a.c         'enum { EIGHT = 8 };'
expect unconverged       cli/a.c               '"microcollisions keep their laws less well than asked"'
expect 'the study'       src/method/a.c        '// Heaps slide as the study says.'
expect 'case numbers'    validation/cases.c    '    { "dominos", "dominos fall", "Hybrid simulation, P7",'
expect persons           src/method/a.c        '// springs that move nobody'
rm -rf "${house:?}"/*
mkdir -p "$house/src/method"
printf '%s\n' '// The hope of a shop: blower, seating_plan_of, callous.' 'int ledger, touches_ground, looking;' > "$house/src/method/a.c"
found=$(retired "$house")
[ -z "$found" ] || { echo "words.sh: finds a term that is not there: $found"; exit 1; }
listed=$(table | wc -l)
echo "$listed retired terms are not used; $rows probes are noticed"
