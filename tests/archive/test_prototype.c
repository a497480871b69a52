/* Prototypes: the grammar, which ones agree, and those of archives. */
#include "../support/test.h"
#include "archive_exports.h"
#include "archive_layout.h"
#include "archive_samples.h"
#include "prototype.h"

#include <stdio.h>
#include <string.h>

static void expect_symbol(const char *symbol, const char *prototype)
{
    const char *found = tci_prototype_of_symbol(symbol);
    if (prototype == NULL && found != NULL)
        fail_msg("'%s': found '%s', expected no prototype", symbol, found);
    if (prototype != NULL && (found == NULL || strcmp(found, prototype) != 0))
        fail_msg("'%s': found '%s', expected '%s'", symbol, found != NULL ? found : "none",
                 prototype);
}

TEST(a_symbol_may_state_one)
{
    char text[600] = "area";
    expect_symbol("area(f64,f64)->f64", "(f64,f64)->f64");
    expect_symbol("a()", "()");
    expect_symbol("area", NULL);
    expect_symbol("", NULL);
    expect_symbol("()", NULL); /* no name */
    expect_symbol("area(", NULL);
    expect_symbol("area(f65)", NULL);
    expect_symbol("area(f64) ", NULL);
    expect_symbol("area(x)(f64)", NULL);
    memset(text + 4, '(', sizeof text - 5);
    expect_symbol(text, NULL);
}

TEST(texts_of_the_grammar)
{
    static const char *const good[] = {
        "()",
        "()->*",
        "()->text",
        "(text)->text",
        "(bool,i8,i16,i32,i64,u8,u16,u32,u64,f32,f64)->bool",
        "(f64[],inout f32[],out {i32,i32})->f64",
        "({f64,{i8[3],u16},?24:8}[2],out text,inout i32[4])->{u8}[]",
        "(?2147483644:4)->?1:1[2147483647]",
        "({{{{{{{{i8}}}}}}}})",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        tc_error err = {.text = ""};
        if (tci_prototype_check(good[i], TC_E_INVALID, &err) != TC_OK)
            fail_msg("%s: %s", good[i], err.text);
        assert_true(tci_prototype_agrees(good[i], good[i]));
    }
}

TEST(other_texts)
{
    static const struct {
        const char *text, *expected; /* the end of the error */
    } bad[] = {
        {"", "at 0, expected '('"},
        {"f64", "at 0, expected '('"},
        {"(", "at 1, expected a type"},
        {"(f64", "at 4, expected ',' or ')'"},
        {"(f64,)", "at 5, expected a type"},
        {"(f65)", "at 1, expected a type"},
        {"( f64)", "at 1, expected a type"},
        {"(in f64)", "at 1, expected a type"},
        {"()->", "at 4, expected a type"},
        {"()->inout f64", "at 4, expected a type"},
        {"()->f64 ", "at 7, expected its end"},
        {"()->**", "at 5, expected its end"},
        {"(*)", "at 1, expected a type"},
        {"({})", "at 2, expected a type"},
        {"({f64)", "at 5, expected ',' or '}'"},
        {"({f64[]})", "at 6, expected a number from 1 on"},
        {"({text})", "at 2, expected a type"},
        {"(f64[0])", "at 5, expected a number from 1 on"},
        {"(f64[01])", "at 5, expected a number from 1 on"},
        {"(f64[8)", "at 6, expected ']'"},
        {"(f64[][])", "at 6, expected ',' or ')'"},
        {"(f64[2147483648])", "at 14, expected a number below 2^31"},
        {"(f64[268435456])", "at 15, expected a type of less than 2^31 bytes"},
        {"({i8[2147483647],i8})", "at 20, expected a type of less than 2^31 bytes"},
        {"(?8)", "at 3, expected ':'"},
        {"(?8:3)", "at 5, expected an alignment: a power of two that divides the size"},
        {"(?4:8)", "at 5, expected an alignment: a power of two that divides the size"},
        {"({{{{{{{{{i8}}}}}}}}})", "at 10, expected no more than 8 structs in another"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tc_error err = {.text = ""};
        assert_status(tci_prototype_check(bad[i].text, TC_E_CORRUPT, &err), TC_E_CORRUPT);
        const size_t length = strlen(err.text), end = strlen(bad[i].expected);
        if (length < end || strcmp(err.text + length - end, bad[i].expected) != 0)
            fail_msg("%s: %s, expected '%s'", bad[i].text, err.text, bad[i].expected);
    }
}

TEST(bounds_of_a_text)
{
    char text[2 * TCI_PROTOTYPE_MAX] = "(i8";
    for (unsigned i = 1; i < TCI_PROTOTYPE_ARGUMENTS_MAX; i++)
        strcat(text, ",i8");
    strcat(text, ")");
    assert_ok(tci_prototype_check(text, TC_E_INVALID, NULL));
    memcpy(strchr(text, ')'), ",i8)", 5);
    assert_status(tci_prototype_check(text, TC_E_INVALID, NULL), TC_E_INVALID);
    memset(text, ' ', sizeof text - 1);
    assert_status(tci_prototype_check(text, TC_E_INVALID, NULL), TC_E_INVALID);
}

TEST(agreement)
{
    static const struct {
        const char *a, *b;
        bool agree;
    } pairs[] = {
        {"(f64)", "(f64)", true},
        {"(f64)", "(i64)", false},
        {"(f64)", "(f64,f64)", false},
        {"(f64)", "()", false},
        {"(f64)->f64", "(f64)", false},
        {"(f64)->*", "(f64)->{i8,f64}", true},
        {"(f64)->*", "(f64)", true},
        {"(f64)->*", "(f32)->*", false},
        {"(f64[])", "(f64)", false},
        {"(f64[2])", "(f64[20])", false},
        {"(?12:4)", "(f32[3])", true},
        {"({i8,?12:4}[])", "({i8,{i32,f32[2]}}[])", true},
        {"(?12:4)", "(f32[4])", false},
        {"(?12:4)", "(f32[])", false},
        {"(text)", "(u8[])", true},
        {"(text,i8)", "(?1:1[],i8)", true},
        {"(text)", "(u8[4])", false},
        {"(text)", "(u16[])", false},
        {"(?24:8)", "({f64,i8,i64})", true},
        {"(?24:8,i8)", "({f64,i8,i64},i8)", true},
        {"(?24:8)", "({f64,i8,i64},i8)", false},
        {"(?24:8[])", "({f64,i8,i64}[])", true},
        {"(?24:4)", "({f64,i8,i64})", false},
        {"({?8:8,i8,i64})", "({{i32[1],f64},i8,i64})", false},
        {"({?16:8,i8,i64})", "({{i32[1],f64},i8,i64})", true},
        {"(?8:8)", "(f64)", true},
        {"(?8:8)", "(text)", false},
        /* the same messages, other arguments */
        {"(f32[])->f32[]", "(inout f32[])", true},
        {"(f32[],u64)->?8:4", "(inout f32[],out f32[])", false},
        {"(inout f32[],out {i32})->f64", "(inout f32[],out ?4:4)->f64", true},
        {"(u64)->text", "(out text)", true},
        {"()->{i32,i32}", "(out {i32,i32})", true},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (tci_prototype_agrees(pairs[i].a, pairs[i].b) != pairs[i].agree ||
            tci_prototype_agrees(pairs[i].b, pairs[i].a) != pairs[i].agree)
            fail_msg("%s and %s", pairs[i].a, pairs[i].b);
    }
}

static const char rest[] = "\x01"
                           "\x01\x01\x00\x13\x01\x07\x02\x00"
                           "BC";

/* "f", main, a prototype, the value of the upper bits, one slice. */
static size_t typed_content(const char *prototype, size_t size, char upper, char out[64])
{
    out[0] = 'f';
    out[1] = '\0';
    out[2] = (char)(TCI_ENTRY_MAIN | TCI_PROTOTYPE_MARK << TCI_ALIGNMENT_SHIFT);
    memcpy(out + 3, prototype, size);
    out[3 + size] = upper;
    memcpy(out + 4 + size, rest, sizeof rest - 1);
    return 4 + size + sizeof rest - 1;
}

TEST(prototypes_of_archives)
{
    static const struct {
        const char *text;
        size_t size;
    } bad[] = {{"", 1}, {"(", 2}, {"(\n)", 4}, {"(\x7f)", 4}, {"(\xe4)", 4}};
    char content[64];
    uint8_t bytes[128];
    tc_error err;
    tci_archive *archive;
    forged parts = forge_stored(content, typed_content("(f64)", 6, 2, content));
    size_t size = forge(&parts, bytes, sizeof bytes);
    assert_ok(tci_archive_open(bytes, size, &archive, NULL));
    assert_string_equal(tci_archive_prototype(archive), "(f64)");
    assert_int_equal(tci_archive_payload_alignment(archive), 64);
    tci_archive_close(archive);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        parts = forge_stored(content, typed_content(bad[i].text, bad[i].size, 0, content));
        assert_status(forge_refused(&parts, &err), TC_E_CORRUPT);
        assert_non_null(strstr(err.text, "archive f: its prototype is not of 2 to 511"));
    }
    parts = forge_stored(content, typed_content("(f64)", 6, TCI_PROTOTYPE_MARK, content));
    assert_status(forge_refused(&parts, &err), TC_E_VERSION); /* twice */
    parts = forge_stored(content, typed_content("(f64)", 6, TCI_LIBRARY_MARK, content));
    assert_status(forge_refused(&parts, &err), TC_E_CORRUPT);
}
