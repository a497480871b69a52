/* For each function F, in the namespace HEADER_calls: try_F, which takes a tc_error, and F,
 * which throws; F_all likewise (stub_cxx_all.c). Arrays are std::vector, which have the numbers
 * of their elements. */
#include "stub_cxx.h"

#include "stub_cxx_all.h"
#include "stub_writer.h"

#include <inttypes.h>

static bool is_in(const tci_stub_argument *a)
{
    return a->way == TCI_STUB_IN;
}

/* Prints ", TYPE NAME" for each argument but counts. */
static void print_parameters(const tci_stub_function *f, FILE *out)
{
    for (unsigned i = 0; i < f->argument_count; i++) {
        const tci_stub_argument *a = &f->arguments[i];
        const char *is_const = is_in(a) ? "const " : "", *c = a->type.c_name;
        if (a->form == TCI_STUB_VALUE)
            fprintf(out, ", %s %s", c, a->name);
        else if (a->form == TCI_STUB_POINTER)
            fprintf(out, ", %s%s &%s", is_const, c, a->name);
        else if (a->form == TCI_STUB_FIXED)
            fprintf(out, ", %sstd::array<%s, %" PRIu64 "> &%s", is_const, c, a->length,
                    a->name);
        else if (a->form == TCI_STUB_ARRAY)
            fprintf(out, ", %sstd::vector<%s> &%s", is_const, c, a->name);
        else if (a->form == TCI_STUB_WORDS)
            fprintf(out, ", const std::string &%s", a->name);
    }
}

static void print_names(const tci_stub_function *f, FILE *out)
{
    for (unsigned i = 0; i < f->argument_count; i++) {
        if (f->arguments[i].form != TCI_STUB_COUNT)
            fprintf(out, ", %s", f->arguments[i].name);
    }
}

/* Arrays of one count have equal sizes, which the count's type can have. */
static void print_count_checks(const tci_stub_function *f, unsigned number, bool of_sent,
                               FILE *out)
{
    const tci_stub_argument *n = &f->arguments[number], *first = NULL;
    for (unsigned i = 0; i < f->argument_count; i++) {
        const tci_stub_argument *a = &f->arguments[i];
        if (a->form != TCI_STUB_ARRAY || a->count != number ||
            (of_sent && a->way == TCI_STUB_OUT))
            continue;
        if (first != NULL)
            fprintf(out,
                    "    if (%s.size() != %s.size())\n"
                    "        return tc_stub_fail(&err, TC_E_INVALID, \"%s\", \"the number of "
                    "elements of '%s'\",\n                            %s.size(), \"that of "
                    "'%s', \", %s.size());\n",
                    a->name, first->name, f->name, a->name, a->name, first->name, first->name);
        else if (n->type.size < 8)
            fprintf(out,
                    "    if (%s.size() > %" PRIu64 "u)\n"
                    "        return tc_stub_fail(&err, TC_E_INVALID, \"%s\", \"the number of "
                    "elements of '%s'\",\n                            %s.size(), \"at most \", "
                    "%" PRIu64 "u);\n",
                    a->name, (UINT64_C(1) << (8 * n->type.size)) - 1, f->name, a->name, a->name,
                    (UINT64_C(1) << (8 * n->type.size)) - 1);
        first = first != NULL ? first : a;
    }
    if (first != NULL)
        fprintf(out, "    const %s tc_%u = static_cast<%s>(%s.size());\n", n->type.c_name,
                number, n->type.c_name, first->name);
}

void tci_stub_cxx_checks(const tci_stub_function *f, bool of_sent, FILE *out)
{
    for (unsigned i = 0; i < f->argument_count; i++) {
        const tci_stub_argument *a = &f->arguments[i];
        if (a->form == TCI_STUB_COUNT)
            print_count_checks(f, i, of_sent, out);
        else if (a->form == TCI_STUB_WORDS)
            fprintf(
                out,
                "    if (%s.find('\\0') != std::string::npos)\n"
                "        return tc_stub_fail(&err, TC_E_INVALID, \"%s\", \"the length up to "
                "the first zero of the text '%s'\",\n                            "
                "%s.find('\\0'), \"\", %s.size());\n",
                a->name, f->name, a->name, a->name, a->name);
    }
}

/* Prints the arguments of F_call. */
static void print_arguments(const tci_stub_function *f, FILE *out)
{
    for (unsigned i = 0; i < f->argument_count; i++) {
        const tci_stub_argument *a = &f->arguments[i];
        if (a->form == TCI_STUB_COUNT)
            fprintf(out, ", tc_%u", i);
        else if (a->form == TCI_STUB_WORDS)
            fprintf(out, ", %s.c_str()", a->name);
        else if (a->form == TCI_STUB_ARRAY || a->form == TCI_STUB_FIXED)
            fprintf(out, ", %s.data()", a->name);
        else
            fprintf(out, ", %s%s", a->form == TCI_STUB_POINTER ? "&" : "", a->name);
    }
}

static bool has_array_of_bool(const tci_stub_function *f)
{
    for (unsigned i = 0; i < f->argument_count; i++) {
        if (f->arguments[i].form == TCI_STUB_ARRAY &&
            tci_stub_model_is_bool(&f->arguments[i].type))
            return true;
    }
    return false;
}

static void print_function(const tci_stub_function *f, FILE *out)
{
    const char *name = f->name, *result = f->result.c_name;
    const bool answers = f->result.text[0] != '\0';
    if (has_array_of_bool(f)) {
        fprintf(out, "\n// %s takes an array of bool, which std::vector has not: %s_call.\n",
                name, name);
        return;
    }
    fprintf(out, "\ninline tc_status try_%s(tc_error &err, const tc::to &where", name);
    print_parameters(f, out);
    if (answers)
        fprintf(out, ", %s &result_out", result);
    fprintf(out, ")\n{\n    err.status = TC_OK;\n");
    tci_stub_cxx_checks(f, false, out);
    fprintf(out, "    return ::%s_call(where.ep, where.fn", name);
    print_arguments(f, out);
    fprintf(out,
            "%s, where.within.ns, &err);\n}\n#ifdef TC_WITH_EXCEPTIONS\n"
            "inline %s %s(const tc::to &where",
            answers ? ", &result_out" : "", answers ? result : "void", name);
    print_parameters(f, out);
    fprintf(out, ")\n{\n    tc_error tc_err;\n");
    if (answers)
        fprintf(out, "    %s tc_result{};\n", result);
    fprintf(out, "    if (try_%s(tc_err, where", name);
    print_names(f, out);
    fprintf(out, "%s) != TC_OK)\n        throw tc::error(tc_err);\n%s}\n#endif\n",
            answers ? ", tc_result" : "", answers ? "    return tc_result;\n" : "");
    tci_stub_cxx_all_write(f, out);
}

void tci_stub_cxx_write(const tci_stub_header *header, FILE *out)
{
    fprintf(
        out,
        "// Callers in C++17 of the functions of %s. Made by tc-clang --stubs: changes are "
        "lost.\n"
        "#ifndef TC_CXX_CALLS_OF_%s\n#define TC_CXX_CALLS_OF_%s\n\n"
        "#include \"%s_calls.h\"\n\n"
        "#include <array>\n#include <memory>\n#include <new>\n#include <string>\n#include "
        "<tc/tchains.hpp>\n#include "
        "<tuple>\n#include <vector>\n\nnamespace %s_calls\n{\n\n"
        "template <typename T, typename From, std::size_t N>\n"
        "std::array<T, N> tc_array_of(const From (&from)[N])\n{\n"
        "    std::array<T, N> made;\n"
        "    for (std::size_t i = 0; i < N; i++)\n        made[i] = static_cast<T>(from[i]);\n"
        "    return made;\n}\n",
        header->base, header->guard, header->guard, header->stem, header->guard);
    for (unsigned i = 0; i < header->function_count; i++)
        print_function(header->functions[i], out);
    fprintf(out, "\n} // namespace %s_calls\n\n#endif\n", header->guard);
}
