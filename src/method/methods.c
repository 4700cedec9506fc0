// methods.c -- the methods this library knows: a row each.
//
// SPDX-License-Identifier: MIT
#include "method/flight.h"
#include "method/impulse.h"
#include "method/iterated.h"
#include "method/lcp.h"

#include <string.h>

const Method methods[] = {
    { "flight", method_flight_accepts, method_flight_scratch, method_flight_step, false,
      "free flight, exact at any time; bodies pass through each other",
      "Mirtich & Canny 1994, sec. 2; Jacobi 1850" },
    { "impulse", method_impulse_accepts, method_impulse_scratch, method_impulse_step, false,
      "every contact is a collision, lasting ones are micro-steps; bodies fly exactly in between",
      "Mirtich & Canny 1994, 1995; Mirtich, Hybrid simulation" },
    { "iterated", method_iterated_accepts, method_iterated_scratch, method_iterated_step, true,
      "all contacts of an island at once in fixed steps; exact flights and impacts in between",
      "Bender & Schmitt 2006" },
    { "lcp", method_lcp_accepts, method_lcp_scratch, method_lcp_step, true,
      "implicit time stepping: contacts and impacts as complementarity problems",
      "Stewart & Trinkle 2000; Anitescu & Potra 1997" },
};
const int method_count = COUNT(methods);

int method_find(const char *name) {
    for (int i = 0; name && i < method_count; i++) {
        if (!strcmp(methods[i].name, name)) return i;
    }
    return -1;
}
