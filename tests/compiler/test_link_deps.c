/* Libraries are found as a linker finds them, and no file, whatever is in it, does harm. */
#include "tool_run.h"

#include "link_deps.h"
#include "library_file.h"

#include <elf.h>

static tc_error err;

/* The sonames joined by blanks, or NULL and err. */
static const char *deps_of(const char *library)
{
    static char text[1024];
    char *names[] = {(char *)library, NULL};
    char *here[] = {".", NULL};
    tci_text_list libraries = {.items = names, .count = 1};
    tci_text_list folders = {.items = here, .count = 1};
    tci_text_list sonames = {0};
    size_t used = 0;
    tc_status status = tci_link_deps(&libraries, &folders, &sonames, &err);
    text[0] = '\0';
    for (size_t i = 0; i < sonames.count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? " " : "",
                                 sonames.items[i]);
    tci_text_list_fini(&sonames);
    return status == TC_OK ? text : NULL;
}

static void assert_deps(const char *library, const char *expected)
{
    const char *found = deps_of(library);
    if (found == NULL)
        fail_msg("-l%s: %s", library, err.text);
    assert_string_equal(found, expected);
}

static void assert_no_deps(const char *library, const char *part)
{
    assert_null(deps_of(library));
    assert_has(err.text, part);
}

TEST_WITH(of_the_system, enter_empty_folder, leave_folder)
{
    skip_if_emulated("the system's libraries are those of the machine around it");
    assert_deps("zstd", "libzstd.so.1");
    assert_deps("m", "libm.so.6"); /* a script on x86_64 */
    assert_deps(":libzstd.so.1", "libzstd.so.1");
    assert_deps("c", "");
    assert_deps("pthread", "");
    assert_no_deps("no-such-library", "'-lno-such-library' not found; looked in ., ");
}

/* Only a folder of gcc's has a file of that name to link with. */
TEST_WITH(of_the_compiler, enter_empty_folder, leave_folder)
{
    skip_if_emulated("the system's libraries are those of the machine around it");
    assert_deps("atomic", "libatomic.so.1");
}

TEST_WITH(a_script_names_others, enter_empty_folder, leave_folder)
{
    skip_if_emulated("the system's libraries are those of the machine around it");
    write_file("libboth.so", "/* two */ OUTPUT_FORMAT(elf64-x86-64)\n"
                             "GROUP ( -lzstd AS_NEEDED ( -lnever ) \"libthird.so\" )\n");
    write_file("libthird.so", "INPUT(-lzstd,-lm)");
    assert_deps("both", "libzstd.so.1 libm.so.6");
    write_file("libmissing.so", "INPUT ( libnothere.so.4 )");
    assert_no_deps("missing", "names 'libnothere.so.4', which is not there");
    write_file("libself.so", "INPUT ( libself.so )");
    assert_no_deps("self", "nested too deep");
}

TEST_WITH(scripts_that_are_none, enter_empty_folder, leave_folder)
{
    static const char *const texts[] = {
        "",     "hello",         "GROUP", "GROUP (", "GROUP ( a",  "( a )", "GROUP a )",
        "\x01", "FORMAT(elf64)", "\"",    "/*",      "GROUP ( \"", ")",     "GROUP ( a ) b"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        tci_text_list inputs = {0};
        assert_false(tci_library_script_read(texts[i], strlen(texts[i]), &inputs));
        tci_text_list_fini(&inputs);
    }
    write_file("libjunk.so", "this is a text");
    assert_no_deps("junk", "not found");
}

TEST_WITH(only_a_static_one, enter_empty_folder, leave_folder)
{
    write_file("libfixed.a", "!<arch>\n");
    assert_no_deps("fixed", "static library only");
}

/* A copy of a real library with some bytes changed. */
static void write_damaged(const char *path, size_t keep, size_t at, unsigned char value)
{
    size_t size;
    char *bytes = read_file(TEST_SHARED_LIBRARY, &size);
    assert_non_null(bytes);
    if (at < size)
        bytes[at] = (char)value;
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, keep < size ? keep : size, f), keep < size ? keep : size);
    assert_int_equal(fclose(f), 0);
    free(bytes);
}

TEST_WITH(damaged_libraries, enter_empty_folder, leave_folder)
{
    write_damaged("libcut.so", 40, SIZE_MAX, 0);
    assert_no_deps("cut", "libcut.so");
    write_damaged("libhalf.so", 4096, SIZE_MAX, 0); /* section headers are at the end */
    assert_no_deps("half", "libhalf.so");
    write_damaged("libobject.so", SIZE_MAX, offsetof(Elf64_Ehdr, e_type), ET_REL);
    assert_no_deps("object", "expected a shared library");
    write_damaged("libother.so", SIZE_MAX, offsetof(Elf64_Ehdr, e_machine), EM_RISCV);
    assert_no_deps("other", "not found");
    write_damaged("libsmall.so", SIZE_MAX, EI_CLASS, ELFCLASS32);
    assert_null(deps_of("small"));
}

/* Every byte of the headers wrong in turn: an error or an answer, never a crash. */
TEST_WITH(any_damage_in_the_headers, enter_empty_folder, leave_folder)
{
    for (size_t at = 4; at < sizeof(Elf64_Ehdr); at++) {
        write_damaged("libany.so", SIZE_MAX, at, 0xff);
        (void)deps_of("any");
    }
}
