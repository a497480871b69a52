/* Any text as a header of remote functions, which libclang parses. The first byte chooses: the
 * rest is the text, or numbers by which declarations are made, most of which the compiler
 * accepts. A header that is refused has a line with its reason. One that is accepted has
 * functions with good prototypes, and every writer makes a text of it. */
#include "../../compiler/stubs/stub_calls.h"
#include "../../compiler/stubs/stub_cxx.h"
#include "../../compiler/stubs/stub_entry.h"
#include "../../compiler/stubs/stub_julia.h"
#include "../../compiler/stubs/stub_python.h"
#include "../../compiler/stubs/stub_read.h"
#include "../../compiler/stubs/stub_rust.h"
#include "fuzzer.h"
#include "prototype.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TEXT_MAX 4096u /* of an input: longer ones reach no other code, and take long */
#define STRUCTS_MAX 4u
#define FUNCTIONS_MAX 3u
#define LIST_MAX 8u /* members or arguments */

/* The words of <tc/remote.h> as the stubs' reader has them, and no file to include. */
static const char head[] =
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t;\n"
    "typedef long int64_t; typedef unsigned char uint8_t; typedef unsigned short uint16_t;\n"
    "typedef unsigned uint32_t; typedef unsigned long uint64_t, size_t; typedef int wchar_t;\n"
    "#define bool _Bool\n"
    "#define TC_REMOTE __attribute__((annotate(\"tc_remote\")))\n"
    "#define TC_COUNT(n) __attribute__((annotate(\"tc_count \" #n)))\n"
    "#define TC_OUT __attribute__((annotate(\"tc_out\")))\n"
    "enum colour { RED, GREEN };\n";

/* --- declarations by numbers ------------------------------------------------------------- */

typedef struct numbers {
    const uint8_t *at;
    size_t left;
    FILE *out;
} numbers;

/* Returns the next number below `end`; 0 behind the last. */
static unsigned next(numbers *n, unsigned end)
{
    if (n->left == 0)
        return 0;
    n->left--;
    return *n->at++ % end;
}

/* The first ones are those that no other process would misread. */
static void make_type(numbers *n, unsigned structs)
{
    static const char *const types[] = {
        "int32_t", "double",       "uint32_t",         "size_t",   "bool",        "float",
        "int64_t", "uint8_t",      "uint16_t",         "int8_t",   "enum colour", "long",
        "char",    "unsigned",     "int16_t",          "uint64_t", "wchar_t",     "long double",
        "void",    "struct later", "union { int u; }", "__int128", "unknown",     "short *"};
    const unsigned kind = next(n, 16);
    if (kind > 11 && structs > 0)
        fprintf(n->out, "struct s%u", next(n, structs));
    else
        fputs(types[next(n, kind == 11 ? sizeof types / sizeof *types : 11)], n->out);
}

static void make_struct(numbers *n, unsigned number)
{
    static const char *const behind[] = {"", "[3]", "[2][2]", " : 3", "[]", "[0]"};
    static const char *const attributes[] = {"", "__attribute__((packed)) ",
                                             "__attribute__((aligned(16))) "};
    fprintf(n->out, "struct %ss%u {", attributes[next(n, 16) == 15 ? next(n, 3) : 0], number);
    for (unsigned i = 0, count = 1 + next(n, LIST_MAX); i < count; i++) {
        fputc(' ', n->out);
        make_type(n, number);
        fprintf(n->out, " m%u%s;", i, behind[next(n, 16) > 11 ? next(n, 6) : 0]);
    }
    fputs(" };\n", n->out);
}

/* With any words in front. */
static void make_odd_argument(numbers *n, unsigned number, unsigned structs)
{
    static const char *const pointers[] = {"", "", "*", "*", "*", "**", "*const "};
    static const char *const behind[] = {"", "", "", "", "[3]", "[]", "[2][2]"};
    static const char *const names[] = {"err", "answer", "tc_x", "result"};
    if (next(n, 3) == 1)
        fprintf(n->out, "TC_COUNT(a%u) ", next(n, LIST_MAX));
    if (next(n, 4) == 1)
        fputs("TC_OUT ", n->out);
    if (next(n, 3) == 1)
        fputs("const ", n->out);
    make_type(n, structs);
    fprintf(n->out, " %s", pointers[next(n, 7)]);
    if (next(n, 2) == 1)
        fputs(names[next(n, 4)], n->out);
    else
        fprintf(n->out, "a%u", number);
    fputs(behind[next(n, 7)], n->out);
}

static void make_argument(numbers *n, unsigned number, unsigned structs)
{
    static const char *const words[] = {"", "const ", "TC_OUT "};
    static const char *const counts[] = {"size_t", "uint32_t", "uint8_t"};
    const unsigned form = next(n, 12);
    if (form == 11) {
        make_odd_argument(n, number, structs);
    } else if (form > 7) {
        fprintf(n->out, "TC_COUNT(n%u) %s", number, words[next(n, 3)]);
        make_type(n, structs);
        fprintf(n->out, " *a%u, %s n%u", number, counts[next(n, 3)], number);
    } else if (form > 4) {
        fputs(words[next(n, 3)], n->out);
        make_type(n, structs);
        fprintf(n->out, form == 7 ? " a%u[2]" : " *a%u", number);
    } else if (form == 4) {
        fprintf(n->out, "const char *a%u", number);
    } else {
        make_type(n, structs);
        fprintf(n->out, " a%u", number);
    }
}

static void make_function(numbers *n, unsigned number, unsigned structs)
{
    static const char *const names[] = {"f%u", "f%u_call", "f%u_capacity", "f0"};
    fprintf(n->out, "%sTC_REMOTE ", next(n, 32) == 31 ? "static " : "");
    if (next(n, 2) == 0)
        fputs("void", n->out);
    else
        make_type(n, structs);
    fputc(' ', n->out);
    fprintf(n->out, names[next(n, 16) == 15 ? next(n, 4) : 0], number);
    fputc('(', n->out);
    const unsigned count = next(n, LIST_MAX);
    for (unsigned i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", n->out);
        make_argument(n, i, structs);
    }
    fputs(count == 0 && next(n, 32) < 31 ? "void" : "", n->out);
    fputs(next(n, 32) == 31 ? ", ...);\n" : ");\n", n->out);
}

static void make_header(numbers *n)
{
    const unsigned structs = next(n, STRUCTS_MAX + 1);
    for (unsigned i = 0; i < structs; i++)
        make_struct(n, i);
    for (unsigned i = 0, count = 1 + next(n, FUNCTIONS_MAX); i < count; i++)
        make_function(n, i, structs);
}

/* --- the reader and the writers ---------------------------------------------------------- */

/* No input names a file: that would read this machine's. */
static bool reads_files(const char *text, size_t size)
{
    static const char *const words[] = {"include", "import", "embed", "module"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (memmem(text, size, words[i], strlen(words[i])) != NULL)
            return true;
    }
    /* Words may be put together from parts, or be on two lines. */
    return memchr(text, '#', size) != NULL || memchr(text, '%', size) != NULL ||
           memmem(text, size, "\?\?", 2) != NULL || memmem(text, size, "_Pragma", 7) != NULL;
}

static void end_text(FILE *out, char **text, size_t *size)
{
    MUST(fclose(out) == 0);
    MUST(*size > 0 && strlen(*text) == *size);
    free(*text);
}

static void write_all(const tci_stub_header *header)
{
    static void (*const writers[])(const tci_stub_header *, FILE *) = {
        tci_stub_calls_write, tci_stub_cxx_write, tci_stub_python_write, tci_stub_rust_write,
        tci_stub_julia_write};
    char *text = NULL;
    size_t size = 0;
    FILE *out;
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        out = open_memstream(&text, &size);
        MUST(out != NULL);
        writers[i](header, out);
        end_text(out, &text, &size);
    }
    for (unsigned i = 0; i < header->function_count; i++) {
        tc_error err = {.text = ""};
        MUST(tci_prototype_check(header->functions[i]->prototype, TC_E_CORRUPT, &err) == TC_OK);
        out = open_memstream(&text, &size);
        MUST(out != NULL);
        tci_stub_entry_write(header, header->functions[i], out);
        end_text(out, &text, &size);
    }
}

/* Reasons go to a text: a sanitizer writes to the descriptor. */
static bool read_header(const char *path, tci_stub_header *header)
{
    static const char *const options[] = {"-nostdinc"};
    FILE *own = stderr;
    char *reasons = NULL;
    size_t size = 0;
    stderr = open_memstream(&reasons, &size);
    MUST(stderr != NULL);
    const bool fine = tci_stub_read(path, options, 1, header);
    MUST(fclose(stderr) == 0);
    stderr = own;
    MUST(fine ? size == 0 : size > 0 && reasons[size - 1] == '\n' && strchr(reasons, ':'));
    free(reasons);
    return fine;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tci_stub_header header;
    char path[64];
    if (size == 0 || size > TEXT_MAX ||
        (data[0] % 2 == 0 && reads_files((const char *)data + 1, size - 1)))
        return 0;
    const int file = memfd_create("header.h", MFD_CLOEXEC);
    MUST(file >= 0);
    FILE *out = fdopen(file, "w");
    MUST(out != NULL);
    fputs(head, out);
    if (data[0] % 2 == 0)
        MUST(fwrite(data + 1, 1, size - 1, out) == size - 1);
    else
        make_header(&(numbers){data + 1, size - 1, out});
    MUST(fflush(out) == 0);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (read_header(path, &header)) {
        MUST(header.function_count > 0);
        write_all(&header);
    }
    tci_stub_read_end(&header);
    MUST(fclose(out) == 0);
    return 0;
}
