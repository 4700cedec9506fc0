#!/usr/bin/env bash
# layering.sh -- the floors of the house, kept true.
#
#   base < num < {solve, shape, joint} < model < {io, motion, drop} < {collide, droptest} < contact < method < impel.c
#        < {cli < validation, viewer, examples, bench}
#
# A lower floor never includes an upper one; rooms on one floor do not know each other; another room is entered only by
# its door, room/room.h; cli and examples see only impel/impel.h and their own files, validation also cli/cli.h,
# bench also the doors of the rooms and its own folders. Every file of src/ says in
# its first line what it is, names its licence, and has at most 800 lines. Inside the rooms, files call in one
# direction: no more than three files of src/ reach each other by calls. Then the check checks itself: each rule is
# broken in a copy, and the break must be found.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}

# Prints one line for each break of a rule below folder $1.
breaks() {
  (
    cd "$1"
    { find src cli validation examples bench include -name '*.[ch]' 2> /dev/null || true; } | LC_ALL=C sort | while read -r file; do
      awk -v file="$file" -f - "$file" <<'AWK'
        BEGIN {
          floors = "base 0 num 1 solve 2 shape 2 joint 2 model 3 io 4 motion 4 collide 5 contact 6 method 7 drop 4 droptest 5 impel 8 bench 9"
          n = split(floors, f, " ")
          for (i = 1; i < n; i += 2) floor[f[i]] = f[i + 1]
          parts = split(file, path, "/")
          top = path[1]; name = path[parts]
          room = top == "src" ? (parts == 2 ? "impel" : path[2]) : top
          customer = top == "cli" || top == "examples"
          if (top == "src" && !(room in floor)) say(1, "room " room " is on no floor: give it one in tests/laws/layering.sh")
        }
        function say(line, text) { print file ":" line ": " text }
        FNR == 1 && top == "src" && index($0, "// " name " -- ") != 1 { say(1, "must begin with '// " name " -- '") }
        /SPDX-License-Identifier: MIT/ { licence = 1 }
        /^[ \t]*#[ \t]*include[ \t]*</ {
          if ($0 ~ /<(impel|base|num|solve|shape|joint|model|io|motion|collide|contact|method|drop)\//) say(FNR, "our own headers are included with quotes")
        }
        /^[ \t]*#[ \t]*include[ \t]*"/ {
          header = $0; sub(/^[^"]*"/, "", header); sub(/".*$/, "", header)
          if (header == "impel/impel.h") next
          k = split(header, h, "/")
          if (header ~ /\.\./) { say(FNR, "\"" header "\": no way around by '..'"); next }
          if (top == "include") { say(FNR, "the public header includes only the C library's, not \"" header "\""); next }
          if (k == 1) { if (system("test -f '" top (parts > 2 ? "/" path[2] : "") "/" header "'")) say(FNR, "\"" header "\": not a file of " room "; write the room"); next }
          if (top == "bench" && !system("test -f 'bench/" header "'")) next
          if (top == "validation") { if (header != "cli/cli.h") say(FNR, "validation sees cli/cli.h and its own files, not \"" header "\""); next }
          if (customer) { if (h[1] != top) say(FNR, top " sees only impel/impel.h and its own files, not \"" header "\""); next }
          if (h[1] == room) {
            if (room == "num" && header ~ /^num\/(vec|vec2|mat3|quat)\.h$/ && name !~ /^(num|vec|vec2|mat3|quat)\.h$/) say(FNR, "\"" header "\": enter by num/num.h")
            next
          }
          if (!(h[1] in floor)) { say(FNR, "\"" header "\": no such room"); next }
          if (h[2] != h[1] ".h") say(FNR, "\"" header "\": enter " h[1] " by its door, " h[1] "/" h[1] ".h")
          if (floor[h[1]] > floor[room]) say(FNR, room " must not know the upper floor " h[1])
          if (floor[h[1]] == floor[room]) say(FNR, room " and " h[1] " are on one floor and must not know each other")
        }
        END {
          if (top != "src") exit
          if (!licence) say(1, "no line 'SPDX-License-Identifier: MIT'")
          if (FNR > 800) say(FNR, "has " FNR " lines, more than 800: is it doing two things?")
        }
AWK
    done
  )
}

# Prints one line for each ring of more than three files below folder $1: files of which each reaches every other by
# calls. A call is a name that one file defines for all and another uses; what a file defines as static is its own.
rings() {
  (
    cd "$1"
    find src -name '*.c' | LC_ALL=C sort | xargs awk '
      # 1. what each file defines: a line that begins with a type and ends a definition by "{", here or lines later
      FNR == 1 { file[++files] = FILENAME; open = ""; inside = 0 }
      {
        line = $0
        gsub(/\\./, "", line); gsub(/"[^"]*"/, "", line); gsub(/\047[^\047]*\047/, "", line); sub(/\/\/.*/, "", line)
        text[files] = text[files] "\n" line
        if (line ~ /^[A-Za-z_]/ && line !~ /^(typedef|struct|enum|union|extern)/) {
          head = line
          own = head ~ /^(static|ALWAYS_IN_LINE)/
          open = ""
          if (match(head, /[A-Za-z_][A-Za-z0-9_]*\(/)) open = substr(head, RSTART, RLENGTH - 1)
          else if (match(head, /[A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])* = /)) { open = substr(head, RSTART, RLENGTH); sub(/[^A-Za-z0-9_].*/, "", open) }
        }
        if (open != "") {
          if (line ~ /\{/) { if (own) private[files, open] = 1; else if (!(open in home)) home[open] = files; open = "" }
          else if (line ~ /;/) open = ""
        }
      }
      # 2. who uses it;  3. which files reach each other
      END {
        for (f = 1; f <= files; f++) {
          rest = text[f]
          while (match(rest, /[A-Za-z_][A-Za-z0-9_]*/)) {
            name = substr(rest, RSTART, RLENGTH); before = RSTART > 1 ? substr(rest, RSTART - 1, 1) : ""
            rest = substr(rest, RSTART + RLENGTH)
            if (before == "." || before == ">" || !(name in home) || home[name] == f || ((f, name) in private)) continue
            if (!((f, home[name]) in calls)) { calls[f, home[name]] = 1; to[f, ++degree[f]] = home[name] }
          }
        }
        for (f = 1; f <= files; f++) {
          count = 1; list[1] = f; reach[f, f] = 1
          for (k = 1; k <= count; k++)
            for (d = 1; d <= degree[list[k]]; d++) {
              g = to[list[k], d]
              if (!((f, g) in reach)) { reach[f, g] = 1; list[++count] = g }
            }
        }
        for (f = 1; f <= files; f++) {
          if (f in told) continue
          ring = file[f]; size = 1
          for (g = f + 1; g <= files; g++)
            if (((f, g) in reach) && ((g, f) in reach)) { ring = ring " " file[g]; size++; told[g] = 1 }
          if (size > 3) print "ring of " size " files, more than 3, that call each other: " ring
        }
      }'
  )
}

found=$(breaks "$SOURCE"; rings "$SOURCE")
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }

# The check on the check: a small house in order, then one break at a time.
house=$(mktemp -d)
trap 'rm -rf "$house"' EXIT
build_house() {
  rm -rf "${house:?}"/*
  mkdir -p "$house"/{src/{base,num,shape,joint,model,io},cli,include/impel}
  for room in base num shape joint model io; do
    printf '// %s.h -- door.\n// SPDX-License-Identifier: MIT\n#include "impel/impel.h"\n' $room > "$house/src/$room/$room.h"
  done
  printf '// vec.h -- three.\n// SPDX-License-Identifier: MIT\n' > "$house/src/num/vec.h"
  printf '#include "num/vec.h"\n' >> "$house/src/num/num.h"
  printf '// box.c -- a box.\n// SPDX-License-Identifier: MIT\n#include "shape/shape.h"\n#include "num/num.h"\n' > "$house/src/shape/box.c"
  printf '// impel.c -- the step.\n// SPDX-License-Identifier: MIT\n#include "io/io.h"\n' > "$house/src/impel.c"
  printf '#include "impel/impel.h"\n#include "cli.h"\n' > "$house/cli/main.c"
  touch "$house/cli/cli.h"
  # three files of one room that call each other, and a fourth that calls them
  for i in 1 2 3 4; do
    printf '// io%s.c -- a part.\n// SPDX-License-Identifier: MIT\n#include "io/io.h"\n\n' $i > "$house/src/io/io$i.c"
    printf 'int io_part%s(int depth,\n             int of) {\n    return io_part%s(depth, of); // io_part4()\n}\n' $i $((i % 3 + 1)) >> "$house/src/io/io$i.c"
    printf 'static int own(void) { return %s; }\n' $i >> "$house/src/io/io$i.c"
  done
}
expect() {   # what must be said, and the change that must be noticed
  build_house
  found=$(breaks "$house"; rings "$house")
  [ -z "$found" ] || { echo "layering.sh: finds a break in a house in order"; echo "$found"; exit 1; }
  (cd "$house" && eval "$2")
  found=$(breaks "$house"; rings "$house")
  [[ $found == *"$1"* ]] || { echo "layering.sh: did not notice: $2"; exit 1; }
}
expect 'must not know the upper floor model'   'echo "#include \"model/model.h\"" >> src/shape/box.c'
expect 'must not know the upper floor impel'   'echo "#include \"impel/impel.c\"" >> src/base/base.h'
expect 'are on one floor'                      'echo "  #  include \"joint/joint.h\"" >> src/shape/box.c'
expect 'by its door'                           'echo "#include \"num/vec.h\"" >> src/shape/box.c'
expect 'enter by num/num.h'                    'printf "// dense.c -- x.\n// SPDX-License-Identifier: MIT\n#include \"num/vec.h\"\n" > src/num/dense.c'
expect 'no way around'                         'echo "#include \"../joint/joint.h\"" >> src/shape/box.c'
expect 'sees only impel/impel.h'               'echo "#include \"base/base.h\"" >> cli/main.c'
expect 'not a file of shape'                   'echo "#include \"joint.h\"" >> src/shape/box.c'
expect 'included with quotes'                  'echo "#include <model/model.h>" >> src/shape/box.c'
expect "must begin with '// box.c -- '"        'sed -i 1s/box.c/ball.c/ src/shape/box.c'
expect 'no line'                               'sed -i /SPDX/d src/shape/box.c'
expect 'more than 800'                         'yes "" | head -800 >> src/shape/box.c || true'
expect 'is on no floor'                        'mkdir src/attic; printf "// a.c -- x.\n// SPDX-License-Identifier: MIT\n" > src/attic/a.c'
expect 'ring of 4 files'                       'sed -i "s/return io_part1/return io_part4/" src/io/io3.c; sed -i "s/return io_part2/return io_part1/" src/io/io4.c'
expect 'ring of 4 files'                       'sed -i "s/return io_part1/return io_table[0]/" src/io/io3.c; printf "const Part io_table[] = {\n    { io_part1 } };\n" >> src/io/io4.c'
echo "the floors hold: $(find "$SOURCE/src" -name '*.[ch]' | wc -l) files"
