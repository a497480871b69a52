/* F_all of C++ returns a vector with each rank's answer: a value, or a tuple of several. It
 * takes what is sent alone, as each rank's answer has its own memory, and the numbers of
 * elements of arrays that are only answered. */
#include "stub_cxx_all.h"

#include "stub_cxx.h"
#include "stub_writer.h"

#include <inttypes.h>

static void print_parameters(const tci_stub_function *f, FILE *out)
{
    for (unsigned i = 0; i < f->argument_count; i++) {
        const tci_stub_argument *a = &f->arguments[i];
        const char *c = a->type.c_name;
        if (!tci_stub_model_is_given(f, i))
            continue;
        if (a->form == TCI_STUB_VALUE || a->form == TCI_STUB_COUNT)
            fprintf(out, ", %s %s", c, a->name);
        else if (a->form == TCI_STUB_POINTER)
            fprintf(out, ", const %s &%s", c, a->name);
        else if (a->form == TCI_STUB_FIXED)
            fprintf(out, ", const std::array<%s, %" PRIu64 "> &%s", c, a->length, a->name);
        else if (a->form == TCI_STUB_ARRAY)
            fprintf(out, ", const std::vector<%s> &%s", c, a->name);
        else
            fprintf(out, ", const std::string &%s", a->name);
    }
}

static void print_given_names(const tci_stub_function *f, FILE *out)
{
    for (unsigned i = 0; i < f->argument_count; i++) {
        if (tci_stub_model_is_given(f, i))
            fprintf(out, ", %s", f->arguments[i].name);
    }
}

static void print_count(const tci_stub_function *f, unsigned number, FILE *out)
{
    if (tci_stub_model_counted(f, number) != NULL)
        fprintf(out, "tc_%u", number);
    else
        fputs(f->arguments[number].name, out);
}

/* Prints the arguments of the message as F_all of C takes them. */
static void print_message(const tci_stub_function *f, FILE *out)
{
    for (unsigned i = 0; i < f->argument_count; i++) {
        const tci_stub_argument *a = &f->arguments[i];
        if (a->form == TCI_STUB_COUNT) {
            fputs(", ", out);
            print_count(f, i, out);
        } else if (a->way != TCI_STUB_OUT) {
            const bool is_array = a->form == TCI_STUB_ARRAY || a->form == TCI_STUB_FIXED;
            fprintf(out, ", %s%s%s", a->form == TCI_STUB_POINTER ? "&" : "", a->name,
                    a->form == TCI_STUB_WORDS ? ".c_str()" : (is_array ? ".data()" : ""));
        }
    }
}

static void print_type(const tci_stub_value *v, FILE *out)
{
    const tci_stub_form form = v->argument != NULL ? v->argument->form : TCI_STUB_VALUE;
    if (form == TCI_STUB_FIXED)
        fprintf(out, "std::array<%s, %" PRIu64 ">", v->type->c_name, v->argument->length);
    else if (form == TCI_STUB_ARRAY)
        fprintf(out, "std::vector<%s>", v->type->c_name);
    else
        fputs(v->type->c_name, out);
}

static void print_alias(const tci_stub_writer *w)
{
    FILE *out = w->out;
    const bool several = w->answer.count > 1;
    fprintf(out, "\nusing %s_values = %s", w->f->name, several ? "std::tuple<" : "");
    for (unsigned i = 0; i < w->answer.count; i++) {
        fputs(i > 0 ? ", " : "", out);
        print_type(&w->answer.values[i], out);
    }
    fprintf(out, "%s;\n", several ? ">" : "");
}

/* Answers of a fixed size: their structs. */
static void print_plain(const tci_stub_writer *w)
{
    FILE *out = w->out;
    fprintf(out,
            "    std::vector<struct %s_answer> tc_answers(tc_group_size(all));\n"
            "    tc_status tc_ended = ::%s_all(all, fn",
            w->f->name, w->f->name);
    print_message(w->f, out);
    fprintf(out,
            ", tc_answers.data(), nullptr, 0, &err);\n"
            "    if (tc_ended != TC_OK)\n        return tc_ended;\n"
            "    std::vector<%s_values> tc_made;\n"
            "    for (const struct %s_answer &tc_one : tc_answers)\n"
            "        tc_made.push_back(%s_values(",
            w->f->name, w->f->name, w->f->name);
    for (unsigned i = 0; i < w->answer.count; i++) {
        const tci_stub_value *v = &w->answer.values[i];
        const char *name = v->argument != NULL ? v->argument->name : "result";
        fputs(i > 0 ? ", " : "", out);
        if (v->argument != NULL && v->argument->form == TCI_STUB_FIXED)
            fprintf(out, "tc_array_of<%s>(tc_one.%s)", v->type->c_name, name);
        else
            fprintf(out, "tc_one.%s%s", name, tci_stub_model_is_bool(v->type) ? " != 0" : "");
    }
    fprintf(out, "));\n");
}

static void print_counts(const tci_stub_function *f, FILE *out)
{
    const char *between = "";
    for (unsigned i = 0; i < f->argument_count; i++) {
        if (f->arguments[i].form != TCI_STUB_COUNT)
            continue;
        fputs(between, out);
        print_count(f, i, out);
        between = ", ";
    }
}

/* Prints a variable for each value of a rank's answer, and the call that fills them. */
static void print_decoded(const tci_stub_writer *w)
{
    FILE *out = w->out;
    const tci_stub_function *f = w->f;
    for (unsigned i = 0; i < w->answer.count; i++) {
        const tci_stub_value *v = &w->answer.values[i];
        fputs("        ", out);
        print_type(v, out);
        fprintf(out, " tc_out_%u", i);
        fputs(v->varies ? "(" : "{", out);
        if (v->varies)
            print_count(f, v->argument->count, out);
        fputs(v->varies ? ");\n" : "};\n", out);
    }
    fprintf(out,
            "        tc_ended = ::%s_decode(tc_bytes.get() + tc_rank * tc_capacity, "
            "tc_sizes[tc_rank]",
            f->name);
    unsigned at = f->result.text[0] != '\0'; /* the result is the first value */
    for (unsigned i = 0; i < f->argument_count; i++) {
        const tci_stub_argument *a = &f->arguments[i];
        const bool is_array = a->form == TCI_STUB_ARRAY || a->form == TCI_STUB_FIXED;
        if (a->form == TCI_STUB_COUNT) {
            fputs(", ", out);
            print_count(f, i, out);
        } else if (a->way != TCI_STUB_IN) {
            fprintf(out, ", %stc_out_%u%s", is_array ? "" : "&", at, is_array ? ".data()" : "");
            at++;
        }
    }
    fprintf(out, "%s, &err);\n", f->result.text[0] != '\0' ? ", &tc_out_0" : "");
}

/* Answers that vary in size: their bytes, with one capacity for each rank. */
static void print_far(const tci_stub_writer *w)
{
    FILE *out = w->out;
    const char *name = w->f->name;
    fprintf(out,
            "    const std::size_t tc_ranks = tc_group_size(all);\n"
            "    const std::size_t tc_capacity = ::%s_capacity(",
            name);
    print_counts(w->f, out);
    fprintf(out,
            ");\n    if (tc_capacity > SIZE_MAX / 4 / tc_ranks)\n"
            "        return tc_stub_no_memory(&err, \"%s\");\n"
            "    const std::unique_ptr<unsigned char[]> tc_bytes(\n"
            "        new (std::nothrow) unsigned char[tc_ranks * tc_capacity + 1]);\n"
            "    if (tc_bytes == nullptr)\n"
            "        return tc_stub_no_memory(&err, \"%s\");\n"
            "    std::vector<std::size_t> tc_sizes(tc_ranks);\n"
            "    tc_status tc_ended = ::%s_all(all, fn",
            name, name, name);
    print_message(w->f, out);
    fprintf(out,
            ", tc_bytes.get(), tc_capacity, tc_sizes.data(), nullptr, 0,\n"
            "                                   &err);\n"
            "    std::vector<%s_values> tc_made;\n"
            "    for (std::size_t tc_rank = 0; tc_ended == TC_OK && tc_rank < tc_ranks; "
            "tc_rank++) {\n",
            name);
    print_decoded(w);
    fprintf(out, "        tc_made.push_back(%s_values(", name);
    for (unsigned i = 0; i < w->answer.count; i++)
        fprintf(out, "%sstd::move(tc_out_%u)", i > 0 ? ", " : "", i);
    fprintf(out, "));\n    }\n    if (tc_ended != TC_OK)\n        return tc_ended;\n");
}

void tci_stub_cxx_all_write(const tci_stub_function *f, FILE *out)
{
    tci_stub_writer w = {.f = f, .out = out};
    tci_stub_model_message(f, &w.message);
    tci_stub_model_answer(f, &w.answer);
    const bool answers = tci_stub_writer_has_answer(&w);
    if (answers)
        print_alias(&w);
    fprintf(out, "\ninline tc_status try_%s_all(tc_error &err, tc_group *all, tc_ifunc *fn",
            f->name);
    print_parameters(f, out);
    if (answers)
        fprintf(out, ", std::vector<%s_values> &values_out", f->name);
    fprintf(out, ")\n{\n    err.status = TC_OK;\n");
    tci_stub_cxx_checks(f, true, out);
    if (!answers) {
        fprintf(out, "    return ::%s_all(all, fn", f->name);
        print_message(f, out);
        fprintf(out, ", nullptr, 0, &err);\n}\n");
    } else if (w.answer.varies) {
        print_far(&w);
    } else {
        print_plain(&w);
    }
    if (answers)
        fprintf(out, "    values_out = std::move(tc_made);\n    return TC_OK;\n}\n");
    fprintf(out, "#ifdef TC_WITH_EXCEPTIONS\ninline ");
    if (answers)
        fprintf(out, "std::vector<%s_values>", f->name);
    fprintf(out, "%s %s_all(tc_group *all, tc_ifunc *fn", answers ? "" : "void", f->name);
    print_parameters(f, out);
    fprintf(out, ")\n{\n    tc_error tc_err;\n");
    if (answers)
        fprintf(out, "    std::vector<%s_values> tc_values;\n", f->name);
    fprintf(out, "    if (try_%s_all(tc_err, all, fn", f->name);
    print_given_names(f, out);
    fprintf(out, "%s) != TC_OK)\n        throw tc::error(tc_err);\n%s}\n#endif\n",
            answers ? ", tc_values" : "", answers ? "    return tc_values;\n" : "");
}
