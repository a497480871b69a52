/* Files that can be believed, and those that cannot. */
#include "../support/test.h"
#include "base/file_guard.h"

#include <fcntl.h>
#include <unistd.h>

static char folder[] = "/tmp/tc-guard-XXXXXX";
static char path[64], link_path[64];

static int make_folder(void **state)
{
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state)
{
    return rmdir(folder);
}

static int setup(void **state)
{
    (void)snprintf(path, sizeof path, "%s/file", folder);
    (void)snprintf(link_path, sizeof link_path, "%s/link", folder);
    return tci_file_guard_create(path, "text", 4, NULL) == TC_OK &&
                   symlink("file", link_path) == 0
               ? 0
               : -1;
}

static int teardown(void **state)
{
    (void)unlink(path);
    (void)unlink(link_path);
    return chmod(folder, 0700);
}

static void expect(const char *name, tci_file_guard guard, tc_status expected, const char *text)
{
    char *bytes = NULL;
    size_t size = 0;
    tc_error error = {0};
    tc_status status =
        tci_file_guard_read(AT_FDCWD, name, name, guard, 16, &bytes, &size, &error);
    if (status != expected || (text != NULL && strstr(error.text, text) == NULL))
        fail_msg("%s: %s", tc_status_name(status), error.text);
    if (status == TC_OK)
        assert_string_equal(bytes, "text");
    free(bytes);
}

TEST_WITH(modes_decide, setup, teardown)
{
    static const struct {
        mode_t mode;
        tc_status private, trusted;
    } cases[] = {{0600, TC_OK, TC_OK},
                 {0644, TC_E_INVALID, TC_OK},
                 {0640, TC_E_INVALID, TC_OK},
                 {0660, TC_E_INVALID, TC_E_INVALID},
                 {0602, TC_E_INVALID, TC_E_INVALID}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(chmod(path, cases[i].mode), 0);
        expect(path, TCI_GUARD_PRIVATE, cases[i].private, NULL);
        expect(path, TCI_GUARD_TRUSTED, cases[i].trusted, NULL);
    }
    expect(path, TCI_GUARD_TRUSTED, TC_E_INVALID, "has mode 0602, expected 0644");
}

TEST_WITH(links_are_not_followed, setup, teardown)
{
    int fd;
    tc_error error = {0};
    expect(link_path, TCI_GUARD_TRUSTED, TC_E_INVALID, "symbolic link");
    assert_int_equal(unlink(link_path), 0);
    assert_int_equal(symlink(folder, link_path), 0);
    assert_status(tci_file_guard_open_folder(link_path, TCI_GUARD_TRUSTED, &fd, &error),
                  TC_E_INVALID);
    assert_non_null(strstr(error.text, "symbolic link"));
}

TEST_WITH(what_is_no_file_is_refused, setup, teardown)
{
    expect(folder, TCI_GUARD_PRIVATE, TC_E_INVALID, "no regular file");
    assert_int_equal(unlink(path), 0);
    expect(path, TCI_GUARD_PRIVATE, TC_E_NOT_FOUND, NULL);
    assert_int_equal(mkfifo(path, 0600), 0); /* no process writes to it */
    expect(path, TCI_GUARD_PRIVATE, TC_E_INVALID, "no regular file");
}

TEST_WITH(large_files_are_not_read, setup, teardown)
{
    assert_int_equal(truncate(path, 17), 0);
    expect(path, TCI_GUARD_PRIVATE, TC_E_TOO_LARGE, "17 bytes, limit 16");
}

TEST_WITH(folders_are_judged_too, setup, teardown)
{
    int fd;
    tc_error error = {0};
    assert_int_equal(chmod(folder, 0770), 0);
    assert_status(tci_file_guard_open_folder(folder, TCI_GUARD_TRUSTED, &fd, &error),
                  TC_E_INVALID);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_status(tci_file_guard_open_folder(folder, TCI_GUARD_PRIVATE, &fd, &error),
                  TC_E_INVALID);
    assert_ok(tci_file_guard_open_folder(folder, TCI_GUARD_TRUSTED, &fd, &error));
    assert_int_equal(close(fd), 0);
}

TEST_WITH(another_users_file_is_refused, setup, teardown)
{
    if (geteuid() != 0)
        skip();
    assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
    expect(path, TCI_GUARD_TRUSTED, TC_E_INVALID, "belongs to user 12345");
}

TEST_WITH(what_has_the_name_already_stays, setup, teardown)
{
    struct stat found;
    assert_status(tci_file_guard_create(path, "new", 3, NULL), TC_E_IN_USE);
    assert_status(tci_file_guard_create(link_path, "new", 3, NULL), TC_E_IN_USE);
    expect(path, TCI_GUARD_PRIVATE, TC_OK, NULL);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 07777, 0600);
}

int main(void)
{
    return test_run(make_folder, remove_folder);
}
