// hash.c -- tests of base/hash.c against the vectors published with FNV (draft-eastlake-fnv,
// appendix C).
//
// SPDX-License-Identifier: MIT
#include "test.h"

#include "base/base.h"

static void published_vectors(void **state) {
    (void)state;
    const struct {
        const char *text;
        uint64_t hash;
    } cases[] = {
        { "", 0xcbf29ce484222325u },      { "a", 0xaf63dc4c8601ec8cu },
        { "b", 0xaf63df4c8601f1a5u },     { "fo", 0x08985907b541d342u },
        { "foo", 0xdcb27518fed9d577u },   { "foob", 0xdd120e790c2512afu },
        { "fooba", 0xcac165afa2fef40au }, { "foobar", 0x85944171f73967e8u },
    };
    for (int i = 0; i < COUNT(cases); i++) {
        assert_true(hash_bytes(HASH_START, cases[i].text, strlen(cases[i].text)) == cases[i].hash);
    }
}

static void a_hash_goes_on(void **state) {
    (void)state;
    uint64_t part = hash_bytes(HASH_START, "foo", 3);
    assert_true(hash_bytes(part, "bar", 3) == 0x85944171f73967e8u);
    assert_true(hash_bytes(part, NULL, 0) == part);
}

// 1.0 is 3ff0000000000000: six zero bytes, then f0, then 3f, on a machine of any byte order.
static void doubles_go_low_byte_first(void **state) {
    (void)state;
    const double one = 1;
    const unsigned char bytes[8] = { 0, 0, 0, 0, 0, 0, 0xf0, 0x3f };
    assert_true(hash_doubles(HASH_START, &one, 1) == hash_bytes(HASH_START, bytes, 8));
    const double many[3] = { 1, -2.5, 1e-310 };
    uint64_t by_one = HASH_START;
    for (int i = 0; i < 3; i++) {
        by_one = hash_doubles(by_one, &many[i], 1);
    }
    assert_true(hash_doubles(HASH_START, many, 3) == by_one);
}

static void zeros_of_both_signs_differ(void **state) {
    (void)state;
    const double plus = 0.0;
    const double minus = -0.0;
    assert_true(hash_doubles(HASH_START, &plus, 1) != hash_doubles(HASH_START, &minus, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors),
        cmocka_unit_test(a_hash_goes_on),
        cmocka_unit_test(doubles_go_low_byte_first),
        cmocka_unit_test(zeros_of_both_signs_differ),
    };
    return RUN(tests);
}
