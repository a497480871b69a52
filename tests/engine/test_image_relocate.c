/* Stored images of both architectures after relocation in memory, byte by byte; nothing is run.
 */

#include "../support/test.h"
#include "engine/image/image_loader.h"

#define BASE 0x7f0012340000u
#define WORD_MAX (TCI_IMAGE_PAGE_AARCH64 * 2 + 2000)

static uint8_t file[4096];

static tci_image open_golden(const char *name)
{
    tci_image image;
    tc_error err = {0};
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", TEST_GOLDEN_DIR, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t size = fread(file, 1, sizeof file, f);
    fclose(f);
    if (tci_image_open(file, size, &image, &err) != TC_OK)
        fail_msg("%s", err.text);
    return image;
}

static uint64_t word_at(const uint8_t *memory, uint32_t place)
{
    uint64_t word;
    memcpy(&word, memory + place, sizeof word);
    return word;
}

/* The images of tests/archive/image_samples.c: code with two addresses, constants with one,
 * data with three. */
static void check_image(const char *name, tci_image_machine machine)
{
    static uint8_t fixed[WORD_MAX], data[WORD_MAX];
    static const uint64_t imports[] = {0, 0x1111, 0x2000, 0x3333, 0x4444};
    tci_image image = open_golden(name);
    uint32_t page = image.page_bytes;
    const tci_image_views views = {.fixed = fixed, .data = data};
    assert_int_equal(image.machine, machine);
    memset(fixed, 0xaa, sizeof fixed);
    memset(data, 0, sizeof data);
    tci_image_relocate_copy(&image, &views);
    tci_image_relocate(&image, BASE, imports, &views);

    assert_memory_equal(fixed, image.segments[0].bytes, 40);
    assert_true(word_at(fixed, 40) == 0x4444);
    assert_true(word_at(fixed, 48) == 0x2000 - 3);
    assert_true(word_at(fixed, 56) == 0xaaaaaaaaaaaaaaaa); /* behind the segment */
    assert_memory_equal(fixed + page, image.segments[1].bytes, image.segments[1].file_bytes);
    assert_string_equal((const char *)fixed + page + 48, "hello");
    assert_true(word_at(fixed, page + 80) == 0x1111);
    assert_true(word_at(fixed, page + 88) == 0xaaaaaaaaaaaaaaaa);
    assert_true(word_at(data, 2 * page) == 0x04030201);
    assert_true(word_at(data, 2 * page + 8) == 1 << 20); /* missing, plus the addend */
    assert_true(word_at(data, 2 * page + 16) == (uint64_t)BASE + 4);
    assert_true(word_at(data, 2 * page + 1000) == (uint64_t)BASE + 2 * page + 1008);
    for (uint32_t at = 24; at < 1000; at += 8)
        assert_true(word_at(data, 2 * page + at) == 0);
    for (uint32_t at = 0; at < 2 * page; at++)
        assert_int_equal(data[at], 0);
}

TEST(an_image_for_x86_64)
{
    check_image("full_x86_64.img", TCI_IMAGE_X86_64);
}

TEST(an_image_for_aarch64)
{
    check_image("full_aarch64.img", TCI_IMAGE_AARCH64);
}
