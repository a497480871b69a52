#include "image_make.h"

#include "archive.h"
#include "base/error_text.h"
#include "image_elf.h"
#include "image_layout.h"
#include "image_link.h"
#include "image_object.h"

#include <stdlib.h>
#include <string.h>

/* Up to so many bytes constants go where the code is: a segment of their own would cost the
 * target a page, or 64 KiB of address space on aarch64, and each load a mapping. Larger ones
 * are kept from being run as code. */
enum { CONSTANTS_IN_CODE_MAX = 4096 };

typedef struct object_bytes {
    void *bytes;
    size_t size;
} object_bytes;

static uint32_t page_bytes_of(const char *triple)
{
    return strcmp(triple, "aarch64-linux") == 0 ? TCI_IMAGE_PAGE_AARCH64
                                                : TCI_IMAGE_PAGE_X86_64;
}

static tc_status link_and_read(const tci_ifunc_code *code, const char *name,
                               const object_bytes *object, tci_image_constants constants,
                               object_bytes *linked, tci_image_elf *elf_out, tc_error *err)
{
    TC_TRY(tci_image_link(object->bytes, object->size, page_bytes_of(code->triple), constants,
                          &linked->bytes, &linked->size, err));
    return tci_image_elf_read(linked->bytes, linked->size, name, code->entries, elf_out, err);
}

static tc_status fill_slice(const tci_ifunc_code *code, tci_image_elf *elf,
                            tci_ifunc_code *image_out, tc_error *err)
{
    tci_ifunc_code image = *code;
    image.form = TCI_FORM_IMAGE;
    image.symbols = (tci_text_list){0};
    TC_TRY(tci_image_write(&elf->source, &image.bytes, &image.size, err));
    image.symbols = elf->imports.symbols;
    elf->imports.symbols = (tci_text_list){0};
    *image_out = image;
    return TC_OK;
}

static tc_status make_from_object(const tci_ifunc_code *code, const char *name,
                                  const object_bytes *object, tci_ifunc_code *image_out,
                                  tc_error *err)
{
    object_bytes linked = {NULL, 0};
    tci_image_elf elf = {.constants_bytes = 0};
    tc_status status =
        link_and_read(code, name, object, TCI_CONSTANTS_IN_CODE, &linked, &elf, err);
    if (status == TC_OK && elf.constants_bytes > CONSTANTS_IN_CODE_MAX) {
        tci_image_elf_fini(&elf);
        free(linked.bytes);
        linked.bytes = NULL;
        status = link_and_read(code, name, object, TCI_CONSTANTS_APART, &linked, &elf, err);
    }
    if (status == TC_OK)
        status = fill_slice(code, &elf, image_out, err);
    tci_image_elf_fini(&elf);
    free(linked.bytes);
    return status;
}

tc_status tci_image_make(const tci_ifunc_code *code, const char *name, char opt_level,
                         tci_ifunc_code *image_out, tc_error *err)
{
    object_bytes object = {NULL, 0};
    tc_status status = tci_image_object_make(code, opt_level, &object.bytes, &object.size, err);
    if (status == TC_OK)
        status = make_from_object(code, name, &object, image_out, err);
    free(object.bytes);
    if (status == TC_E_UNSUPPORTED)
        tci_error_prefix(err, "%s: no image for %s (--forms=bitcode makes none)", name,
                         code->triple);
    else if (status != TC_OK)
        tci_error_prefix(err, "%s: image for %s", name, code->triple);
    return status;
}
