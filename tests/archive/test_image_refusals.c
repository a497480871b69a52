/* No image that breaks a rule is opened, nor written. */
#include "../support/test.h"
#include "base/arch.h"
#include "image_layout.h"
#include "image_samples.h"

typedef struct refusal {
    const char *bytes;
    size_t size;
    tc_status status;
    const char *text;
} refusal;

#define BYTES(text) (text), sizeof(text) - 1

/* One segment of four bytes of code is "\x21", main at its start "\0". */
static const refusal refusals[] = {
    {BYTES(""), TC_E_CORRUPT, "0 bytes, expected at least 2"},
    {BYTES("\1"), TC_E_CORRUPT, "1 bytes, expected at least 2"},
    {BYTES("\2\1\1\x21\0abcd"), TC_E_VERSION, "format version 2"},
    {BYTES("\1\0\1\x21\0abcd"), TC_E_VERSION, "shape 0x00"},
    {BYTES("\1\3\1\x21\0abcd"), TC_E_VERSION, "shape 0x03"},
    {BYTES("\1\x81\1\x21\0\0abcd"), TC_E_CORRUPT, "malformed list of holes"},
    {BYTES("\1\x81\1\x21\0\x11"
           "abcd"),
     TC_E_TOO_LARGE, "17 holes, limit 16"},
    {BYTES("\1\x81\1\x21\0\1abcd"), TC_E_CORRUPT, "hole 0: its name is no C identifier"},
    {BYTES("\1\x81\1\x21\0\1a b\0\0\1abcd"), TC_E_CORRUPT, "hole 0: its name is no"},
    {BYTES("\1\x81\1\x21\0\1a\0\0\0abcd"), TC_E_CORRUPT, "hole a: 0 bytes, expected 1"},
    {BYTES("\1\x81\1\x21\0\1a\0\0\x81\2abcd"), TC_E_CORRUPT, "hole a: 257 bytes"},
    {BYTES("\1\x81\1\x21\0\1a\0\0\x83\4abcd"), TC_E_CORRUPT, "no integer number has 3 bytes"},
    {BYTES("\1\x81\1\x21\0\1a\0\0\x81\x8"
           "abcd"),
     TC_E_CORRUPT, "no floating number has 1 bytes"},
    {BYTES("\1\x81\1\x21\0\1a\0\0\x84\xc"
           "abcd"),
     TC_E_VERSION, "hole a is of kind 3, known are 0 to 2"},
    {BYTES("\1\x81\1\x25\7\0\2b\0\4\1a\0\5\1abcd"), TC_E_CORRUPT, "hole a is not behind b"},
    {BYTES("\1\x81\1\x25\7\0\2b\0\4\1b\0\5\1abcd"), TC_E_CORRUPT, "hole b is not behind b"},
    {BYTES("\1\x81\1\x25\7\0\1a\0\3\1abcd"), TC_E_CORRUPT, "hole a at 0x3 has bytes"},
    {BYTES("\1\x81\1\x25\7\0\1a\0\3\2abcd"), TC_E_CORRUPT, "hole a at 0x3 has bytes"},
    {BYTES("\1\x81\1\x25\7\0\1a\0\4\x08"
           "abcd"),
     TC_E_CORRUPT, "are not in one segment"},
    {BYTES("\1\x81\2\x21\7\4\0\1a\0\x80\x20\1abcd"), TC_E_CORRUPT, "are not in one segment"},
    {BYTES("\1\x81\1\x25\7\0\2a\0\4\4b\0\7\1abcd"), TC_E_CORRUPT, "holes a and b overlap"},
    {BYTES("\1\xa1\1\x25\x1c\0\1\x08\0\1a\0\x17\1abcd"), TC_E_CORRUPT,
     "hole a at 0x17, where the relocation at 0x10 is"},
    {BYTES("\1\1"), TC_E_CORRUPT, "no segments"},
    {BYTES("\1\1\0\0"), TC_E_CORRUPT, "no segments"},
    {BYTES("\1\1\x09\x21\0abcd"), TC_E_TOO_LARGE, "9 segments, limit 8"},
    {BYTES("\1\1\1"), TC_E_CORRUPT, "segment 0: malformed"},
    {BYTES("\1\1\1\x20\0abcd"), TC_E_CORRUPT, "segment 0: kind 0"},
    {BYTES("\1\1\1\x01\0"), TC_E_CORRUPT, "segment 0: no bytes"},
    {BYTES("\1\1\1\x05\0\0"), TC_E_CORRUPT, "segment 0: malformed"},
    {BYTES("\1\1\1\x05\x81\x80\x80\x20\0"), TC_E_TOO_LARGE, "limit 67108864"},
    {BYTES("\1\1\2\x21\7\xff\xff\xff\x1f\0"), TC_E_TOO_LARGE, "limit 67108864"},
    {BYTES("\1\1\1\x21"), TC_E_CORRUPT, "malformed entry point"},
    {BYTES("\1\1\1\x21\4abcd"), TC_E_CORRUPT, "entry point 0x4, which is not in code"},
    {BYTES("\1\1\1\x23\0abcd"), TC_E_CORRUPT, "entry point 0x0, which is not in code"},
    {BYTES("\1\2\1\x21\2abcd"), TC_E_CORRUPT, "entry point 0x2, expected a multiple of 4"},
    {BYTES("\1\5\1\x21\0\1\x7f"
           "abcd"),
     TC_E_CORRUPT, "entry point 0x7f"},
    {BYTES("\1\1\1\x21\0abc"), TC_E_CORRUPT, "3 bytes behind the index, its segments have 4"},
    {BYTES("\1\1\1\x21\0abcde"), TC_E_CORRUPT, "5 bytes behind the index"},
    {BYTES("\1\1\1\x21\0abc\0"), TC_E_CORRUPT, "ends with zeros"},
    {BYTES("\1\x11\1\x21\0\0abcd"), TC_E_CORRUPT, "malformed list of weak names"},
    {BYTES("\1\x11\1\x21\0\x81\x20"
           "abcd"),
     TC_E_TOO_LARGE, "4097 weak names"},
    {BYTES("\1\x11\1\x21\0\1abcd"), TC_E_CORRUPT, "weak name 0 has no end"},
    {BYTES("\1\x11\1\x21\0\1\0abcd"), TC_E_CORRUPT, "symbol"},
    {BYTES("\1\x11\1\x21\0\2b\0b\0abcd"), TC_E_CORRUPT, "weak name 1 is not in byte order"},
    {BYTES("\1\x21\1\x41\0\0abcdefgh"), TC_E_CORRUPT, "malformed list of relocations"},
    {BYTES("\1\x21\1\x41\0\x81\x80\4abcdefgh"), TC_E_TOO_LARGE, "65537 relocations"},
    {BYTES("\1\x21\1\x41\0\1\3\0abcdefgh"), TC_E_CORRUPT, "relocation 0 is malformed"},
    {BYTES("\1\x21\1\x41\0\1\2\0\0abcdefgh"), TC_E_CORRUPT, "relocation 0 is malformed"},
    {BYTES("\1\x21\1\x41\0\1\1\x80\x20"
           "abcdefgh"),
     TC_E_CORRUPT, "relocation 0 is malformed"},
    {BYTES("\1\x21\1\x21\0\1\0\0abcd"), TC_E_CORRUPT, "relocation at 0x0, which is not in"},
    {BYTES("\1\x21\1\x41\0\1\4\0abcdefgh"), TC_E_CORRUPT, "relocation at 0x8, which is not in"},
    {BYTES("\1\x21\1\x41\0\2\0\0\0\0abcdefgh"), TC_E_CORRUPT, "relocation at 0x8"},
    {BYTES("\1\x21\1\x41\0\1\xfc\xff\xff\xff\x0f\0abcdefgh"), TC_E_CORRUPT, "malformed"},
    {BYTES("\1\x21\1\x41\0\1\0\x09"
           "abcdefgh"),
     TC_E_CORRUPT, "points to 0x9"},
    {BYTES("\1\x21\2\x41\x23\0\1\x80\x10\0abcdefghabcd"), TC_E_CORRUPT, "at 0x1000"},
    {BYTES("\1\x09\1\x21\0\0\0abcd"), TC_E_CORRUPT, "0 bytes of .eh_frame"},
    {BYTES("\1\x09\1\x21\0\1\4abcd"), TC_E_CORRUPT, "which is not in a segment"},
    {BYTES("\1\x09\1\x21\0\0\4abcd"), TC_E_CORRUPT, "malformed .eh_frame"},
    {BYTES("\1\x09\1\x25\4\0\4\3abcd"), TC_E_CORRUPT, "3 bytes of .eh_frame"},
    {BYTES("\1\x09\1\x45\4\0\0\x0c\4\0\0\0\1\0\0\1"), TC_E_CORRUPT, "malformed .eh_frame"},
    {BYTES("\1\x09\1\x45\4\0\0\x0c\5\0\0\0\0\0\0\1"), TC_E_CORRUPT, "malformed .eh_frame"},
    {BYTES("\1\x09\1\x0d\x0b\0\0\x0c\1"), TC_E_CORRUPT, "malformed .eh_frame"},
};

TEST(broken_images_are_refused)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const refusal *r = &refusals[i];
        tci_image image = {.memory_bytes = 77};
        tc_error err = {.text = ""};
        tc_status status = tci_image_open(r->bytes, r->size, &image, &err);
        if (status != r->status || strstr(err.text, r->text) == NULL)
            fail_msg("row %zu: %d '%s', expected %d '%s'", i, status, err.text, r->status,
                     r->text);
        assert_int_equal(err.status, status);
        assert_int_equal(image.memory_bytes, 77);
    }
}

TEST(cut_images_are_refused)
{
    tci_image_source source = sample_image_full();
    size_t size;
    uint8_t *bytes = sample_image_bytes(&source, &size);
    for (size_t n = 0; n < size; n++) {
        tci_image image;
        uint8_t *cut = malloc(n + 1); /* exact, so that a sanitizer sees a step too far */
        memcpy(cut + 1, bytes, n);
        assert_int_not_equal(tci_image_open(cut + 1, n, &image, NULL), TC_OK);
        free(cut);
    }
    free(bytes);
}

static void expect_unwritable(const tci_image_source *source, tc_status wanted,
                              const char *text)
{
    void *bytes;
    size_t size;
    tc_error err = {.text = ""};
    assert_int_equal(tci_image_write(source, &bytes, &size, &err), wanted);
    if (strstr(err.text, text) == NULL)
        fail_msg("'%s', expected '%s'", err.text, text);
}

TEST(writer_refuses_what_has_no_words)
{
    tci_image_source source = sample_image_full();
    tci_relocation relocation = {.kind = TCI_RELOCATION_RELATIVE, .offset = 4};
    assert_int_not_equal(tci_image_page_bytes(TCI_ARCH_COUNT), 0);
    source.machine = (tci_image_machine)(TCI_ARCH_COUNT + 1);
    expect_unwritable(&source, TC_E_INVALID, "machine 3");
    source = sample_image_full();
    source.segments[1].offset = 8192;
    expect_unwritable(&source, TC_E_INVALID, "segment 1 at 0x2000, expected 0x1000");
    source = sample_image_full();
    source.segments[2].memory_bytes = 4;
    expect_unwritable(&source, TC_E_INVALID, "has 16 of 4 bytes");
    source = sample_image_full();
    source.entries = TCI_ENTRY_MAIN | TCI_ENTRY_INIT;
    expect_unwritable(&source, TC_E_INVALID, "entry bits 5");
    source = sample_image_full();
    source.segment_count = 9;
    expect_unwritable(&source, TC_E_TOO_LARGE, "9 segments");
    source = sample_image_full();
    source.relocation_count = TCI_IMAGE_RELOCATIONS_MAX + 1;
    expect_unwritable(&source, TC_E_TOO_LARGE, "65537 relocations");
    source = sample_image_full();
    source.relocations = &relocation;
    source.relocation_count = 1;
    expect_unwritable(&source, TC_E_INVALID, "at 0x4, expected a multiple of 8");
    relocation = (tci_relocation){.kind = TCI_RELOCATION_WEAK, .import = 2};
    expect_unwritable(&source, TC_E_INVALID, "import 2");
    relocation = (tci_relocation){.kind = TCI_RELOCATION_RELATIVE, .addend = -1};
    expect_unwritable(&source, TC_E_INVALID, "addend -1");
    relocation = (tci_relocation){.kind = TCI_RELOCATION_SYMBOL, .import = 4095};
    expect_unwritable(&source, TC_E_CORRUPT, "malformed"); /* two weak names before it */
}

/* A CIE of 20 bytes at 0, an FDE of 24 at 20, the terminator at 44: the parts that an unwinder
 * reads as soon as they are registered. Each is one byte of theirs. */
TEST(tables_that_mislead_an_unwinder_are_refused)
{
    static const struct {
        uint8_t at, value;
    } damages[] = {
        {8, 2},     /* a version that no unwinder knows */
        {9, 'e'},   /* no length of the letters' data */
        {10, 'X'},  /* an unknown letter */
        {10, 'L'},  /* without an encoding of addresses */
        {10, 'P'},  /* 0x1b, and then no space for the address */
        {11, 'R'},  /* letters that go on, here to a zero */
        {12, 0x84}, /* a number that goes on */
        {15, 0},    /* letters, and no bytes for them */
        {15, 5},    /* more bytes than the CIE has */
        {16, 0x00}, /* addresses that would be written when the image is placed */
        {16, 0x9b}, /* the address of an address */
        {16, 0x1c}, /* of 8 bytes, for which the FDE has no space */
        {16, 0xff}, /* none */
        {20, 8},    /* an FDE that ends before its code does; then no record */
        {24, 23},   /* an FDE of a CIE that begins a byte late */
        {24, 28},   /* and of one in front of the section */
        {44, 1},    /* no terminator */
    };
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        tci_image_source source = sample_image_full();
        uint8_t constants[256];
        assert_true(source.segments[1].file_bytes <= sizeof constants);
        memcpy(constants, source.segments[1].bytes, source.segments[1].file_bytes);
        constants[damages[i].at] = damages[i].value;
        source.segments[1].bytes = constants;
        expect_unwritable(&source, TC_E_CORRUPT, "malformed .eh_frame");
    }
    tci_relocation inside = {.kind = TCI_RELOCATION_RELATIVE, .offset = 4096 + 40};
    tci_image_source source = sample_image_full();
    source.weak_count = 0;
    source.relocations = &inside;
    source.relocation_count = 1;
    expect_unwritable(&source, TC_E_CORRUPT, "relocation at 0x1028, inside .eh_frame");
}
