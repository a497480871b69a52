/* Code that cannot work is refused with a text that names it, and the engine goes on. */
#include "engine_fixture.h"

#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(every_missing_symbol_is_named)
{
    expect_refusal(
        "missing", "missing", TCI_ENTRY_MAIN, TC_E_UNRESOLVED,
        PARTS("tc_test_absent_function", "tc_test_absent_variable", "tc_test_absent_callback"));
}

static void *all_but_memcpy(void *user, const char *symbol)
{
    return strcmp(symbol, "memcpy") == 0 ? NULL : tci_symbols_resolve(user, symbol);
}

TEST(a_missing_symbol_that_code_generation_adds_is_named)
{
    size_t size;
    tc_error err = {0};
    tci_loaded *loaded;
    tci_entries entries;
    if (compiles_images())
        skip(); /* an image asks the symbols themselves, and not this resolver */
    tci_symbols *symbols = open_symbols("");
    void *bytes = read_bitcode("libc_calls", &size);
    tci_engine_code code = code_of("libc_calls", bytes, size, symbols);
    void *(*usual)(void *, const char *) = code.resolve;
    code.resolve = all_but_memcpy;
    assert_status(load_code(&code, &loaded, &entries, &err), TC_E_UNRESOLVED);
    assert_non_null(strstr(err.text, "memcpy"));
    /* The same slot serves the next function. */
    code.resolve = usual;
    assert_ok(load_code(&code, &loaded, &entries, &err));
    unload_code(loaded);
    free(bytes);
    tci_symbols_destroy(symbols);
}

TEST(entries_must_be_there_and_right)
{
    expect_refusal("counter", "nobody", TCI_ENTRY_MAIN, TC_E_CORRUPT, PARTS("nobody_main"));
    expect_refusal("twin_a", "twin", TCI_ENTRY_MAIN | TCI_ENTRY_INIT, TC_E_CORRUPT,
                   PARTS("twin_payload_init"));
    expect_refusal("wrong_type", "wrong_type", TCI_ENTRY_MAIN, TC_E_CORRUPT,
                   PARTS("wrong_type_main", "i32 (ptr, i32)", "void (ptr, i64, ptr)"));
    expect_refusal("entry_variable", "entry_variable", TCI_ENTRY_MAIN, TC_E_CORRUPT,
                   PARTS("entry_variable_main"));
    expect_refusal("declared_only", "declared_only", TCI_ENTRY_MAIN, TC_E_CORRUPT,
                   PARTS("declared_only_main"));
}

TEST(what_cannot_work_when_sent_is_refused)
{
    expect_refusal("thread_local", "thread_local", TCI_ENTRY_MAIN, TC_E_UNSUPPORTED,
                   PARTS("per_thread", "thread-local"));
    expect_refusal("extern_thread_local", "extern_thread_local", TCI_ENTRY_MAIN,
                   TC_E_UNSUPPORTED, PARTS("their_thread_local", "thread-local"));
    expect_refusal("constructor", "constructor", TCI_ENTRY_MAIN, TC_E_UNSUPPORTED,
                   PARTS("constructor"));
    expect_refusal("constructor_section", "constructor_section", TCI_ENTRY_MAIN,
                   TC_E_UNSUPPORTED, PARTS("registered"));
    expect_refusal("hole", "hole", TCI_ENTRY_MAIN, TC_E_UNSUPPORTED,
                   PARTS("threshold", "is a hole, and values are for images"));
    expect_refusal("gnu_ifunc", "gnu_ifunc", TCI_ENTRY_MAIN, TC_E_UNSUPPORTED,
                   PARTS("chosen", "ifunc", "tc-ar create"));
}

TEST(numbers_that_take_for_ever_are_refused)
{
    expect_refusal("wide_number", "wide_number", TCI_ENTRY_MAIN, TC_E_UNSUPPORTED,
                   PARTS("8000000", "4096"));
    expect_refusal("large_value", "large_value", TCI_ENTRY_MAIN, TC_E_UNSUPPORTED,
                   PARTS("more than 4096 parts", "stays in memory"));
    expect_refusal("far_function", "far_function", TCI_ENTRY_MAIN, TC_E_UNSUPPORTED,
                   PARTS("'far_function_main' is aligned to 4294967296 bytes", "65536"));
    expect_refusal("far_variable", "far_variable", TCI_ENTRY_MAIN, TC_E_UNSUPPORTED,
                   PARTS("'data' is aligned to 4294967296 bytes", "65536"));
}

TEST(bad_assembly_is_refused)
{
    expect_refusal("bad_asm", "bad_asm", TCI_ENTRY_MAIN, TC_E_COMPILE,
                   PARTS("code generation", "1 more error"));
}

TEST(data_out_of_reach_is_refused)
{
    skip_if_emulated("all of a process lies within the 4 GiB that aarch64 reaches");
    if (compiles_images())
        expect_refusal("far_data", "far_data", TCI_ENTRY_MAIN, TC_E_UNSUPPORTED,
                       PARTS("option compiled", "need not be near"));
    else
        expect_refusal("far_data", "far_data", TCI_ENTRY_MAIN, TC_E_COMPILE,
                       PARTS("linking", "out of range"));
}

TEST(another_architecture_is_refused)
{
    expect_refusal("counter_foreign", "counter", TCI_ENTRY_MAIN, TC_E_NO_SLICE,
                   PARTS("aarch64", "x86_64"));
}

TEST(other_bytes_are_refused)
{
    size_t size;
    char *bytes = read_bitcode("counter", &size);
    expect_refused_bytes("", 0, "counter", TC_E_CORRUPT, PARTS("magic"));
    expect_refused_bytes("not bitcode at all", 18, "counter", TC_E_CORRUPT, PARTS("magic"));
    expect_refused_bytes(bytes, size - 1, "counter", TC_E_CORRUPT, PARTS("multiple of 4"));
    expect_refused_bytes(bytes, size - 4, "counter", TC_E_COMPILE, PARTS("bitcode"));
    free(bytes);
}

TEST(a_newer_producer_is_refused_by_the_archives_word)
{
    size_t size;
    tc_error err = {0};
    tci_loaded *loaded;
    tci_entries entries;
    tci_symbols *symbols = open_symbols("");
    void *bytes = read_bitcode("counter", &size);
    tci_engine_code code = code_of("counter", bytes, size, symbols);
    code.producer_major = 99;
    code.producer_minor = 1;
    assert_status(load_code(&code, &loaded, &entries, &err), TC_E_VERSION);
    assert_non_null(strstr(err.text, "99.1.0"));
    assert_non_null(strstr(err.text, ops->llvm()));
    free(bytes);
    tci_symbols_destroy(symbols);
}

/* The producer stands in the file as six-bit characters, at any bit. */
static unsigned char6(char c)
{
    return c >= 'a' && c <= 'z'   ? (unsigned)(c - 'a')
           : c >= 'A' && c <= 'Z' ? (unsigned)(c - 'A' + 26)
           : c >= '0' && c <= '9' ? (unsigned)(c - '0' + 52)
           : c == '.'             ? 62
                                  : 63;
}

static int bit(const unsigned char *bytes, size_t at)
{
    return bytes[at / 8] >> (at % 8) & 1;
}

static int stands_at(const unsigned char *bytes, size_t at, const char *text)
{
    for (; *text != '\0'; text++, at += 6) {
        for (unsigned i = 0; i < 6; i++) {
            if (bit(bytes, at + i) != (int)(char6(*text) >> i & 1))
                return 0;
        }
    }
    return 1;
}

static void write_at(unsigned char *bytes, size_t at, const char *text)
{
    for (; *text != '\0'; text++) {
        for (unsigned i = 0; i < 6; i++, at++) {
            bytes[at / 8] = (unsigned char)(bytes[at / 8] & ~(1u << (at % 8)));
            bytes[at / 8] |= (unsigned char)((char6(*text) >> i & 1) << (at % 8));
        }
    }
}

TEST(a_newer_producer_is_refused_by_the_bytes)
{
    size_t size, at = 32;
    char found[8];
    unsigned char *bytes = read_bitcode("counter", &size);
    (void)snprintf(found, sizeof found, "LLVM%.2s", ops->llvm());
    while (at < 1024 && !stands_at(bytes, at, found))
        at++;
    assert_true(at < 1024);
    write_at(bytes, at, "LLVM97");
    expect_refused_bytes(bytes, size, "counter", TC_E_VERSION, PARTS("LLVM97", ops->llvm()));
    free(bytes);
}

TEST(the_engine_still_works)
{
    uint64_t result = 0;
    loaded_file f = load_file("counter", "counter", TCI_ENTRY_MAIN, "");
    f.entries.main(NULL, 5, &result);
    assert_int_equal(result, 1005);
    unload_file(&f);
}

int main(void)
{
    return test_run(engine_set_up, engine_tear_down);
}
