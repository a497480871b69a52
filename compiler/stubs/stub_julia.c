/* A module with the header's structs, and for each function F a method F, for a peer or a
 * group. The package `ThreeChains` converts values, packs and checks; the parts that are made
 * here are the names, the types, and the numbers of elements that arrays share. Words of the
 * package are qualified, as arguments may have the names of its functions and types. */
#include "stub_julia.h"

#include "stub_struct.h"

#include <inttypes.h>
#include <string.h>

/* Names that nothing in the module has: Julia's words, and those of types and modules. */
static const char *const taken[] = {
    "abstract",    "baremodule",    "begin",  "break",   "catch",  "const",  "continue",
    "do",          "else",          "elseif", "end",     "export", "false",  "finally",
    "for",         "function",      "global", "if",      "import", "in",     "isa",
    "let",         "local",         "macro",  "module",  "quote",  "return", "struct",
    "true",        "try",           "using",  "where",   "while",  "eval",   "include",
    "ThreeChains", "open_function", "Base",   "Core",    "Vector", "Tuple",  "String",
    "NTuple",      "Bool",          "Int8",   "Int16",   "Int32",  "Int64",  "UInt8",
    "UInt16",      "UInt32",        "UInt64", "Float32", "Float64"};

static void print_name(const char *name, FILE *out)
{
    const size_t length = strlen(name);
    const bool is_own = strncmp(name, "tc_", 3) == 0 && name[length - 1] != '_';
    const char *behind = is_own ? "_" : "";
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        if (strcmp(taken[i], name) == 0)
            behind = "_";
    }
    fprintf(out, "%s%s", name, behind);
}

/* In C a struct may have the name of a function. */
static void print_struct_name(const tci_stub_header *header, const char *c_name, FILE *out)
{
    char name[TCI_STUB_NAME_MAX];
    tci_stub_struct_name(header, c_name, name);
    print_name(name, out);
    for (unsigned i = 0; i < header->function_count; i++) {
        if (strcmp(header->functions[i]->name, name) == 0)
            fputs("_struct", out);
    }
}

/* "" in `text` is a struct, too. */
static void print_type(const tci_stub_header *header, const char *text, const char *c_name,
                       FILE *out)
{
    if (strcmp(text, "bool") == 0)
        fputs("Bool", out);
    else if (text[0] == 'i' || text[0] == 'u' || text[0] == 'f')
        fprintf(out, "%s%s",
                text[0] == 'i'   ? "Int"
                : text[0] == 'u' ? "UInt"
                                 : "Float",
                text + 1);
    else
        print_struct_name(header, c_name, out);
}

static void print_struct(const tci_stub_header *header, const tci_stub_struct *record,
                         FILE *out)
{
    fputs("\nstruct ", out);
    print_struct_name(header, record->c_name, out);
    for (unsigned i = 0; i < record->member_count; i++) {
        const tci_stub_member *m = &record->members[i];
        fputs("\n    ", out);
        print_name(m->name, out);
        fputs("::", out);
        if (m->length > 0)
            fprintf(out, "NTuple{%" PRIu64 ",", m->length);
        print_type(header, m->text, m->c_name, out);
        if (m->length > 0)
            fputc('}', out);
    }
    fputs("\nend\n", out);
}

static void print_value_type(const tci_stub_header *header, const tci_stub_value *v, FILE *out)
{
    const tci_stub_form form = v->argument != NULL ? v->argument->form : TCI_STUB_VALUE;
    if (v->is_number || form == TCI_STUB_WORDS) {
        fputs(v->is_number ? "UInt64" : "String", out);
        return;
    }
    fputs(form == TCI_STUB_FIXED ? "ThreeChains.Fixed{"
                                 : (form == TCI_STUB_ARRAY ? "Vector{" : ""),
          out);
    print_type(header, v->type->text, v->type->c_name, out);
    if (form == TCI_STUB_FIXED)
        fprintf(out, ",%" PRIu64, v->argument->length);
    if (form == TCI_STUB_FIXED || form == TCI_STUB_ARRAY)
        fputc('}', out);
}

static void print_types(const tci_stub_header *header, const tci_stub_layout *l, FILE *out)
{
    fputs("Tuple{", out);
    for (unsigned i = 0; i < l->count; i++) {
        fputs(i > 0 ? "," : "", out);
        print_value_type(header, &l->values[i], out);
    }
    fputc('}', out);
}

static void print_remote(const tci_stub_header *header, const tci_stub_function *f,
                         const tci_stub_layout *message, const tci_stub_layout *answer,
                         FILE *out)
{
    const char *between = "";
    fprintf(out, "\nconst tc_of_%s = ThreeChains.RemoteFunction{", f->name);
    print_types(header, message, out);
    fputc(',', out);
    print_types(header, answer, out);
    fprintf(out, "}(\n    \"%s\", \"%s\", Bool[", f->name, f->prototype);
    for (unsigned i = 0; i < answer->count; i++) {
        if (!answer->values[i].varies)
            continue;
        fprintf(out, "%s%s", between,
                answer->values[i].argument->way == TCI_STUB_INOUT ? "true" : "false");
        between = ", ";
    }
    fputs("])\n\n", out);
}

/* Prints the check that arrays of one count have equal sizes, and its type such numbers. */
static void print_check(const tci_stub_function *f, unsigned number, FILE *out)
{
    const uint64_t bytes = f->arguments[number].type.size;
    const char *between = "";
    unsigned arrays = 0;
    for (unsigned i = 0; i < f->argument_count; i++) {
        const tci_stub_argument *a = &f->arguments[i];
        arrays += a->form == TCI_STUB_ARRAY && a->count == number && a->way != TCI_STUB_OUT;
    }
    if (arrays == 0 || (arrays == 1 && bytes == 8))
        return;
    fprintf(out, "    ThreeChains.check_counts(\"%s\", %u, (", f->name, (unsigned)(8 * bytes));
    for (unsigned i = 0; i < f->argument_count; i++) {
        const tci_stub_argument *a = &f->arguments[i];
        if (a->form != TCI_STUB_ARRAY || a->count != number || a->way == TCI_STUB_OUT)
            continue;
        fputs(between, out);
        print_name(a->name, out);
        fputs(" = ", out);
        print_name(a->name, out);
        between = ", ";
    }
    fputs(arrays == 1 ? ",))\n" : "))\n", out);
}

/* The number of an array's elements: of the first one of its count that is sent, or given. */
static void print_count(const tci_stub_function *f, unsigned count, FILE *out)
{
    const tci_stub_argument *first = tci_stub_model_counted(f, count);
    fputs(first != NULL ? "ThreeChains.length(" : "", out);
    print_name(first != NULL ? first->name : f->arguments[count].name, out);
    fputs(first != NULL ? ")" : "", out);
}

/* Prints what goes between the parts of a tuple, of which one alone has a comma behind it. */
static void print_comma(unsigned part, unsigned parts, FILE *out)
{
    fputs(part + 1 < parts ? ", " : (parts == 1 ? "," : ""), out);
}

static void print_call(const tci_stub_function *f, const tci_stub_layout *message,
                       const tci_stub_layout *answer, FILE *out)
{
    unsigned part = 0, parts = 0;
    fprintf(out, "    return ThreeChains.call_remote(tc_of_%s, tc_where, tc_function, (",
            f->name);
    for (unsigned i = 0; i < message->count; i++) {
        const tci_stub_value *v = &message->values[i];
        if (v->is_number)
            print_count(f, v->argument->count, out);
        else
            print_name(v->argument->name, out);
        print_comma(i, message->count, out);
    }
    fputs("), (", out);
    for (unsigned i = 0; i < answer->count; i++)
        parts += answer->values[i].varies;
    for (unsigned i = 0; i < answer->count; i++) {
        if (!answer->values[i].varies)
            continue;
        print_count(f, answer->values[i].argument->count, out);
        print_comma(part++, parts, out);
    }
    fputs("); tc_how...)\nend\n", out);
}

static void print_function(const tci_stub_header *header, const tci_stub_function *f, FILE *out)
{
    tci_stub_layout message, answer;
    const char *between = "";
    tci_stub_model_message(f, &message);
    tci_stub_model_answer(f, &answer);
    print_remote(header, f, &message, &answer, out);
    fprintf(out, "\"Calls %s at a peer, or at all ranks of a group. Returns: ", f->name);
    for (unsigned i = 0; i < answer.count; i++) {
        const tci_stub_argument *a = answer.values[i].argument;
        fprintf(out, "%s%s", between, a != NULL ? a->name : "the result");
        between = ", ";
    }
    fprintf(out, "%s.\"\nfunction ", answer.count == 0 ? "nothing" : "");
    print_name(f->name, out);
    fputs("(tc_where, tc_function", out);
    for (unsigned i = 0; i < f->argument_count; i++) {
        if (!tci_stub_model_is_given(f, i))
            continue;
        fputs(", ", out);
        print_name(f->arguments[i].name, out);
    }
    fputs("; tc_how...)\n", out);
    for (unsigned i = 0; i < f->argument_count; i++) {
        if (f->arguments[i].form == TCI_STUB_COUNT)
            print_check(f, i, out);
    }
    print_call(f, &message, &answer, out);
}

void tci_stub_julia_write(const tci_stub_header *header, FILE *out)
{
    fprintf(out,
            "# Callers of the functions of %s. Made by tc-clang --stubs: changes are lost.\n"
            "module %s_calls\n\nimport ThreeChains\n",
            header->base, header->guard);
    for (unsigned i = 0; i < header->struct_count; i++)
        print_struct(header, &header->structs[i], out);
    for (unsigned i = 0; i < header->function_count; i++)
        print_function(header, header->functions[i], out);
    fputs("\nconst tc_functions = ThreeChains.Dict(", out);
    for (unsigned i = 0; i < header->function_count; i++)
        fprintf(out, "%s\n    \"%s\" => tc_of_%s", i > 0 ? "," : "", header->functions[i]->name,
                header->functions[i]->name);
    fputs(")\n\n"
          "\"Opens a function of the header by its name. Throws TcError if its prototype is "
          "another one.\"\n"
          "open_function(context, name) = ThreeChains.open_remote(context, "
          "tc_functions[name])\n\nend\n",
          out);
}
