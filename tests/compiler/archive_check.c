#include "archive_check.h"

#include "tool_run.h"

void open_archive(opened_archive *opened, const char *path)
{
    tc_error err;
    opened->bytes = read_file(path, &opened->size);
    if (opened->bytes == NULL)
        fail_msg("there is no %s", path);
    if (tci_archive_open(opened->bytes, opened->size, &opened->archive, &err) != TC_OK)
        fail_msg("%s: %s", path, err.text);
}

void close_archive(opened_archive *opened)
{
    tci_archive_close(opened->archive);
    free(opened->bytes);
}

void assert_symbols(const opened_archive *opened, const char *triple, const char *expected)
{
    size_t slice;
    tc_error err;
    char text[1024] = "";
    size_t used = 0;
    if (tci_archive_select(opened->archive, triple, &slice, &err) != TC_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < tci_archive_slice(opened->archive, slice)->symbol_count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? " " : "",
                                 tci_archive_symbol(opened->archive, slice, i));
    assert_string_equal(text, expected);
}

void assert_same_files(const char *one, const char *other)
{
    size_t one_size, other_size;
    char *a = read_file(one, &one_size);
    char *b = read_file(other, &other_size);
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(one_size, other_size);
    assert_memory_equal(a, b, one_size);
    free(a);
    free(b);
}
