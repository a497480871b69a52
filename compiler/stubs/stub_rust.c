/* Structs by `element!`, and each function by `remote!` of the crate `tchains`, which derives
 * the prototype, packs the message and takes the answer apart. */
#include "stub_rust.h"

#include "stub_struct.h"

#include <inttypes.h>
#include <string.h>

/* Words of Rust's that may be names in C. */
static const char *const words[] = {
    "abstract", "as",       "async",   "await", "become",  "box",   "crate", "dyn",   "final",
    "fn",       "impl",     "in",      "let",   "loop",    "macro", "match", "mod",   "move",
    "mut",      "override", "priv",    "pub",   "ref",     "self",  "super", "trait", "try",
    "type",     "typeof",   "unsized", "use",   "virtual", "where", "yield", "Self"};

static void print_name(const char *name, FILE *out)
{
    const char *behind = "";
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i], name) == 0)
            behind = "_";
    }
    fprintf(out, "%s%s", name, behind);
}

static void print_type(const tci_stub_header *header, const char *text, const char *c_name,
                       FILE *out)
{
    char name[TCI_STUB_NAME_MAX];
    if (text[0] != '{' && text[0] != '\0') {
        fputs(text, out); /* numbers have the same names */
        return;
    }
    tci_stub_struct_name(header, c_name, name);
    print_name(name, out);
}

static void print_struct(const tci_stub_header *header, const tci_stub_struct *record,
                         FILE *out)
{
    fputs("\ntchains::element! {\n    #[allow(non_camel_case_types, dead_code)]\n"
          "    #[derive(Debug, PartialEq)]\n    pub struct ",
          out);
    print_type(header, "", record->c_name, out);
    fputs(" {\n", out);
    for (unsigned i = 0; i < record->member_count; i++) {
        const tci_stub_member *m = &record->members[i];
        fputs("        pub ", out);
        print_name(m->name, out);
        fputs(m->length > 0 ? ": [" : ": ", out);
        print_type(header, m->text, m->c_name, out);
        if (m->length > 0)
            fprintf(out, "; %" PRIu64 "]", m->length);
        fputs(",\n", out);
    }
    fputs("    }\n}\n", out);
}

static void print_parameter(const tci_stub_header *header, const tci_stub_argument *a,
                            FILE *out)
{
    static const char *const fixed[] = {"", "tchains::InOut<", "tchains::Out<"};
    static const char *const array[] = {"&[", "&mut [", "tchains::Out<["};
    const bool is_array = a->form == TCI_STUB_ARRAY;
    print_name(a->name, out);
    fputs(": ", out);
    if (a->form == TCI_STUB_WORDS) {
        fputs("&str", out);
        return;
    }
    fputs(is_array ? array[a->way] : fixed[a->way], out);
    fputs(a->form == TCI_STUB_FIXED ? "[" : "", out);
    print_type(header, a->type.text, a->type.c_name, out);
    if (a->form == TCI_STUB_FIXED)
        fprintf(out, "; %" PRIu64 "]", a->length);
    if (is_array)
        fputs(a->way == TCI_STUB_OUT ? "]>" : "]", out);
    else
        fputs(a->way == TCI_STUB_IN ? "" : ">", out);
}

static void print_function(const tci_stub_header *header, const tci_stub_function *f, FILE *out)
{
    const char *between = "";
    fprintf(out, "    /// `%s`: \"%s\".\n    #[allow(dead_code)]\n    pub fn ", f->name,
            f->prototype);
    print_name(f->name, out);
    fputc('(', out);
    for (unsigned i = 0; i < f->argument_count; i++) {
        if (f->arguments[i].form == TCI_STUB_COUNT)
            continue;
        fputs(between, out);
        print_parameter(header, &f->arguments[i], out);
        between = ", ";
    }
    fputc(')', out);
    if (f->result.text[0] != '\0') {
        fputs(" -> ", out);
        print_type(header, f->result.text, f->result.c_name, out);
    }
    fputs(";\n", out);
}

void tci_stub_rust_write(const tci_stub_header *header, FILE *out)
{
    fprintf(out,
            "// Callers in Rust of the functions of %s. Made by tc-clang --stubs: changes are "
            "lost.\n",
            header->base);
    for (unsigned i = 0; i < header->struct_count; i++)
        print_struct(header, &header->structs[i], out);
    fputs("\ntchains::remote! {\n", out);
    for (unsigned i = 0; i < header->function_count; i++)
        print_function(header, header->functions[i], out);
    fputs("}\n", out);
}
