/* Links with constants in the code segment, and once more with constants apart if they are too
 * large for it. */
#include "image_make.h"

#include "archive.h"
#include "base/error_text.h"
#include "base/full_io.h"
#include "child_run.h"
#include "image_elf.h"
#include "image_layout.h"
#include "image_object.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Constants up to this size, in bytes, go into the code segment: a segment of their own would
 * cost the target a page, or 64 KiB of address space on aarch64, and each load a mapping.
 * Larger ones are kept from being run as code. */
enum { CONSTANTS_IN_CODE_MAX = 4096 };

/* --- linking ----------------------------------------------------------------------------- */

typedef enum image_constants {
    CONSTANTS_IN_CODE, /* one segment less: no page for a few bytes */
    CONSTANTS_APART    /* readable, but not to be run */
} image_constants;

/* %1$s the alignment in front of constants, %2$s their segment, %3$s the object's name. An
 * object's custom section is assigned by its flags: lld would put it beside any section with
 * the same flags, in a segment that may not allow them. The object's name keeps sections that
 * lld makes itself out of those rules. */
static const char script_format[] =
    "PHDRS {\n"
    "  code PT_LOAD FLAGS(5); constants PT_LOAD FLAGS(4); data PT_LOAD FLAGS(6);\n"
    "  rest PT_LOAD FLAGS(4); dynamic PT_DYNAMIC FLAGS(4);\n"
    "}\n"
    "SECTIONS {\n"
    "  . = 0;\n"
    "  /DISCARD/ : { *(.comment .note .note.*) }\n"
    "  .init : { *(.init) } :code\n"
    "  .fini : { *(.fini) } :code\n"
    "  .text : { *(.text .text.*) INPUT_SECTION_FLAGS(SHF_EXECINSTR & !SHF_WRITE) %3$s(*) } "
    ":code\n"
    "  .plt : { *(.plt) } :code\n"
    "%1$s"
    "  .rodata : { *(.rodata .rodata.*) } :%2$s\n"
    "  .eh_frame : { *(.eh_frame) } :%2$s\n"
    "  .tchole : { *(.tchole) } :%2$s\n"
    "  .tchole.integer : { *(.tchole.integer) } :%2$s\n"
    "  .tchole.floating : { *(.tchole.floating) } :%2$s\n"
    "  .gcc_except_table : { *(.gcc_except_table .gcc_except_table.*) } :%2$s\n"
    "  .constants : { INPUT_SECTION_FLAGS(SHF_ALLOC & !SHF_WRITE & !SHF_EXECINSTR) %3$s(*) } "
    ":%2$s\n"
    "  .data.rel.ro : { *(.data.rel.ro .data.rel.ro.*) } :%2$s\n"
    "  .got : { *(.got .got.plt) } :%2$s\n"
    "  . = ALIGN(CONSTANT(MAXPAGESIZE));\n"
    "  .preinit_array : { *(.preinit_array .preinit_array.*) } :data\n"
    "  .init_array : { *(.init_array .init_array.*) } :data\n"
    "  .fini_array : { *(.fini_array .fini_array.*) } :data\n"
    "  .ctors : { *(.ctors .ctors.*) } :data\n"
    "  .dtors : { *(.dtors .dtors.*) } :data\n"
    "  .data : { *(.data .data.*) } :data\n"
    "  .variables : { INPUT_SECTION_FLAGS(SHF_WRITE & !SHF_EXECINSTR & !SHF_TLS)\n"
    "    %3$s([!.]* .[!b]* .b[!s]* .bs[!s]* .bss[!.]*) } :data\n"
    "  .bss : { *(.bss .bss.* COMMON) } :data\n"
    "  . = ALIGN(CONSTANT(MAXPAGESIZE));\n"
    "  .dynsym : { *(.dynsym) } :rest\n"
    "  .dynstr : { *(.dynstr) } :rest\n"
    "  .hash : { *(.hash) } :rest\n"
    "  .rela.dyn : { *(.rela.dyn) } :rest\n"
    "  .rela.plt : { *(.rela.plt) } :rest\n"
    "  .dynamic : { *(.dynamic) } :rest :dynamic\n"
    "}\n";

const char *tci_image_make_linker(void)
{
    const char *program = getenv("TC_LLD");
    return program != NULL && program[0] != '\0' ? program : TC_LLD_PROGRAM;
}

/* Makes a file without a name that a child process opens through /proc/self/fd. */
static tc_status memory_file(const void *bytes, size_t size, int *fd_out, tc_error *err)
{
    int fd = memfd_create("image", 0);
    if (fd < 0)
        return tci_error_errno(err, TC_E_IO, errno, "memfd_create");
    if (!tci_full_io_write(fd, bytes, size)) {
        (void)tci_error_errno(err, TC_E_IO, errno, "writing %zu bytes", size);
        (void)close(fd);
        return TC_E_IO;
    }
    *fd_out = fd;
    return TC_OK;
}

static void link_words(uint32_t page_bytes, const char *object, int script,
                       tci_text_list *words)
{
    /* No other object replaces the image's own functions; all other names are bound when it is
     * loaded. */
    static const char *const fixed[] = {"-shared",
                                        "-Bsymbolic",
                                        "--gc-sections",
                                        "--strip-all",
                                        "--hash-style=sysv",
                                        "--build-id=none",
                                        "-z",
                                        "now",
                                        "-z",
                                        "norelro",
                                        "-z",
                                        "rodynamic",
                                        "-z",
                                        "nognustack",
                                        "-z"};
    tci_text_list_add(words, tci_image_make_linker());
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        tci_text_list_add(words, fixed[i]);
    tci_text_list_format(words, "max-page-size=%u", page_bytes);
    tci_text_list_add(words, "-T");
    tci_text_list_format(words, "/proc/self/fd/%d", script);
    tci_text_list_add(words, "-o");
    tci_text_list_add(words, "-");
    tci_text_list_add(words, object);
}

/* Links a shared object. Its memory begins at 0 with code, followed by constants (when apart)
 * and data, each at a multiple of page_bytes; data that only a dynamic loader would read is a
 * segment of its own after them. For free(). TC_E_NOT_FOUND: there is no lld. TC_E_COMPILE,
 * TC_E_TOO_LARGE, TC_E_IO, TC_E_NO_MEMORY. */
static tc_status image_link(const void *object, size_t size, uint32_t page_bytes,
                            image_constants constants, void **bytes_out, size_t *size_out,
                            tc_error *err)
{
    bool apart = constants == CONSTANTS_APART;
    char script[4096], object_path[64];
    int object_fd = -1, script_fd = -1;
    TC_TRY(memory_file(object, size, &object_fd, err));
    (void)snprintf(object_path, sizeof object_path, "/proc/self/fd/%d", object_fd);
    (void)snprintf(script, sizeof script, script_format,
                   apart ? "  . = ALIGN(CONSTANT(MAXPAGESIZE));\n" : "",
                   apart ? "constants" : "code", object_path);
    tc_status status = memory_file(script, strlen(script), &script_fd, err);
    if (status == TC_OK) {
        tci_text_list words = {0};
        link_words(page_bytes, object_path, script_fd, &words);
        status = tci_child_run(&words,
                               "install lld, set TC_LLD to its path, or give "
                               "--forms=bitcode",
                               bytes_out, size_out, err);
        tci_text_list_fini(&words);
        (void)close(script_fd);
    }
    (void)close(object_fd);
    return status;
}

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
                               const object_bytes *object, image_constants constants,
                               object_bytes *linked, tci_image_elf *elf_out, tc_error *err)
{
    TC_TRY(image_link(object->bytes, object->size, page_bytes_of(code->triple), constants,
                      &linked->bytes, &linked->size, err));
    return tci_image_elf_read(linked->bytes, linked->size, name, code->entries, elf_out, err);
}

static tc_status fill_slice(const tci_ifunc_code *code, tci_image_elf *elf,
                            tci_ifunc_code *image_out, tc_error *err)
{
    tci_ifunc_code image = *code;
    image.form = TCI_FORM_IMAGE;
    image.symbols = (tci_text_list){0};
    image.special_place = NULL;
    image.exports = (tci_text_list){0};
    elf->source.holes = elf->holes;
    TC_TRY(tci_image_write(&elf->source, &image.bytes, &image.size, err));
    image.symbols = elf->imports.symbols;
    elf->imports.symbols = (tci_text_list){0};
    tci_text_list_add_all(&image.exports, &code->exports);
    *image_out = image;
    return TC_OK;
}

static tc_status make_from_object(const tci_ifunc_code *code, const char *name,
                                  const object_bytes *object, tci_ifunc_code *image_out,
                                  tc_error *err)
{
    object_bytes linked = {NULL, 0};
    tci_image_elf elf = {.constants_bytes = 0};
    tc_status status = link_and_read(code, name, object, CONSTANTS_IN_CODE, &linked, &elf, err);
    if (status == TC_OK && elf.constants_bytes > CONSTANTS_IN_CODE_MAX) {
        tci_image_elf_fini(&elf);
        free(linked.bytes);
        linked.bytes = NULL;
        status = link_and_read(code, name, object, CONSTANTS_APART, &linked, &elf, err);
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
    if (status == TC_E_UNSUPPORTED || status == TC_E_TOO_LARGE)
        tci_error_prefix(err, "%s: no image for %s (--forms=bitcode makes none)", name,
                         code->triple);
    else if (status != TC_OK)
        tci_error_prefix(err, "%s: image for %s", name, code->triple);
    return status;
}
