#include "../support/test.h"
#include "base/triple.h"

static void expect(const char *text, const char *normalised)
{
    char got[TCI_TRIPLE_MAX];
    assert_true(tci_triple_normalise(text, strlen(text), got));
    assert_string_equal(got, normalised);
}

static void refuse(const char *text, size_t size)
{
    char got[TCI_TRIPLE_MAX] = "untouched";
    assert_false(tci_triple_normalise(text, size, got));
    assert_string_equal(got, "untouched");
}

TEST(vendor_and_environment_are_ignored)
{
    expect("x86_64-pc-linux-gnu", "x86_64-linux");
    expect("x86_64-unknown-linux-gnu", "x86_64-linux");
    expect("x86_64-linux-musl", "x86_64-linux");
    expect("aarch64-unknown-linux-gnu", "aarch64-linux");
    expect("aarch64-apple-darwin23.1.0", "aarch64-darwin");
    expect("riscv64-unknown-freebsd14", "riscv64-freebsd");
}

TEST(aliases_are_one_architecture)
{
    expect("arm64-linux-gnu", "aarch64-linux");
    expect("amd64", "x86_64-linux");
    expect("x86-64-pc-linux-gnu", "x86_64-linux");
    /* An alias is a whole part, never the start of one. */
    expect("arm64e-linux", "arm64e-linux");
}

TEST(a_bare_architecture_means_linux)
{
    expect("x86_64", "x86_64-linux");
    expect("aarch64", "aarch64-linux");
}

TEST(normalising_twice_changes_nothing)
{
    expect("x86_64-linux", "x86_64-linux");
    expect("aarch64-darwin", "aarch64-darwin");
    expect(tci_triple_host(), tci_triple_host());
}

TEST(what_is_no_triple_is_refused)
{
    char longer[TCI_TRIPLE_MAX + 1];
    memset(longer, 'a', sizeof longer);
    refuse("", 0);
    refuse("-linux", 6);
    refuse("x86_64-", 7);
    refuse("x86_64-pc-amigaos", 17);
    refuse("x86_64 linux", 12);
    refuse("x86_64\n", 7);
    refuse("x86_64\0-linux", 13);
    refuse(longer, sizeof longer);
    refuse(longer, TCI_TRIPLE_MAX);
    refuse(longer, TCI_TRIPLE_MAX - 1); /* fits, but not with "-linux" behind it */
}

/* The text need not be terminated. */
TEST(the_size_is_respected)
{
    char got[TCI_TRIPLE_MAX];
    assert_true(tci_triple_normalise("aarch64-linux-gnuJUNK!", 17, got));
    assert_string_equal(got, "aarch64-linux");
    assert_true(tci_triple_normalise("amd64", 5, got));
    assert_string_equal(got, "x86_64-linux");
}
