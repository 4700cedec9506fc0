// sort.c -- stable merge sort, the same on every machine.
//
// Bottom-up merging (Knuth, vol. 3, 5.2.4, algorithm L in arrays): runs of 1, 2, 4, ... are merged
// from one array into the other and back. The C library's qsort is neither stable nor the same
// everywhere, and ties decide contact order. Runs already in order are copied: input that barely
// changed since the last step costs about one comparison a run.
//
// Assumed: less is a strict weak order that looks only at what context holds.
//
// SPDX-License-Identifier: MIT
#include "base/base.h"

#include <string.h>

typedef struct Order {
    Less less;
    const void *context;
} Order;

static void copy(int32_t *to, const int32_t *from, size_t count) {
    if (count > 0) {
        memcpy(to, from, count * sizeof *to);
    }
}

// Merges from[0..middle) and from[middle..end). Of equals the left one goes first.
static void merge(int32_t *to, const int32_t *from, size_t middle, size_t end, const Order *by) {
    size_t left = 0;
    size_t right = middle;
    size_t n = 0;
    bool in_order = middle == end || !by->less(by->context, from[middle], from[middle - 1]);
    while (!in_order && left < middle && right < end) {
        bool take_right = by->less(by->context, from[right], from[left]);
        to[n++] = take_right ? from[right++] : from[left++];
    }
    copy(to + n, from + left, middle - left);
    n += middle - left;
    copy(to + n, from + right, end - right);
}

void sort_stable(int32_t *order, int32_t *spare, int count, Less less, const void *context) {
    if (count < 2) return;
    const Order by = { less, context };
    int32_t *from = order;
    int32_t *to = spare;
    size_t n = (size_t)count;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t start = 0; start < n; start += 2 * width) {
            size_t rest = n - start;
            size_t middle = width < rest ? width : rest;
            size_t end = 2 * width < rest ? 2 * width : rest;
            merge(to + start, from + start, middle, end, &by);
        }
        int32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != order) {
        copy(order, from, n);
    }
}
