// number.c -- numbers keep their bits through text, whatever the locale.
//
// Judged by the C library's strtod and printf in the C locale, which glibc rounds correctly;
// elsewhere only the written expectations and the round trips hold it to account.
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "base/base.h"

#include <locale.h>

enum { MANY = 60000 };

// splitmix64: this file must not lean on num/
static uint64_t next_bits(uint64_t *s) {
    uint64_t z = *s += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static double next_finite(uint64_t *s) {
    double x;
    do {
        uint64_t bits = next_bits(s);
        memcpy(&x, &bits, sizeof x);
    } while (!isfinite(x));
    return x;
}
// Reads all of text, strictly, to the value that strtod gives.
static void reads_as_strtod(const char *text) {
    double value = -7;
    size_t length = number_read(text, strlen(text), false, &value);
    if (length != strlen(text)) {
        print_error("read %zu characters of %.60s\n", length, text);
    }
    assert_int_equal(length, strlen(text));
    double expected = strtod(text, NULL);
    if (memcmp(&value, &expected, sizeof value)) {
        print_error("in %.800s\n", text);
    }
    SAME_BITS(value, expected);
}
static size_t prefix(const char *text, bool unconverged) {
    double value;
    return number_read(text, strlen(text), unconverged, &value);
}
static double value_of(const char *text, bool unconverged) {
    double value = -7;
    assert_int_equal(number_read(text, strlen(text), unconverged, &value), strlen(text));
    return value;
}

static void reads_plain_numbers(void **state) {
    (void)state;
    const char *texts[] = { "0",
                            "-0",
                            "1",
                            "-1",
                            "0.1",
                            "0.5",
                            "3.25",
                            "123456789",
                            "1e0",
                            "1E5",
                            "1e+5",
                            "1e-5",
                            "-2.5e3",
                            "0.0",
                            "-0.0e10",
                            "0e999999999999",
                            "1e22",
                            "1e23",
                            "8.5e22",
                            "9007199254740993",
                            "1e15",
                            "0.000001",
                            "123456789012345678901234567890",
                            "6.02214076e23",
                            "1.7976931348623157e308" };
    for (int i = 0; i < COUNT(texts); i++) {
        reads_as_strtod(texts[i]);
    }
}

// Halfway between two doubles, a bit above, a bit below; the ends of the range; well-known traps of
// other readers.
static void reads_hard_numbers(void **state) {
    (void)state;
    const char *texts[] = {
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.47032822920623272088e-324",
        "7.4109846876186982e-324",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1.797693134862315807e308",
        "9007199254740992.5",
        "9007199254740993.0",
        "9007199254740992.99999999999999999999",
        "9007199254740993.00000000000000000000000001",
        "9007199254740995",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "6929495644600919.5",
        "3.7455744005952583e15",
        "0.500000000000000166533453693773481063544750213623046875",
        "1e-400",
        "1e400",
        "-1e400",
        "1e-324",
        "3e-324",
        "1e309",
        "1e310",
        "123456789e-330",
        "0.1e-323",
        "100000000000000016777215",
        "100000000000000016777216",
        "1e999999999999999999999",
        "1e-999999999999999999999",
        "179769313486231580793e289",
    };
    for (int i = 0; i < COUNT(texts); i++) {
        reads_as_strtod(texts[i]);
    }
    SAME_BITS(value_of("1e400", false), HUGE_VAL);
    SAME_BITS(value_of("-1e400", false), -HUGE_VAL);
    SAME_BITS(value_of("-1e-400", false), -0.0);
}

// The exact decimal of the point between two doubles has up to 768 digits; the digit after it
// decides.
static void reads_exact_midpoints(void **state) {
    (void)state;
    static char text[1400];
    uint64_t s = 3;
    for (int i = 0; i < 300; i++) {
        double x = i < 30 ? (i + 1) * 0x1p-1074 : fabs(next_finite(&s));
        if (i % 3 == 1) {
            x = ldexp(x, -(int)(next_bits(&s) % 900));
        }
        double next = nextafter(x, HUGE_VAL);
        if (x == 0 || next > DBL_MAX) continue;
#if LDBL_MANT_DIG >= 64
        long double middle = (long double)x + ((long double)next - (long double)x) / 2;
        snprintf(text, sizeof text, "%.1100Le", middle);
#else
        snprintf(text, sizeof text, "%.1100e", x);
#endif
        reads_as_strtod(text);
        char *e = strchr(text, 'e');
        // a bit above
        e[-1] = '1';
        reads_as_strtod(text);
    }
}

static void reads_long_digit_strings(void **state) {
    (void)state;
    static char text[5000];
    uint64_t s = 5;
    for (int length = 20; length < 1200; length += 37) {
        for (int i = 0; i < length; i++) {
            text[i] = (char)('0' + next_bits(&s) % 10);
        }
        text[0] = '7';
        text[length / 3] = '.';
        snprintf(text + length, 16, "e%d", (int)(next_bits(&s) % 700) - 350 - length / 3);
        reads_as_strtod(text);
    }
    memset(text, '0', 4000);
    text[1] = '.';
    text[3999] = '3';
    // zeros and an exponent that cancel
    strcpy(text + 4000, "e3990");
    reads_as_strtod(text);
    memset(text, '0', 4000);
    text[0] = '1';
    strcpy(text + 4000, "e-3990");
    reads_as_strtod(text);
    memset(text, '9', 4000);
    text[1] = '.';
    strcpy(text + 4000, "");
    reads_as_strtod(text);
}

static void reads_random_decimals(void **state) {
    (void)state;
    char text[64];
    uint64_t s = 11;
    for (int i = 0; i < MANY; i++) {
        unsigned long long digits = next_bits(&s) >> (next_bits(&s) % 64);
        int power = (int)(next_bits(&s) % 700) - 360;
        snprintf(text, sizeof text, i % 2 ? "%llue%d" : "-%llu.5e%d", digits,
                 i % 3 ? power : power / 12);
        reads_as_strtod(text);
    }
}

// What is not a number is not read; what begins as one is read as far as it is one.
static void stops_where_the_number_stops(void **state) {
    (void)state;
    const struct {
        const char *text;
        size_t strict, unconverged;
    } cases[] = {
        { "", 0, 0 },         { "-", 0, 0 },      { "+", 0, 0 },     { ".", 0, 0 },
        { "-.", 0, 0 },       { "e5", 0, 0 },     { ".e5", 0, 0 },   { "abc", 0, 0 },
        { "+-1", 0, 0 },      { "--1", 0, 0 },    { "-+1", 0, 0 },   { " 1", 0, 0 },
        { "nan", 0, 0 },      { "inf", 0, 0 },    { "-inf", 0, 0 },  { "1e", 1, 1 },
        { "1e+", 1, 1 },      { "1e-x", 1, 1 },   { "1.e5", 1, 4 },  { "1.", 1, 2 },
        { "1..2", 1, 2 },     { "1.5.2", 3, 3 },  { "+1", 0, 2 },    { ".5", 0, 2 },
        { "-.5", 0, 3 },      { "+.5e1x", 0, 5 }, { "01", 1, 2 },    { "-01.5", 2, 5 },
        { "00", 1, 2 },       { "0x10", 1, 1 },   { "1,5", 1, 1 },   { "1.0abc", 3, 3 },
        { "1e5e5", 3, 3 },    { "1 2", 1, 1 },    { "1_000", 1, 1 }, { "-0", 2, 2 },
        { "1.5E+07,", 7, 7 }, { "12]", 2, 2 },
    };
    for (int i = 0; i < COUNT(cases); i++) {
        if (prefix(cases[i].text, false) != cases[i].strict ||
            prefix(cases[i].text, true) != cases[i].unconverged) {
            print_error("in \"%s\"\n", cases[i].text);
        }
        assert_int_equal(prefix(cases[i].text, false), cases[i].strict);
        assert_int_equal(prefix(cases[i].text, true), cases[i].unconverged);
    }
    SAME_BITS(value_of("+.5e1", true), 5);
    SAME_BITS(value_of("1.e5", true), 1e5);
    SAME_BITS(value_of("-007.25", true), -7.25);
    SAME_BITS(value_of("+0", true), 0);
}

static void reads_no_further_than_told(void **state) {
    (void)state;
    for (size_t length = 0; length <= 8; length++) {
        // for the address sanitizer
        char *exact = malloc(length + (length == 0));
        memcpy(exact, "-12.5e17", length);
        double value = 0;
        const size_t expected[] = { 0, 0, 2, 3, 3, 5, 5, 7, 8 };
        assert_int_equal(number_read(exact, length, false, &value), expected[length]);
        free(exact);
    }
    double untouched = 42;
    assert_int_equal(number_read("x", 1, true, &untouched), 0);
    SAME_BITS(untouched, 42);
}

static void writes_as_a_person_would(void **state) {
    (void)state;
    const struct {
        double value;
        const char *text;
    } cases[] = {
        { 0, "0" },
        { -0.0, "-0" },
        { 1, "1" },
        { -1, "-1" },
        { 0.1, "0.1" },
        { 0.30000000000000004, "0.30000000000000004" },
        { 1e-7, "1e-7" },
        { 1.5e-7, "1.5e-7" },
        { 0.0001, "0.0001" },
        { 0.00001, "1e-5" },
        { 100, "100" },
        { 1e14, "100000000000000" },
        { 1e15, "1e15" },
        { 1e22, "1e22" },
        { 1e23, "1e23" },
        { -9.81, "-9.81" },
        { 9007199254740992.0, "9007199254740992" },
        { 1.0 / 3, "0.3333333333333333" },
        { 4.9406564584124654e-324, "4.94065645841247e-324" },
        { DBL_MAX, "1.7976931348623157e308" },
        { DBL_MIN, "2.2250738585072014e-308" },
        { 6.02214076e23, "6.02214076e23" },
        { 123456.789, "123456.789" },
        { 0.99999999999999989, "0.9999999999999999" },
        { 5e-324 * 3, "1.48219693752374e-323" },
        { HUGE_VAL, "inf" },
        { -HUGE_VAL, "-inf" },
        { (double)NAN, "nan" },
    };
    char out[32];
    for (int i = 0; i < COUNT(cases); i++) {
        size_t length = number_write(out, cases[i].value);
        SAME_TEXT(out, cases[i].text);
        assert_int_equal(length, strlen(out));
        SAME_TEXT(show(cases[i].value).text, out);
    }
    number_write_17(out, 0.1);
    SAME_TEXT(out, "0.10000000000000001");
    number_write_17(out, 1e23);
    SAME_TEXT(out, "9.9999999999999992e22");
    number_write_17(out, 2);
    SAME_TEXT(out, "2");
}

// printf's text with the exponent made short: e+05 to e5, e-07 to e-7.
static void print_short(char *out, size_t size, int places, double value) {
    snprintf(out, size, "%.*g", places, value);
    char *e = strchr(out, 'e');
    if (!e) return;
    char *to = e + 1;
    char *from = e + 2;
    if (e[1] == '-') {
        to++;
    }
    while (*from == '0') {
        from++;
    }
    memmove(to, from, strlen(from) + 1);
}
static void writes_as_printf(double value) {
    char out[32], expected[40];
    number_write_17(out, value);
    print_short(expected, sizeof expected, 17, value);
    SAME_TEXT(out, expected);
    int places = 15;
    for (; places < 17; places++) {
        print_short(expected, sizeof expected, places, value);
        if (strtod(expected, NULL) == value) break;
    }
    print_short(expected, sizeof expected, places, value);
    number_write(out, value);
    SAME_TEXT(out, expected);
}
static void writes_what_printf_writes(void **state) {
    (void)state;
    uint64_t s = 17;
    for (int i = 0; i < MANY / 2; i++) {
        double x = next_finite(&s);
        writes_as_printf(x);
        writes_as_printf((double)(int64_t)next_bits(&s) * 0x1p-40);
        writes_as_printf((double)(next_bits(&s) % 100000) / 1000);
    }
    for (int i = -1074; i < 1024; i++) {
        writes_as_printf(ldexp(1, i));
        writes_as_printf(nextafter(ldexp(1, i), 0));
    }
    for (int i = 1; i < 600; i++) {
        writes_as_printf(i * 0x1p-1074);
    }
    // exact ties in the last place kept: half to even
    for (int i = 0; i < 400; i++) {
        writes_as_printf((double)(((uint64_t)1 << 53) - 1 - (uint64_t)i) * 8.5);
    }
}

static void round_trip(uint64_t seed, int count) {
    uint64_t s = seed;
    char out[32];
    for (int i = 0; i < count; i++) {
        double x = next_finite(&s);
        double back = 0;
        size_t length = number_write(out, x);
        assert_true(length < 32 && out[length] == '\0');
        assert_int_equal(number_read(out, length, false, &back), length);
        SAME_BITS(back, x);
        length = number_write_17(out, x);
        assert_true(length < 32);
        assert_int_equal(number_read(out, length, false, &back), length);
        SAME_BITS(back, x);
    }
}
static void every_bit_survives(void **state) {
    (void)state;
    round_trip(23, MANY);
}

// Where the decimal point is a comma, and where (as glibc's ps_AF has it) it takes two bytes.
static void no_locale_matters(void **state) {
    (void)state;
    const char *names[] = { "de_DE.UTF-8", "de_DE.utf8",  "de_DE",
                            "fr_FR.UTF-8", "ps_AF.UTF-8", "ar_EG.UTF-8" };
    for (int i = 0; i < COUNT(names); i++) {
        if (!setlocale(LC_ALL, names[i])) continue;
        char out[32];
        number_write(out, 1234.5);
        SAME_TEXT(out, "1234.5");
        SAME_BITS(value_of("1234.5", false), 1234.5);
        assert_int_equal(prefix("1,5", true), 1);
        round_trip(29, 2000);
    }
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_plain_numbers),
        cmocka_unit_test(reads_hard_numbers),
        cmocka_unit_test(reads_exact_midpoints),
        cmocka_unit_test(reads_long_digit_strings),
        cmocka_unit_test(reads_random_decimals),
        cmocka_unit_test(stops_where_the_number_stops),
        cmocka_unit_test(reads_no_further_than_told),
        cmocka_unit_test(writes_as_a_person_would),
        cmocka_unit_test(writes_what_printf_writes),
        cmocka_unit_test(every_bit_survives),
        cmocka_unit_test(no_locale_matters),
    };
    return RUN(tests);
}
