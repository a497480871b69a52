/* lld reads its input from memory files and writes to standard output, so that there is nothing
 * to clean up after it. */
#include "image_link.h"

#include "base/error_text.h"
#include "base/full_io.h"
#include "child_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A hole for where constants go, a hole for what stands in front of them. Sections that are not
 * named here go beside those with the same flags. */
static const char script_format[] =
    "PHDRS {\n"
    "  code PT_LOAD FLAGS(5); constants PT_LOAD FLAGS(4); data PT_LOAD FLAGS(6);\n"
    "  rest PT_LOAD FLAGS(4); dynamic PT_DYNAMIC FLAGS(4);\n"
    "}\n"
    "SECTIONS {\n"
    "  . = 0;\n"
    "  .text : { *(.text .text.*) } :code\n"
    "  .plt : { *(.plt) } :code\n"
    "%1$s"
    "  .rodata : { *(.rodata .rodata.*) } :%2$s\n"
    "  .eh_frame : { *(.eh_frame) } :%2$s\n"
    "  .gcc_except_table : { *(.gcc_except_table .gcc_except_table.*) } :%2$s\n"
    "  .data.rel.ro : { *(.data.rel.ro .data.rel.ro.*) } :%2$s\n"
    "  .got : { *(.got .got.plt) } :%2$s\n"
    "  . = ALIGN(CONSTANT(MAXPAGESIZE));\n"
    "  .data : { *(.data .data.*) } :data\n"
    "  .bss : { *(.bss .bss.* COMMON) } :data\n"
    "  . = ALIGN(CONSTANT(MAXPAGESIZE));\n"
    "  .dynsym : { *(.dynsym) } :rest\n"
    "  .dynstr : { *(.dynstr) } :rest\n"
    "  .hash : { *(.hash) } :rest\n"
    "  .rela.dyn : { *(.rela.dyn) } :rest\n"
    "  .rela.plt : { *(.rela.plt) } :rest\n"
    "  .dynamic : { *(.dynamic) } :rest :dynamic\n"
    "  /DISCARD/ : { *(.comment .note .note.*) }\n"
    "}\n";

const char *tci_image_link_program(void)
{
    const char *program = getenv("TC_LLD");
    return program != NULL && program[0] != '\0' ? program : TC_LLD_PROGRAM;
}

/* A file without a name that a child process reaches through /proc/self/fd. */
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

static void link_words(uint32_t page_bytes, int object, int script, tci_text_list *words)
{
    /* Names of the image's own functions are not for others to replace; all others are bound
     * when it is loaded. */
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
    tci_text_list_add(words, tci_image_link_program());
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        tci_text_list_add(words, fixed[i]);
    tci_text_list_format(words, "max-page-size=%u", page_bytes);
    tci_text_list_add(words, "-T");
    tci_text_list_format(words, "/proc/self/fd/%d", script);
    tci_text_list_add(words, "-o");
    tci_text_list_add(words, "-");
    tci_text_list_format(words, "/proc/self/fd/%d", object);
}

tc_status tci_image_link(const void *object, size_t size, uint32_t page_bytes,
                         tci_image_constants constants, void **bytes_out, size_t *size_out,
                         tc_error *err)
{
    bool apart = constants == TCI_CONSTANTS_APART;
    char script[2048];
    int object_fd = -1, script_fd = -1;
    (void)snprintf(script, sizeof script, script_format,
                   apart ? "  . = ALIGN(CONSTANT(MAXPAGESIZE));\n" : "",
                   apart ? "constants" : "code");
    TC_TRY(memory_file(object, size, &object_fd, err));
    tc_status status = memory_file(script, strlen(script), &script_fd, err);
    if (status == TC_OK) {
        tci_text_list words = {0};
        link_words(page_bytes, object_fd, script_fd, &words);
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
