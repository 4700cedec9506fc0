#!/usr/bin/env bash
# symbols.sh -- what the built library gives, takes and keeps, read from its symbol tables.
#
# Gives: the shared library exports imp* and nothing else. Keeps: no object has a variable that can change. Takes: none
# of the C library's functions whose bits differ between systems (fmax and fmin too: of zeros with different signs x86
# gives the second, ARM and WebAssembly the greater), that print, or that end the program. snprintf is allowed for words
# and integers; formats for doubles, which follow the host's locale, stand nowhere in src/. And no instruction fuses a
# multiplication with an addition.
#
# SPDX-License-Identifier: MIT
set -euo pipefail
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/gcc}
objects=$BUILD/CMakeFiles/impel_objects.dir/src
shared=$BUILD/libimpel.so
bad=0
report() {   # the rule, then the breaks of it
  [ -z "$2" ] || { printf '%s:\n%s\n' "$1" "$(sed 's/^/  /' <<< "$2")"; bad=1; }
}

# The objects of sources that are still there.
list=()
while read -r source; do
  list+=("${source#src/}")
  [ -f "$objects/${source#src/}.o" ] || { echo "$source has not been built in $BUILD"; exit 1; }
done < <(cd "$SOURCE" && LC_ALL=C ls src/*.c src/*/*.c)

report "libimpel.so exports more than imp*" \
  "$(nm -D --defined-only "$shared" | awk '$NF !~ /^imp[A-Z]/ { print $NF }')"
promised=$(grep -oE '\<imp[A-Z][A-Za-z0-9]*(_[A-Za-z0-9]+)?\(' "$SOURCE/include/impel/impel.h" | tr -d '(' | LC_ALL=C sort -u)
given=$(nm -D --defined-only "$shared" | awk '{ print $NF }' | LC_ALL=C sort -u)
report "impel.h promises what libimpel.so does not export" "$(LC_ALL=C comm -23 <(echo "$promised") <(echo "$given"))"

variables() {   # of an object: those in memory that can be written; .data.rel.ro is const once loaded
  objdump -t "$1" | awk '/(^| )(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && !/\.data\.rel\.ro/ && ! / d  / { print $NF }'
}
never='a?(sin|cos|tan)h?f?l?|sincosf?l?|atan2f?l?|(exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|hypot|cbrt|fma|erf|erfc|lgamma|tgamma|fmax|fmin|fdim)f?l?'
never+='|qsort(_r)?|rand(_r)?|srand|random|drand48|time|clock|clock_gettime|gettimeofday|localtime(_r)?|setlocale'
never+='|strtod|strtof|strtold|atof|(__isoc99_)?[vf]?s?scanf|[vfd]*printf|v?sprintf|v?asprintf|puts|fputs|putchar|fputc|putc|fwrite|perror|stdout|stderr'
never+='|exit|_exit|_Exit|abort|quick_exit|__[a-z]*printf_chk'
changing=$(for object in "${list[@]}"; do variables "$objects/$object.o" | sed "s|^|src/$object: |"; done)
taken=$(for object in "${list[@]}"; do
  nm -u "$objects/$object.o" | awk '{ print $NF }' | grep -xE "$never" | sed "s|^|src/$object: |" || true
done)
report "variables that can change (make them const, or part of a model, state or stepper)" "$changing"
report "functions that the library must not call" "$taken"
formats() { grep -nE '^[^/]*"([^"%]|%%|%[-+ #0-9.*]*[hlzjtq]*[^-+ #0-9.*hlzjtqaefgAEFG"])*%[-+ #0-9.*]*[lL]?[aefgAEFG]' "$@" || true; }
report "formats that follow the host's locale (write numbers with show() or number_write())" \
  "$(cd "$SOURCE" && formats src/*.c src/*/*.[ch])"
report "fused multiply-adds" "$(objdump -d --no-show-raw-insn "$shared" | grep -E '\<v?fn?m(add|sub)' | head -5 || true)"

# The check on the check: an object that breaks each rule.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/bad.c" <<'C'
#include <math.h>
#include <stdio.h>
int counter; static double table[2] = { 1, 2 }; const char *const fine[] = { "a" };
double bad(double x) { counter++; table[1] += x; printf("%s %g", fine[0], x); return sin(x) + table[1]; }
C
"${CC:-gcc}" -O1 -fPIC -c "$work/bad.c" -o "$work/bad.o"
kept=$(variables "$work/bad.o" | sort | tr '\n' ' ')
used=$(nm -u "$work/bad.o" | awk '{ print $NF }' | grep -xE "$never" | sort | tr '\n' ' ')
[ "$kept" = "counter table " ] && [ "$used" = "printf sin " ] && [ -n "$(formats "$work/bad.c")" ] || { echo "symbols.sh does not see a bad object: '$kept' '$used'"; exit 1; }

[ $bad = 0 ] || exit 1
echo "$(wc -l <<< "$given") functions given, ${#list[@]} objects keep nothing"
