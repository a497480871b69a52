/* tc-stubs FOLDER HEADER [compiler options]: tc-clang --stubs runs it. It is a program of its
 * own, so that tc-clang does not load libclang for everything else that it does. */
#include "archive_file.h"
#include "base/error_text.h"
#include "stub_calls.h"
#include "stub_cxx.h"
#include "stub_entry.h"
#include "stub_julia.h"
#include "stub_python.h"
#include "stub_read.h"
#include "stub_rust.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct output {
    FILE *stream;
    char *text;
    size_t size;
} output;

static tc_status begin(output *out, tc_error *err)
{
    out->stream = open_memstream(&out->text, &out->size);
    if (out->stream == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for a source");
    return TC_OK;
}

static tc_status end(output *out, const char *folder, const char *name, const char *suffix,
                     tc_error *err)
{
    char path[PATH_MAX];
    tc_status status = TC_OK;
    const int length = snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
    if (fclose(out->stream) != 0)
        status = tci_error_set(err, TC_E_NO_MEMORY, "no memory for a source");
    else if (length < 0 || (size_t)length >= sizeof path)
        status = tci_error_set(err, TC_E_INVALID, "the path of '%s' in '%s' is too long", name,
                               folder);
    else
        status = tci_archive_file_write(path, out->text, out->size, err);
    free(out->text);
    return status;
}

static tc_status write_all(const tci_stub_header *header, const char *folder, tc_error *err)
{
    output out;
    TC_TRY(begin(&out, err));
    tci_stub_calls_write(header, out.stream);
    TC_TRY(end(&out, folder, header->stem, "_calls.h", err));
    TC_TRY(begin(&out, err));
    tci_stub_cxx_write(header, out.stream);
    TC_TRY(end(&out, folder, header->stem, "_calls.hpp", err));
    TC_TRY(begin(&out, err));
    tci_stub_python_write(header, out.stream);
    TC_TRY(end(&out, folder, header->stem, "_calls.py", err));
    TC_TRY(begin(&out, err));
    tci_stub_rust_write(header, out.stream);
    TC_TRY(end(&out, folder, header->stem, "_calls.rs", err));
    TC_TRY(begin(&out, err));
    tci_stub_julia_write(header, out.stream);
    TC_TRY(end(&out, folder, header->stem, "_calls.jl", err));
    for (unsigned i = 0; i < header->function_count; i++) {
        TC_TRY(begin(&out, err));
        tci_stub_entry_write(header, header->functions[i], out.stream);
        TC_TRY(end(&out, folder, header->functions[i]->name, "_entry.c", err));
    }
    return TC_OK;
}

int main(int argc, char **argv)
{
    tci_stub_header header;
    tc_error error;
    if (argc < 3) {
        (void)fputs("usage: tc-stubs FOLDER HEADER [compiler options]\n", stderr);
        return 2;
    }
    bool fine = tci_stub_read(argv[2], (const char *const *)argv + 3, argc - 3, &header);
    if (fine && write_all(&header, argv[1], &error) != TC_OK) {
        (void)fprintf(stderr, "tc-clang: error: %s\n", error.text);
        fine = false;
    }
    tci_stub_read_end(&header);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
