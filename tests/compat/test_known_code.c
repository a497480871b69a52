/* Code that messages of the original's API bring, where only code that is signed may run. */
#include "../support/test.h"

#include "known_code.h"

#include <sodium.h>

typedef struct sent {
    uint8_t section[256];
    size_t size;
    uint8_t id[TCI_IFUNC_ID_BYTES];
} sent;

/* A library that cannot be loaded; under its own id. */
static sent a_library(void)
{
    static const char name[] = "gather", bytes[] = "no library at all";
    const tci_code_parts parts = {(const uint8_t *)name, sizeof name - 1,
                                  (const uint8_t *)bytes, sizeof bytes};
    sent made = {.size = TCI_CODE_PARTS_BYTES + parts.first_size + parts.second_size};
    tci_ifunc_frame_parts_encode(&parts, made.section);
    (void)crypto_generichash(made.id, sizeof made.id, made.section, made.size, NULL, 0);
    return made;
}

static ucs_status_t arrive(tci_code_kind kind)
{
    const sent made = a_library();
    const tci_known_code *code;
    return tci_known_code_add(kind, made.id, made.section, made.size, &code);
}

static void expect_refused_as_unsigned(void)
{
    assert_int_equal(arrive(TCI_CODE_LIBRARY), UCS_ERR_UNSUPPORTED);
    assert_int_equal(arrive(TCI_CODE_ARCHIVE), UCS_ERR_UNSUPPORTED);
}

/* So far that the bytes are read: the library is malformed, and so is the archive. */
TEST(what_comes_is_read_where_nobody_asks)
{
    assert_int_equal(arrive(TCI_CODE_LIBRARY), UCS_ERR_UNSUPPORTED);
    assert_int_not_equal(arrive(TCI_CODE_ARCHIVE), UCS_ERR_UNSUPPORTED);
}

TEST(what_comes_is_not_read_where_signatures_are_asked_for)
{
    assert_int_equal(setenv("TC_REQUIRE_SIGNATURE", "yes", 1), 0);
    expect_refused_as_unsigned();
    assert_int_equal(unsetenv("TC_REQUIRE_SIGNATURE"), 0);
}

TEST(what_comes_is_not_read_where_there_is_a_list)
{
    assert_int_equal(setenv("TC_CODE_ALLOW", "@/nowhere", 1), 0);
    expect_refused_as_unsigned();
    assert_int_equal(unsetenv("TC_CODE_ALLOW"), 0);
}

TEST(own_libraries_are_refused_where_all_has_to_be_signed)
{
    const tci_known_code *code;
    assert_int_equal(setenv("TC_REQUIRE_SIGNATURE", "all", 1), 0);
    assert_int_equal(tci_known_code_add_library("gather", "x", 1, &code), UCS_ERR_UNSUPPORTED);
    assert_int_equal(unsetenv("TC_REQUIRE_SIGNATURE"), 0);
}
