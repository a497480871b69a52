/* For each function F: F, which calls and returns the result, and F_start, which returns the
 * started call. The package `tchains` packs by the prototype; what is made here has the names,
 * and the numbers of elements that arrays share. */
#include "stub_python.h"

#include <string.h>

/* Names that no parameter has: Python's words, and the other parameters of a caller. */
static const char *const taken[] = {
    "False",   "None",        "True",    "and",      "as",       "assert", "async",
    "await",   "break",       "class",   "continue", "def",      "del",    "elif",
    "else",    "except",      "finally", "for",      "from",     "global", "if",
    "import",  "in",          "is",      "lambda",   "nonlocal", "not",    "or",
    "pass",    "raise",       "return",  "try",      "while",    "with",   "yield",
    "tc_peer", "tc_function", "tc_how",  "tc_count", "tchains",  "len",    "open_function"};

static bool is_taken(const char *name)
{
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        if (strcmp(taken[i], name) == 0)
            return true;
    }
    return false;
}

static void print_name(const char *name, FILE *out)
{
    fprintf(out, "%s%s", name, is_taken(name) ? "_" : "");
}

static void print_parameters(const tci_stub_function *f, FILE *out)
{
    for (unsigned i = 0; i < f->argument_count; i++) {
        if (tci_stub_model_is_given(f, i)) {
            fputs(", ", out);
            print_name(f->arguments[i].name, out);
        }
    }
}

/* Prints the check that arrays of one count have equal sizes, and its type such numbers. */
static void print_check(const tci_stub_function *f, unsigned number, FILE *out)
{
    const uint64_t bytes = f->arguments[number].type.size;
    unsigned arrays = 0;
    for (unsigned i = 0; i < f->argument_count; i++) {
        const tci_stub_argument *a = &f->arguments[i];
        arrays += a->form == TCI_STUB_ARRAY && a->count == number && a->way != TCI_STUB_OUT;
    }
    if (arrays == 0 || (arrays == 1 && bytes == 8))
        return;
    fprintf(out, "    tc_count(\"%s\", %u", f->name, (unsigned)(8 * bytes));
    for (unsigned i = 0; i < f->argument_count; i++) {
        const tci_stub_argument *a = &f->arguments[i];
        if (a->form != TCI_STUB_ARRAY || a->count != number || a->way == TCI_STUB_OUT)
            continue;
        fputs(", ", out);
        print_name(a->name, out);
        fputc('=', out);
        print_name(a->name, out);
    }
    fputs(")\n", out);
}

/* The values of the message: of an array that is answered alone, its capacity. */
static void print_values(const tci_stub_function *f, FILE *out)
{
    for (unsigned i = 0; i < f->argument_count; i++) {
        const tci_stub_argument *a = &f->arguments[i];
        const bool is_capacity = a->form == TCI_STUB_ARRAY && a->way == TCI_STUB_OUT;
        if (a->form == TCI_STUB_COUNT || (a->way == TCI_STUB_OUT && !is_capacity))
            continue;
        const tci_stub_argument *first =
            is_capacity ? tci_stub_model_counted(f, a->count) : NULL;
        fputs(first != NULL ? ", len(" : ", ", out);
        print_name(first != NULL ? first->name
                                 : (is_capacity ? &f->arguments[a->count] : a)->name,
                   out);
        if (first != NULL)
            fputc(')', out);
    }
}

static void print_answer(const tci_stub_function *f, FILE *out)
{
    const char *between = "";
    if (f->result.text[0] != '\0') {
        fputs("the result", out);
        between = ", ";
    }
    for (unsigned i = 0; i < f->argument_count; i++) {
        if (f->arguments[i].way == TCI_STUB_IN)
            continue;
        fprintf(out, "%s%s", between, f->arguments[i].name);
        between = ", ";
    }
    if (between[0] == '\0')
        fputs("None", out);
}

static void print_caller(const tci_stub_function *f, bool starts, FILE *out)
{
    fprintf(out, "\n\ndef %s%s(tc_peer, tc_function", f->name, starts ? "_start" : "");
    print_parameters(f, out);
    fprintf(out, ", **tc_how):\n    \"\"\"%s ", starts ? "Starts a call of" : "Calls");
    fprintf(out, "%s at a peer. %s", f->name, starts ? "Its result is: " : "Returns: ");
    print_answer(f, out);
    fprintf(out, ".\"\"\"\n");
    for (unsigned i = 0; i < f->argument_count; i++) {
        if (f->arguments[i].form == TCI_STUB_COUNT)
            print_check(f, i, out);
    }
    fprintf(out, "    return tc_peer.%s(tc_function", starts ? "start" : "call");
    print_values(f, out);
    fprintf(out, ", **tc_how)\n");
}

void tci_stub_python_write(const tci_stub_header *header, FILE *out)
{
    fprintf(out,
            "\"\"\"Callers of the functions of %s. Made by tc-clang --stubs: changes are "
            "lost.\"\"\"\n\nPROTOTYPES = {\n",
            header->base);
    for (unsigned i = 0; i < header->function_count; i++)
        fprintf(out, "    \"%s\": \"%s\",\n", header->functions[i]->name,
                header->functions[i]->prototype);
    fputs("}\n\n\n"
          "def open_function(context, name):\n"
          "    \"\"\"Opens a function of the header by its name. Raises tchains.Error if its "
          "prototype is another one.\"\"\"\n"
          "    return context.open(name).check_prototype(PROTOTYPES[name])\n\n\n"
          "def tc_count(function, bits, /, **arrays):\n"
          "    \"\"\"Checks that arrays have as many elements as the first one, a number of so "
          "many "
          "bits.\"\"\"\n"
          "    first, length = next((name, len(array)) for name, array in arrays.items())\n"
          "    for name, array in arrays.items():\n"
          "        if len(array) != length:\n"
          "            raise ValueError(f\"{function}: the number of elements of '{name}' is "
          "{len(array)}, \"\n"
          "                             f\"expected that of '{first}', {length}\")\n"
          "    if length >> bits:\n"
          "        raise ValueError(f\"{function}: the number of elements of '{first}' is "
          "{length}, expected at most {(1 << bits) - 1}\")\n",
          out);
    for (unsigned i = 0; i < header->function_count; i++) {
        print_caller(header->functions[i], false, out);
        print_caller(header->functions[i], true, out);
    }
}
