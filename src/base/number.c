// number.c -- text to double and back, correctly rounded, in no locale.
//
// The C library reads and prints numbers with the decimal point of the host program's locale, and
// not all of them round the last digit right. Here both directions are one exact computation: a
// whole number times a power of ten, in big integers, of which the leading 64 bits and "was there
// more" are kept; that is enough to round correctly. Small cases go through Clinger's fast path
// (How to read floating point numbers accurately, PLDI 1990). A number is written with as few of
// 15, 16 or 17 digits as read back equal (Steele and White, PLDI 1990), each rounded from the exact
// value. Assumed: IEEE doubles, round to nearest. Left out: hexadecimal, NaN and infinity as input.
//
// SPDX-License-Identifier: MIT
#include "base/base.h"

#include <math.h>
#include <string.h>

// --- whole numbers of up to 3200 bits ------------------------------------------------------------
// The largest here is 800 decimal digits and one for the rest (2661 bits), or 2^63 times 5^1126
// (2679 bits).
enum { BIG_WORDS = 100, DIGITS_KEPT = 800 };
// low word first, the last one not zero
typedef struct Big {
    uint32_t word[BIG_WORDS];
    int count;
} Big;

static const uint32_t power_of_5[] = {
    1,     5,      25,      125,     625,      3125,      15625,
    78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125,
};
// the largest power of 5 in a word
enum { FIVES = 13 };

static const double power_of_10[] = {
    // those that are exact
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

static Big big_of(uint64_t value) {
    Big b;
    b.count = value >> 32 ? 2 : value ? 1 : 0;
    b.word[0] = (uint32_t)value;
    b.word[1] = (uint32_t)(value >> 32);
    return b;
}
static void big_multiply(Big *b, uint32_t factor, uint32_t plus) {
    uint64_t carry = plus;
    for (int i = 0; i < b->count; i++) {
        carry += (uint64_t)b->word[i] * factor;
        b->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        b->word[b->count++] = (uint32_t)carry;
    }
}
// returns the remainder
static uint32_t big_divide(Big *b, uint32_t divisor) {
    uint64_t rest = 0;
    for (int i = b->count - 1; i >= 0; i--) {
        rest = rest << 32 | b->word[i];
        b->word[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (b->count > 0 && b->word[b->count - 1] == 0) {
        b->count--;
    }
    return (uint32_t)rest;
}
static void big_shift_words(Big *b, int words) {
    memmove(b->word + words, b->word, (size_t)b->count * sizeof b->word[0]);
    memset(b->word, 0, (size_t)words * sizeof b->word[0]);
    b->count += words;
}

// --- the one exact computation -------------------------------------------------------------------
// (top + something in [0, 1)) 2^exponent, that something not zero when `more` is set; the first bit
// of top is set.
typedef struct Leading {
    uint64_t top;
    int exponent;
    bool more;
} Leading;

static Leading big_leading(const Big *b, bool more) {
    uint32_t w[3] = { 0 };
    for (int i = 0; i < 3 && i < b->count; i++) {
        w[i] = b->word[b->count - 1 - i];
    }
    for (int i = 0; i < b->count - 3; i++) {
        more |= b->word[i] != 0;
    }
    uint64_t top = (uint64_t)w[0] << 32 | w[1];
    int shift = 0;
    while (!(top >> (63 - shift))) {
        shift++;
    }
    if (shift) {
        top = top << shift | w[2] >> (32 - shift);
    }
    more |= (uint32_t)(w[2] << shift) != 0;
    return (Leading){ top, 32 * (b->count - 2) - shift, more };
}
// b 10^power, b not zero. Dividing by 5 in steps keeps the quotient exact: floor(floor(n / a) / b)
// = floor(n / a b), and there is a remainder in the whole if there is one in any step. Uses b up.
static Leading times_ten_to(Big *b, int power) {
    bool more = false;
    int fives = power < 0 ? -power : power;
    if (power < 0) {
        // leaves 64 bits and more: 5 < 2^(7/3)
        int words = (fives * 7 / 3 + 32) / 32 + 3 - b->count;
        if (words > 0) {
            big_shift_words(b, words);
        } else {
            words = 0;
        }
        for (; fives > 0; fives -= FIVES) {
            more |= big_divide(b, power_of_5[fives < FIVES ? fives : FIVES]) != 0;
        }
        Leading l = big_leading(b, more);
        l.exponent += power - 32 * words;
        return l;
    }
    for (; fives > 0; fives -= FIVES) {
        big_multiply(b, power_of_5[fives < FIVES ? fives : FIVES], 0);
    }
    Leading l = big_leading(b, more);
    l.exponent += power;
    return l;
}

// --- reading -------------------------------------------------------------------------------------
static double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
// Keeps what the format has room for, half to even. A carry out of the mantissa runs into the
// exponent by itself, and one out of the largest exponent is infinity's bit pattern.
static double rounded(Leading l) {
    // the result is a multiple of 2^unit
    int unit = l.exponent + 11;
    int drop = 11;
    if (unit < -1074) {
        drop += -1074 - unit;
        unit = -1074;
    }
    if (unit > 971) return HUGE_VAL;
    if (drop > 64) return 0;
    uint64_t kept = drop == 64 ? 0 : l.top >> drop;
    uint64_t half = (uint64_t)1 << (drop - 1);
    uint64_t rest = l.top & (half - 1);
    bool above = l.top & half;
    bool beyond = rest || l.more;
    if (above && (beyond || (kept & 1))) {
        kept++;
    }
    // the leading bit of kept adds 1 to the exponent
    return double_of(kept + ((uint64_t)(unit + 1074) << 52));
}
// digits 10^power, correctly rounded.
static double decimal(uint64_t digits, int power) {
    if (digits == 0) return 0;
    // Clinger: both exact, one rounding
    if (digits <= (uint64_t)1 << 53 && power >= -22 && power <= 22) {
        return power < 0 ? (double)digits / power_of_10[-power]
                         : (double)digits * power_of_10[power];
    }
    Big b = big_of(digits);
    return rounded(times_ten_to(&b, power));
}

// A number as it was written: where its digits are and what they are worth.
typedef struct Written {
    const char *text;
    size_t first, end;  // from the first digit that is not 0 to the last one
    int64_t power;      // of ten, of the last digit
    int64_t count;      // digits between first and end; 0: the value is 0
    bool minus;
} Written;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t skip_digits(const char *text, size_t at, size_t length) {
    while (at < length && is_digit(text[at])) {
        at++;
    }
    return at;
}
// "e-12" at `at`: returns its end, or `at` when there is none. Saturates far beyond what any text
// could make up for.
static size_t read_exponent(const char *text, size_t at, size_t length, int64_t *power) {
    if (at >= length || (text[at] != 'e' && text[at] != 'E')) return at;
    size_t i = at + 1;
    bool minus = i < length && text[i] == '-';
    if (i < length && (text[i] == '-' || text[i] == '+')) {
        i++;
    }
    size_t end = skip_digits(text, i, length);
    if (end == i) return at;
    int64_t value = 0;
    for (; i < end; i++) {
        if (value < 1000000000000000) {
            value = 10 * value + (text[i] - '0');
        }
    }
    *power = minus ? -value : value;
    return end;
}
// Splits the number and returns its length, 0 when there is none.
static size_t scan(const char *text, size_t length, bool unconverged, Written *w) {
    size_t at = 0;
    w->text = text;
    w->minus = length > 0 && text[0] == '-';
    if (w->minus || (unconverged && length > 0 && text[0] == '+')) {
        at = 1;
    }
    size_t start = at;
    size_t point = skip_digits(text, at, length);
    // JSON: 0 stands alone
    if (!unconverged && point > start && text[start] == '0') {
        point = start + 1;
    }
    if (!unconverged && point == start) return 0;
    size_t end = point;
    size_t after = skip_digits(text, point < length ? point + 1 : point, length);
    bool fraction = point < length && text[point] == '.' &&
                    (after > point + 1 || (unconverged && point > start));
    if (fraction) {
        end = after;
    }
    if (end == start) return 0;
    w->power = 0;
    size_t total = read_exponent(text, end, length, &w->power);
    if (fraction) {
        w->power -= (int64_t)(end - point - 1);
    }
    w->first = start;
    w->end = end;
    while (w->first < end && (text[w->first] == '0' || text[w->first] == '.')) {
        w->first++;
    }
    w->count = (int64_t)(end - w->first) - (fraction && w->first < point ? 1 : 0);
    return total;
}
// At most 19 digits as a whole number.
static uint64_t few_digits(const Written *w) {
    uint64_t value = 0;
    for (size_t i = w->first; i < w->end; i++) {
        if (w->text[i] != '.') {
            value = 10 * value + (uint64_t)(w->text[i] - '0');
        }
    }
    return value;
}
// All digits, or DIGITS_KEPT of them and a 1 for "more": a tie between two doubles is decided
// within 768 digits.
static double many_digits(const Written *w) {
    Big b = big_of(0);
    int64_t taken = 0;
    size_t i = w->first;
    for (; i < w->end && taken < DIGITS_KEPT; i++) {
        if (w->text[i] != '.') {
            big_multiply(&b, 10, (uint32_t)(w->text[i] - '0'));
            taken++;
        }
    }
    int64_t power = w->power + (w->count - taken);
    bool more = false;
    for (; i < w->end; i++) {
        more |= w->text[i] != '.' && w->text[i] != '0';
    }
    if (more) {
        big_multiply(&b, 10, 1);
        power--;
    }
    return rounded(times_ten_to(&b, (int)power));
}
static double magnitude(const Written *w) {
    if (w->count == 0) return 0;
    // 10^(leading - 1) <= value < 10^leading
    int64_t leading = w->power + w->count;
    if (leading > 310) return HUGE_VAL;
    if (leading < -324) return 0;
    return w->count <= 19 ? decimal(few_digits(w), (int)w->power) : many_digits(w);
}

size_t number_read(const char *text, size_t length, bool unconverged, double *value) {
    Written w;
    size_t total = scan(text, length, unconverged, &w);
    if (total == 0) return 0;
    double size = magnitude(&w);
    *value = w.minus ? -size : size;
    return total;
}

// --- writing -------------------------------------------------------------------------------------
// value = (digits + something in [0, 1)) 10^power, digits having 17 places, that something being 0,
// below a half, a half, or above (0 to 3).
typedef struct Places {
    uint64_t digits;
    int power, beyond;
} Places;

static const uint64_t ten_to_17 = 100000000000000000u;

static int beyond_of(uint64_t rest, uint64_t half, bool more) {
    return rest > half || (rest == half && more) ? 3 : rest == half ? 2 : rest || more ? 1 : 0;
}
static Places places_at(uint64_t mantissa, int exponent, int power) {
    Big b = big_of(mantissa);
    Leading l = times_ten_to(&b, -power);
    // 6 to 11, as 17 digits are 54 to 57 bits
    int drop = -(l.exponent + exponent);
    uint64_t half = (uint64_t)1 << (drop - 1);
    return (Places){ l.top >> drop, power, beyond_of(l.top & (2 * half - 1), half, l.more) };
}
// value > 0
static Places places(double value) {
    uint64_t bits, mantissa;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 52) - 1075;
    mantissa = bits & 0xfffffffffffffu;
    if (exponent == -1075) {
        exponent++;
    } else {
        mantissa |= 0x10000000000000u;
    }
    // 2^size <= value
    int size = exponent;
    for (uint64_t m = mantissa; m >>= 1;) {
        size++;
    }
    // floor(size log10(2)), at most one too low
    int tens = (size * 78913 - (size < 0 ? 262143 : 0)) / 262144;
    Places p = places_at(mantissa, exponent, tens - 16);
    return p.digits < ten_to_17 ? p : places_at(mantissa, exponent, tens - 15);
}
// To fewer places, from what was exact: rounding twice would go wrong at ties.
static Places to_places(Places p, int count) {
    uint64_t unit = count == 17 ? 1 : count == 16 ? 10 : 100;
    int beyond = unit == 1 ? p.beyond : beyond_of(p.digits % unit, unit / 2, p.beyond > 0);
    uint64_t kept = p.digits / unit;
    kept += beyond == 3 || (beyond == 2 && (kept & 1));
    return (Places){ kept, p.power + 17 - count, 0 };
}

static size_t write_word(char out[32], const char *word) {
    size_t length = strlen(word);
    memcpy(out, word, length + 1);
    return length;
}
// value >= 0
static size_t write_whole(char *out, int value) {
    char reversed[12];
    size_t n = 0;
    size_t length;
    do {
        reversed[n++] = (char)('0' + value % 10);
    } while (value /= 10);
    for (length = 0; n > 0;) {
        out[length++] = reversed[--n];
    }
    return length;
}
static size_t write_zeros(char *out, int count) {
    for (int i = 0; i < count; i++) {
        out[i] = '0';
    }
    return count > 0 ? (size_t)count : 0;
}
// d.ddde-7: `leading` is the power of ten of the first digit.
static size_t write_scientific(char *out, const char *digits, int count, int leading) {
    size_t n = 0;
    out[n++] = digits[0];
    if (count > 1) {
        out[n++] = '.';
    }
    for (int i = 1; i < count; i++) {
        out[n++] = digits[i];
    }
    out[n++] = 'e';
    if (leading < 0) {
        out[n++] = '-';
    }
    return n + write_whole(out + n, leading < 0 ? -leading : leading);
}
static size_t write_plain(char *out, const char *digits, int count, int leading) {
    size_t n = 0;
    if (leading < 0) {
        out[n++] = '0';
        out[n++] = '.';
        n += write_zeros(out + n, -leading - 1);
    }
    for (int i = 0; i < count; i++) {
        out[n++] = digits[i];
        if (i == leading && i + 1 < count) {
            out[n++] = '.';
        }
    }
    return n + write_zeros(out + n, leading + 1 - count);
}
// As printf's %g with `places` would in the C locale, but with the shortest exponent: 1e-7, not
// 1e-07.
static size_t write_places(char *out, Places p, int places_asked) {
    char digits[20] = { 0 };
    int count = 0;
    int leading = p.power;
    // trailing zeros are not written
    for (; p.digits % 10 == 0; p.digits /= 10) {
        leading++;
    }
    for (uint64_t d = p.digits; d; d /= 10) {
        count++;
    }
    leading += count - 1;
    for (int i = count; i-- > 0; p.digits /= 10) {
        digits[i] = (char)('0' + p.digits % 10);
    }
    bool plain = leading >= -4 && leading < places_asked;
    return plain ? write_plain(out, digits, count, leading)
                 : write_scientific(out, digits, count, leading);
}

static size_t write_between(char out[32], double value, int fewest) {
    if (value != value) return write_word(out, "nan");
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bool minus = bits >> 63;
    double size = fabs(value);
    if (size > DBL_MAX) return write_word(out, minus ? "-inf" : "inf");
    if (size == 0) return write_word(out, minus ? "-0" : "0");
    Places all = places(size);
    Places p;
    int count = fewest;
    for (; count < 17; count++) {
        p = to_places(all, count);
        if (decimal(p.digits, p.power) == size) break;
    }
    if (count == 17) {
        p = to_places(all, 17);
    }
    size_t n = 0;
    if (minus) {
        out[n++] = '-';
    }
    n += write_places(out + n, p, count);
    out[n] = '\0';
    return n;
}
size_t number_write(char out[32], double value) { return write_between(out, value, 15); }
size_t number_write_17(char out[32], double value) { return write_between(out, value, 17); }

Shown show(double value) {
    Shown s;
    number_write(s.text, value);
    return s;
}
