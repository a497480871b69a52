/* Golden ids: they travel between versions of the library, so the hash's input may never
 * change. */
#include "../support/test.h"
#include "base/content_id.h"

static void expect_id(const char *archive, const char *deps, const char *text)
{
    tci_content_id id;
    char got[TCI_CONTENT_ID_TEXT];
    tci_content_id_of(archive, strlen(archive), deps, strlen(deps), &id);
    tci_content_id_text(&id, got);
    assert_string_equal(got, text);
}

/* Python: blake2b(le64(len(a)) + a + le64(len(d)) + d, digest_size=16) */
TEST(golden_ids)
{
    expect_id("", "", "463be1d58a72e9618ea59884367c4358");
    expect_id("abc", "", "8553b3d37f2d28d727639de9a0e7dae6");
    expect_id("archive", "libzstd.so.1\n", "59f10fc5a06273af364f4fcf91f5f847");
}

TEST(bytes_do_not_move_between_archive_and_deps)
{
    tci_content_id left;
    tci_content_id right;
    tci_content_id_of("abc", 3, "", 0, &left);
    tci_content_id_of("", 0, "abc", 3, &right);
    assert_false(tci_content_id_equal(&left, &right));
    tci_content_id_of("ab", 2, "c", 1, &right);
    assert_false(tci_content_id_equal(&left, &right));
}

TEST(absent_deps_are_empty_deps)
{
    tci_content_id none;
    tci_content_id empty;
    tci_content_id_of("abc", 3, NULL, 0, &none);
    tci_content_id_of("abc", 3, "", 0, &empty);
    assert_true(tci_content_id_equal(&none, &empty));
}

TEST(golden_hash)
{
    static const uint8_t of_abc[16] = {0xcf, 0x4a, 0xb7, 0x91, 0xc6, 0x2b, 0x8d, 0x2b,
                                       0x21, 0x09, 0xc9, 0x02, 0x75, 0x28, 0x78, 0x16};
    uint8_t hash[16];
    tci_hash128("abc", 3, hash);
    assert_memory_equal(hash, of_abc, sizeof hash);
}
