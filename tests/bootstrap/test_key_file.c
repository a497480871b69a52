#include "bootstrap/key_file.h"
#include "../support/test.h"

#include <sys/stat.h>
#include <unistd.h>

#define HEX "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"

static tc_status parse(const char *text, tci_key_file *file, tc_error *err)
{
    return tci_key_file_parse(text, strlen(text), file, err);
}

static void expect_wrong(const char *text, const char *why)
{
    tci_key_file file;
    tc_error error = {0};
    assert_status(parse(text, &file, &error), TC_E_INVALID);
    assert_non_null(strstr(error.text, why));
    assert_null(strstr(error.text, "8899aabb")); /* texts never show a key */
}

TEST(keys_are_read)
{
    tci_key_file file;
    assert_ok(parse("# of the lab\n\ntchains-key lab-1 " HEX "\r\n"
                    "tchains-key old@home.2_x " HEX,
                    &file, NULL));
    assert_int_equal(file.count, 2);
    assert_string_equal(file.keys[0].name, "lab-1");
    assert_string_equal(file.keys[1].name, "old@home.2_x");
    assert_int_equal(file.keys[0].bytes[1], 0x11);
    assert_int_equal(file.keys[0].bytes[31], 0xff);
}

TEST(what_is_no_key_is_named_by_its_line)
{
    expect_wrong("", "it has no key");
    expect_wrong("# nothing\n", "it has no key");
    expect_wrong("key a " HEX "\n", "line 1: expected \"tchains-key NAME");
    expect_wrong("\ntchains-key  " HEX "\n", "line 2: expected a name");
    expect_wrong("tchains-key a\n", "line 1: expected a name");
    expect_wrong("tchains-key a\x1b[1m " HEX "\n", "line 1: expected a name");
    expect_wrong("tchains-key a " HEX "0\n", "line 1: expected 64 hex digits");
    expect_wrong("tchains-key a 0" HEX, "line 1: expected 64 hex digits");
    expect_wrong("tchains-key a " HEX " \n", "line 1: expected 64 hex digits");
    expect_wrong("tchains-key a " HEX "\ntchains-key a " HEX "\n",
                 "line 2: a name that an earlier line has");
}

TEST(names_have_a_limit)
{
    char text[256];
    tci_key_file file;
    (void)snprintf(text, sizeof text, "tchains-key %064d " HEX, 1);
    assert_ok(parse(text, &file, NULL));
    (void)snprintf(text, sizeof text, "tchains-key %065d " HEX, 1);
    assert_status(parse(text, &file, NULL), TC_E_INVALID);
}

TEST(so_has_their_number)
{
    char text[4096];
    size_t n = 0;
    tci_key_file file;
    for (unsigned i = 0; i < TCI_KEY_FILE_KEYS_MAX; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "tchains-key k%u " HEX "\n", i);
    assert_ok(parse(text, &file, NULL));
    (void)snprintf(text + n, sizeof text - n, "tchains-key more " HEX "\n");
    expect_wrong(text, "line 17: more than 16 keys");
}

/* --- files ------------------------------------------------------------------------------- */

static void write_file(const char *path, mode_t mode)
{
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    (void)fputs("tchains-key a " HEX "\n", to);
    assert_int_equal(fclose(to), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void expect_file(const char *path, bool secret, tc_status expected, const char *why)
{
    static char text[TCI_KEY_FILE_BYTES_MAX];
    size_t size;
    tc_error error = {0};
    assert_int_equal(tci_key_file_read("key_file", path, secret, text, &size, &error),
                     expected);
    assert_non_null(strstr(error.text, why));
}

TEST(others_may_not_read_or_change_it)
{
    char folder[] = "/tmp/tchains-key-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    static const mode_t bad[] = {0640, 0604, 0660, 0601, 0602, 0620};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        write_file("k", bad[i]);
        expect_file("k", true, TC_E_INVALID, "expected 0600 or less");
    }
    write_file("k", 0600);
    expect_file("k", true, TC_OK, "");
    write_file("k", 0400);
    expect_file("k", true, TC_OK, "");
    write_file("k", 0644);
    expect_file("k", false, TC_OK, "");
    write_file("k", 0600);
    assert_int_equal(symlink("k", "link"), 0);
    expect_file("link", true, TC_E_INVALID, "is a link");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    expect_file("pipe", true, TC_E_INVALID, "is no file");
    expect_file(folder, true, TC_E_INVALID, "is no file");
    expect_file("none", true, TC_E_NOT_FOUND, "No such file");
    assert_int_equal(truncate("k", TCI_KEY_FILE_BYTES_MAX + 1), 0);
    expect_file("k", true, TC_E_INVALID, "expected at most 65536");
    if (geteuid() == 0) {
        write_file("k", 0600);
        assert_int_equal(chown("k", 12345, 0), 0);
        expect_file("k", true, TC_E_INVALID, "belongs to user 12345");
    }
    assert_int_equal(unlink("k") + unlink("link") + unlink("pipe"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}
