/* Symbols with and without prototypes, looked up in the exports of libraries. */
#include "../support/test.h"
#include "engine/library_search.h"

static int places[16]; /* addresses of exports */

/* Exports in byte order. */
static tci_library library_of(const char *name, const char *const *exports, size_t count,
                              void *addresses[], void **bytes_out)
{
    tci_library library = {.addresses = addresses};
    tci_archive_writer *writer = NULL;
    tci_archive *archive = NULL;
    tci_export list[16];
    size_t size = 0;
    const tci_slice slice = {.triple = "x86_64-linux", .form = TCI_FORM_BITCODE};
    for (size_t i = 0; i < count; i++) {
        list[i] = (tci_export){TCI_EXPORT_FUNCTION, exports[i]};
        addresses[i] = &places[i];
    }
    assert_ok(tci_archive_writer_create(name, TCI_ENTRY_MAIN, &writer, NULL));
    assert_ok(tci_archive_writer_exports(writer, list, count, NULL));
    assert_ok(tci_archive_writer_add(writer, &slice, "BC", 2, NULL, 0, NULL));
    assert_ok(tci_archive_writer_finish(writer, bytes_out, &size, NULL));
    tci_archive_writer_destroy(writer);
    assert_ok(tci_archive_open(*bytes_out, size, &archive, NULL));
    library.archive = archive;
    (void)snprintf(library.title, sizeof library.title, "tc:%s", name);
    return library;
}

static const char *const mixed[] = {
    "area$x", "area(a)", "area(f64)->f64", "area(i32)", "area.1",
    "areas",  "b",       "b(i8)",          "c()",       "d(x)"};
enum { MIXED = sizeof mixed / sizeof mixed[0] };

/* `expected` is the number of the export, or -1. */
static void expect_found(const tci_library *library, const char *symbol, int expected,
                         const char *prototype)
{
    const char *found = "other";
    void *address = tci_library_find(library, symbol, &found);
    if (address != (expected < 0 ? NULL : &places[expected]))
        fail_msg("'%s': another address than that of export %d", symbol, expected);
    if (expected >= 0 && prototype == NULL)
        assert_null(found);
    if (expected >= 0 && prototype != NULL)
        assert_string_equal(found, prototype);
}

TEST(names_find_exports_that_state_a_prototype)
{
    void *addresses[MIXED], *bytes;
    tci_library library = library_of("mixed", mixed, MIXED, addresses, &bytes);
    expect_found(&library, "area", 2, "(f64)->f64"); /* the first one, and no other text */
    expect_found(&library, "area(f64)->f64", 2, "(f64)->f64");
    expect_found(&library, "area(i32)", 3, "(i32)");
    expect_found(&library, "area$x", 0, NULL);
    expect_found(&library, "area(a)", 1, NULL);
    expect_found(&library, "area(f64)", -1, NULL);
    expect_found(&library, "area(", -1, NULL);
    expect_found(&library, "are", -1, NULL);
    expect_found(&library, "areas", 5, NULL);
    expect_found(&library, "b", 6, NULL); /* the export without one is in front */
    expect_found(&library, "c", 8, "()");
    expect_found(&library, "d", -1, NULL);
    expect_found(&library, "", -1, NULL);
    expect_found(&library, "zzz", -1, NULL);
    assert_ptr_equal(tci_library_find(&library, "c", NULL), &places[8]);
    tci_archive_close((tci_archive *)library.archive);
    free(bytes);
}

/* `expected` NULL: no address. */
static void expect_search(tci_library *const *libraries, size_t count, const char *symbol,
                          const void *expected, tc_status status, const char *text)
{
    tci_library_clash clash = {.status = TC_OK};
    tci_symbol_words words;
    void *address = &words;
    tci_library_search_split(&words, symbol);
    (void)tci_library_search(libraries, count, &words, &address, &clash);
    assert_ptr_equal(address, expected);
    assert_int_equal(clash.status, status);
    if (text != NULL)
        assert_string_equal(clash.text, text);
    address = &words;
    (void)tci_library_search(libraries, count, &words, &address, NULL); /* a weak reference */
    assert_ptr_equal(address, expected);
}

TEST(prototypes_are_compared)
{
    static const char *const one[] = {"area(f64[])->f64", "plain"}, *const two[] = {
                                                                        "area(f32[])->f64",
                                                                        "text(text)"};
    void *first[2], *second[2], *bytes[2];
    tci_library a = library_of("one", one, 2, first, &bytes[0]),
                b = library_of("two", two, 2, second, &bytes[1]);
    tci_library *const both[] = {&a, &b};
    expect_search(both, 1, "area(f64[])->f64", &places[0], TC_OK, NULL);
    expect_search(both, 1, "area", &places[0], TC_OK, NULL);
    expect_search(both, 1, "area(f32[])->f64", NULL, TC_E_VERSION,
                  "symbol area is used as '(f32[])->f64', and tc:one has it as '(f64[])->f64'");
    expect_search(both, 1, "area(x)", NULL, TC_OK, NULL); /* a name of its own */
    expect_search(both, 2, "plain(i32)->i32", &places[1], TC_OK, NULL);
    expect_search(both, 2, "text(u8[])", &places[1], TC_OK, NULL);
    expect_search(both, 2, "nobody()", NULL, TC_OK, NULL);
    expect_search(both, 2, "area(f32[])->f64", NULL, TC_E_UNRESOLVED,
                  "symbol area is defined by tc:one and by tc:two, and both are in the list");
    expect_search(both, 0, "area", NULL, TC_OK, NULL);
    for (int i = 0; i < 2; i++) {
        tci_archive_close((tci_archive *)both[i]->archive);
        free(bytes[i]);
    }
}

TEST(long_names_stay_whole)
{
    char symbol[TCI_ARCHIVE_SYMBOL_MAX + 16];
    tci_symbol_words words;
    memset(symbol, 'a', sizeof symbol);
    memcpy(symbol + TCI_ARCHIVE_SYMBOL_MAX, "()", 3);
    tci_library_search_split(&words, symbol);
    assert_ptr_equal(words.name, symbol);
    assert_null(words.prototype);
    tci_library_search_split(&words, symbol + 1);
    assert_int_equal(strlen(words.name), TCI_ARCHIVE_SYMBOL_MAX - 1);
    assert_string_equal(words.prototype, "()");
}
