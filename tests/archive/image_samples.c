#include "image_samples.h"
#include "../support/test.h"

enum { CODE_BYTES = 40, EH_FRAME_BYTES = 48, CONSTANTS_BYTES = 80, DATA_BYTES = 16 };

static const uint8_t tsi_code[] = {0x48, 0xff, 0x02, 0xc3};

static const uint8_t code[CODE_BYTES] = {
    0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20,
    0x03, 0xd5, 0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20, 0x03, 0xd5,
    0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6};

/* A CIE of 20 bytes, an FDE of 24 that names it, the terminator. Behind "hello" come zeros that
 * need not travel. */
static const uint8_t constants[CONSTANTS_BYTES] = {
    16,  0,   0,   0,   0,  0, 0, 0, 1, 'z', 'R', 0, 4, 0x78, 30, 1, 0x1b, 0, 0, 0, /* CIE */
    20,  0,   0,   0,   24, 0, 0, 0, 0, 0,   0,   0, 4, 0,    0,  0, 0,    0, 0, 0, /* FDE */
    0,   0,   0,   0, /* its padding */
    0,   0,   0,   0, /* terminator */
    'h', 'e', 'l', 'l', 'o'};

static const uint8_t data[DATA_BYTES] = {1, 2, 3, 4};

static const char *const weak_names[] = {"maybe_a", "maybe_b"};

static tci_relocation relocations[2][6];

tci_image_source sample_image_small(void)
{
    return (tci_image_source){.machine = TCI_IMAGE_X86_64,
                              .segment_count = 1,
                              .segments = {{.file_bytes = sizeof tsi_code,
                                            .memory_bytes = sizeof tsi_code,
                                            .kind = TCI_IMAGE_CODE,
                                            .bytes = tsi_code}},
                              .entries = TCI_ENTRY_MAIN};
}

static tci_image_source full(tci_image_machine machine, uint32_t page, tci_relocation *r)
{
    r[0] = (tci_relocation){.kind = TCI_RELOCATION_SYMBOL, .offset = 40, .import = 2};
    r[1] = (tci_relocation){
        .kind = TCI_RELOCATION_SYMBOL, .offset = 48, .import = 0, .addend = -3};
    r[2] = (tci_relocation){.kind = TCI_RELOCATION_WEAK, .offset = page + 80, .import = 1};
    r[3] = (tci_relocation){
        .kind = TCI_RELOCATION_WEAK, .offset = 2 * page + 8, .import = 0, .addend = 1 << 20};
    r[4] =
        (tci_relocation){.kind = TCI_RELOCATION_RELATIVE, .offset = 2 * page + 16, .addend = 4};
    r[5] = (tci_relocation){.kind = TCI_RELOCATION_RELATIVE,
                            .offset = 2 * page + 1000,
                            .addend = (int32_t)(2 * page + 1008)};
    return (tci_image_source){.machine = machine,
                              .segment_count = 3,
                              .segments = {{.file_bytes = CODE_BYTES,
                                            .memory_bytes = 56,
                                            .kind = TCI_IMAGE_CODE,
                                            .bytes = code},
                                           {.offset = page,
                                            .file_bytes = CONSTANTS_BYTES,
                                            .memory_bytes = 88,
                                            .kind = TCI_IMAGE_CONSTANTS,
                                            .bytes = constants},
                                           {.offset = 2 * page,
                                            .file_bytes = DATA_BYTES,
                                            .memory_bytes = 1008,
                                            .kind = TCI_IMAGE_DATA,
                                            .bytes = data}},
                              .entries = TCI_ENTRY_MAIN | TCI_ENTRY_MAX_SIZE | TCI_ENTRY_INIT,
                              .main_place = 0,
                              .max_size_place = 12,
                              .init_place = 36,
                              .eh_frame_place = page,
                              .eh_frame_bytes = EH_FRAME_BYTES,
                              .weak_names = weak_names,
                              .weak_count = 2,
                              .relocations = r,
                              .relocation_count = 6};
}

tci_image_source sample_image_full(void)
{
    return full(TCI_IMAGE_X86_64, TCI_IMAGE_PAGE_X86_64, relocations[0]);
}

tci_image_source sample_image_full_aarch64(void)
{
    return full(TCI_IMAGE_AARCH64, TCI_IMAGE_PAGE_AARCH64, relocations[1]);
}

void *sample_image_bytes(const tci_image_source *source, size_t *size_out)
{
    void *bytes = NULL;
    tc_error err = {.text = ""};
    if (tci_image_write(source, &bytes, size_out, &err) != TC_OK)
        fail_msg("%s", err.text);
    return bytes;
}
