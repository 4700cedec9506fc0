#!/usr/bin/env bash
# faults.sh -- docs/reference/faults.md is complete and true: every row of the fault list is there once, with a test or a reason,
# and every test it names as `path:name` exists; those in C are also run by their program.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}"
doc=docs/reference/faults.md bad=0 tests=0 rows=0
say() { echo "$1"; bad=1; }

for row in S:20 M:19 I:12 G:12 A:10 R:8 W:9 B:9; do
  for ((i = 1; i <= ${row#*:}; i++)); do
    id=${row%:*}$i
    count=$(grep -c "^| $id |" "$doc") || true
    [ "$count" = 1 ] || { say "$doc: row $id is there $count times"; continue; }
    rows=$((rows + 1))
    grep "^| $id |" "$doc" | grep -qE '`tests/[^`]+:|not (tested|yet):' || say "$doc: row $id has neither a test nor a reason"
  done
done

while IFS= read -r test; do
  path=${test%%:*} name=${test#*:}
  name=${name//\\|/|}                        # a bar inside a table
  tests=$((tests + 1))
  if [ ! -f "$path" ]; then say "$doc: \`$test\`: there is no $path"
  elif [[ $path == *.c ]]; then
    grep -qE "^static void $name\(void \*\*state\)" "$path" && grep -qE "\($name[,)]" "$path" ||
      say "$doc: \`$test\`: $path runs no such test"
  else
    grep -qF -- "$name" "$path" || say "$doc: \`$test\`: $path has no such line"
  fi
done < <(grep -oE '`tests/[A-Za-z0-9_/.-]+:[^`]+`' "$doc" | tr -d '`')
[ $bad = 0 ] || exit 1
echo "$rows rows, $tests tests, all of them there"
