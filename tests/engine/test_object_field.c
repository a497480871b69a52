/* Distances in instructions and tables, as assemblers write them. */
#include "../support/test.h"
#include "engine/orc/object_field.h"

typedef struct sample {
    tci_object_field field;
    unsigned unit;
    uint32_t before; /* with a field of zeros */
    int64_t place;
    int64_t target;
    uint32_t after;
} sample;

/* The encoding of these instructions by llvm-mc. */
static const sample samples[] = {
    {TCI_FIELD_PAGE, 0, 0x90000000, 0xfff, 0x12345678, 0xb0091a20},  /* adrp x0 */
    {TCI_FIELD_ADR, 0, 0x10000001, 5, 0, 0x70ffffc1},                /* adr x1 */
    {TCI_FIELD_LOW12, 0, 0x91000042, 0, 0x12345678, 0x9119e042},     /* add x2, x2 */
    {TCI_FIELD_LOW12, 3, 0xf9400063, 0, 0x12345678, 0xf9433c63},     /* ldr x3, [x3] */
    {TCI_FIELD_LOW12, 4, 0x3dc00084, 0, 0x12345670, 0x3dc19c84},     /* ldr q4, [x4] */
    {TCI_FIELD_BRANCH26, 0, 0x14000000, 0x2004, 0x2000, 0x17ffffff}, /* b */
    {TCI_FIELD_BRANCH26, 0, 0x94000000, 0x1000, 0x2000, 0x94000400}, /* bl */
    {TCI_FIELD_BRANCH19, 0, 0x54000000, 0x1000, 0x1100, 0x54000800}, /* b.eq */
    {TCI_FIELD_BRANCH19, 0, 0xb4000005, 0x1008, 0x1000, 0xb4ffffc5}, /* cbz x5 */
    {TCI_FIELD_BRANCH14, 0, 0x36180006, 0x1000, 0x1040, 0x36180206}, /* tbz w6, #3 */
    {TCI_FIELD_NEAR32, 0, 0, 0x1000, 0xffc, 0xfffffffc},
    {TCI_FIELD_NEAR32, 0, 0xffffffff, 0, 0x7fffffff, 0x7fffffff},
};

TEST(fields_are_what_assemblers_write)
{
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        const sample *s = &samples[i];
        uint32_t word = s->before;
        assert_true(
            tci_object_field_write(s->field, s->unit, (uint8_t *)&word, s->place, s->target));
        assert_int_equal(word, s->after);
        /* The earlier bytes do not matter. */
        assert_true(
            tci_object_field_write(s->field, s->unit, (uint8_t *)&word, s->place, s->target));
        assert_int_equal(word, s->after);
        assert_int_equal(tci_object_field_bytes(s->field), 4);
    }
    int64_t distance = 1;
    assert_true(
        tci_object_field_write(TCI_FIELD_NEAR64, 0, (uint8_t *)&distance, 1ll << 40, 0));
    assert_true(distance == -(1ll << 40));
    assert_int_equal(tci_object_field_bytes(TCI_FIELD_NEAR64), 8);
}

static const sample beyond[] = {
    {TCI_FIELD_NEAR32, 0, 0, 0, 1ll << 31, 0},
    {TCI_FIELD_NEAR32, 0, 0, (1ll << 31) + 1, 0, 0},
    {TCI_FIELD_PAGE, 0, 0x90000000, 0, 1ll << 32, 0},
    {TCI_FIELD_ADR, 0, 0x10000001, 0, 1 << 20, 0},
    {TCI_FIELD_LOW12, 3, 0xf9400063, 0, 0x674, 0}, /* between units */
    {TCI_FIELD_BRANCH26, 0, 0x94000000, 0, 1 << 27, 0},
    {TCI_FIELD_BRANCH26, 0, 0x94000000, 0, 2, 0},
    {TCI_FIELD_BRANCH19, 0, 0x54000000, 0, 1 << 20, 0},
    {TCI_FIELD_BRANCH14, 0, 0x36180006, 0, 1 << 15, 0},
};

TEST(what_is_too_far_away_is_refused)
{
    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        const sample *s = &beyond[i];
        uint32_t word = s->before;
        assert_false(
            tci_object_field_write(s->field, s->unit, (uint8_t *)&word, s->place, s->target));
    }
}
