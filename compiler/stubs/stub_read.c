/* The words of <tc/remote.h> are annotations of declarations here. Each function is read in
 * one walk over its arguments, and a second one finds the numbers that TC_COUNT names. A header
 * with one refusal gives no stubs, but all of its refusals. */
#include "stub_read.h"

#include "archive_name.h"
#include "stub_struct.h"
#include "stub_type.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS_MAX = 1000, OPTIONS_MAX = 4096 };

/* --- annotations -------------------------------------------------------------------------- */

typedef struct words {
    bool remote, out;
    unsigned counts;
    char count[TCI_STUB_NAME_MAX]; /* the name in TC_COUNT */
} words;

static enum CXChildVisitResult visit_word(CXCursor cursor, CXCursor parent, CXClientData data)
{
    static const char count[] = "tc_count ";
    words *w = data;
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_AnnotateAttr)
        return CXChildVisit_Continue;
    CXString spelling = clang_getCursorSpelling(cursor);
    const char *text = clang_getCString(spelling);
    w->remote |= strcmp(text, "tc_remote") == 0;
    w->out |= strcmp(text, "tc_out") == 0;
    if (strncmp(text, count, sizeof count - 1) == 0) {
        w->counts++;
        (void)snprintf(w->count, sizeof w->count, "%s", text + sizeof count - 1);
    }
    clang_disposeString(spelling);
    return CXChildVisit_Continue;
}

static words words_of(CXCursor cursor)
{
    words w = {.counts = 0};
    (void)clang_visitChildren(cursor, visit_word, &w);
    return w;
}

/* --- arguments ---------------------------------------------------------------------------- */

typedef struct argument_place {
    tci_stub_reader *reader;
    CXCursor at;
    words words;
    char who[TCI_STUB_NAME_MAX]; /* its name in the header */
} argument_place;

/* Names that the callers have for their own arguments. */
static bool is_taken(const char *name)
{
    static const char *const taken[] = {"ep",
                                        "fn",
                                        "result_out",
                                        "answer_out",
                                        "timeout_ns",
                                        "done",
                                        "user",
                                        "call_out",
                                        "err",
                                        "where",
                                        "",
                                        "result",
                                        "group",
                                        "answers_out",
                                        "statuses_out",
                                        "answer",
                                        "answer_capacity",
                                        "answers",
                                        "answer_size",
                                        "sizes_out",
                                        "all",
                                        "values_out",
                                        "outcome"};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        if (strcmp(name, taken[i]) == 0)
            return true;
    }
    return strncmp(name, "tc_", 3) == 0;
}

static void take_name(argument_place *place, unsigned number, tci_stub_argument *a)
{
    CXString name = clang_getCursorSpelling(place->at);
    const char *text = clang_getCString(name);
    (void)snprintf(place->who, sizeof place->who, "%s", text);
    if (text[0] == '\0')
        (void)snprintf(place->who, sizeof place->who, "argument%u", number + 1);
    (void)snprintf(a->name, sizeof a->name, "%.*s%s", TCI_STUB_NAME_MAX - 2, place->who,
                   is_taken(place->who) ? "_" : "");
    clang_disposeString(name);
}

static bool refuse_pointee(const argument_place *p, CXType pointee)
{
    const CXType real = clang_getCanonicalType(pointee);
    if (real.kind == CXType_Pointer)
        return tci_stub_type_refuse(p->reader, p->at,
                                    "'%s' is a pointer to pointers, which mean nothing in "
                                    "another process",
                                    p->who);
    if (real.kind == CXType_FunctionProto || real.kind == CXType_FunctionNoProto)
        return tci_stub_type_refuse(p->reader, p->at, "'%s' is a pointer to a function",
                                    p->who);
    if (real.kind == CXType_ConstantArray || real.kind == CXType_IncompleteArray ||
        real.kind == CXType_VariableArray)
        return tci_stub_type_refuse(
            p->reader, p->at, "'%s' is an array of arrays; put them into a struct", p->who);
    return true;
}

static bool is_char(CXType type)
{
    const CXType real = clang_getCanonicalType(type);
    return real.kind == CXType_Char_S || real.kind == CXType_Char_U;
}

/* Reads the type behind a pointer, or of the elements of an array. */
static bool read_pointee(const argument_place *p, CXType pointee, tci_stub_argument *a)
{
    const bool is_const = clang_isConstQualifiedType(clang_getCanonicalType(pointee)) != 0;
    if (!refuse_pointee(p, pointee))
        return false;
    if (is_const && p->words.out)
        return tci_stub_type_refuse(p->reader, p->at,
                                    "'%s' is TC_OUT, and points to what is const", p->who);
    a->way = p->words.out ? TCI_STUB_OUT : is_const ? TCI_STUB_IN : TCI_STUB_INOUT;
    if (p->words.counts > 0)
        a->form = TCI_STUB_ARRAY;
    if (a->form == TCI_STUB_POINTER && is_const && is_char(pointee)) {
        a->form = TCI_STUB_WORDS;
        a->type = (tci_stub_type){.text = "text", .c_name = "char", .size = 1, .alignment = 1};
        return true;
    }
    return tci_stub_type_read(p->reader, pointee, p->at, p->who, &a->type);
}

static bool read_type(const argument_place *p, tci_stub_argument *a)
{
    const CXType type = clang_getCursorType(p->at), bare = tci_stub_type_bare(type);
    if (p->words.counts > 1)
        return tci_stub_type_refuse(p->reader, p->at, "'%s' has %u TC_COUNT, expected one",
                                    p->who, p->words.counts);
    if (bare.kind == CXType_Pointer) {
        a->form = TCI_STUB_POINTER;
        return read_pointee(p, clang_getPointeeType(bare), a);
    }
    if (bare.kind == CXType_IncompleteArray || bare.kind == CXType_VariableArray) {
        if (p->words.counts == 0)
            return tci_stub_type_refuse(p->reader, p->at,
                                        "'%s' is an array without TC_COUNT, which says how "
                                        "many elements it has",
                                        p->who);
        return read_pointee(p, clang_getArrayElementType(bare), a);
    }
    if (bare.kind == CXType_ConstantArray) {
        const long long length = clang_getArraySize(bare);
        a->form = TCI_STUB_FIXED;
        a->length = (uint64_t)length;
        if (!read_pointee(p, clang_getArrayElementType(bare), a))
            return false;
        if (length > 0 && (uint64_t)length <= TCI_STUB_SIZE_MAX / a->type.size)
            return true;
        return tci_stub_type_refuse(
            p->reader, p->at, "'%s' has %lld elements, expected 1 to %llu", p->who, length,
            (unsigned long long)(TCI_STUB_SIZE_MAX / a->type.size));
    }
    if (p->words.counts > 0 || p->words.out)
        return tci_stub_type_refuse(p->reader, p->at, "'%s' has %s, and is no pointer", p->who,
                                    p->words.out ? "TC_OUT" : "TC_COUNT");
    return tci_stub_type_read(p->reader, type, p->at, p->who, &a->type);
}

/* Finds the argument that TC_COUNT names. */
static bool find_count(const argument_place *places, tci_stub_function *f, unsigned number)
{
    const argument_place *p = &places[number];
    for (unsigned i = 0; i < f->argument_count; i++) {
        tci_stub_argument *n = &f->arguments[i];
        if (strcmp(places[i].who, p->words.count) != 0)
            continue;
        if ((n->form != TCI_STUB_VALUE && n->form != TCI_STUB_COUNT) || n->type.text[0] != 'u')
            return tci_stub_type_refuse(p->reader, p->at,
                                        "TC_COUNT(%s) of '%s': expected an argument of an "
                                        "unsigned type, by value",
                                        p->words.count, p->who);
        n->form = TCI_STUB_COUNT;
        f->arguments[number].count = i;
        return true;
    }
    return tci_stub_type_refuse(p->reader, p->at,
                                "TC_COUNT(%s) of '%s': '%s' has no argument '%s'",
                                p->words.count, p->who, f->name, p->words.count);
}

static bool read_arguments(tci_stub_reader *reader, CXCursor cursor, tci_stub_function *f)
{
    const int count = clang_Cursor_getNumArguments(cursor);
    if (count > TCI_STUB_ARGUMENTS_MAX)
        return tci_stub_type_refuse(reader, cursor, "'%s' has %d arguments, at most %d",
                                    f->name, count, TCI_STUB_ARGUMENTS_MAX);
    argument_place *places = calloc((size_t)TCI_STUB_ARGUMENTS_MAX, sizeof *places);
    bool fine = places != NULL;
    f->argument_count = count > 0 ? (unsigned)count : 0;
    for (unsigned i = 0; fine && i < f->argument_count; i++) {
        places[i].reader = reader;
        places[i].at = clang_Cursor_getArgument(cursor, i);
        places[i].words = words_of(places[i].at);
        take_name(&places[i], i, &f->arguments[i]);
        fine = read_type(&places[i], &f->arguments[i]);
    }
    for (unsigned i = 0; fine && i < f->argument_count; i++) {
        if (f->arguments[i].form == TCI_STUB_ARRAY)
            fine = find_count(places, f, i);
    }
    free(places);
    return fine;
}

/* --- functions ---------------------------------------------------------------------------- */

static bool read_result(tci_stub_reader *reader, CXCursor cursor, tci_stub_function *f)
{
    char who[TCI_STUB_NAME_MAX + 32];
    const CXType type = clang_getResultType(clang_getCursorType(cursor));
    (void)snprintf(who, sizeof who, "the result of %s", f->name);
    if (clang_getCanonicalType(type).kind == CXType_Void)
        return true;
    return tci_stub_type_read(reader, type, cursor, who, &f->result);
}

/* Returns whether the stubs of `name` define `other`. */
static bool is_stub_of(const char *name, const char *other)
{
    static const char *const suffixes[] = {"_main", "_open", "_call",     "_start",  "_ended",
                                           "_send", "_all",  "_capacity", "_decode", "_values"};
    const size_t size = strlen(name);
    if (strncmp(other, name, size) != 0)
        return false;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (strcmp(other + size, suffixes[i]) == 0)
            return true;
    }
    return false;
}

static bool check_function(tci_stub_reader *reader, CXCursor cursor, const tci_stub_function *f)
{
    tc_error error;
    const CXType type = clang_getCursorType(cursor);
    const tci_stub_header *header = reader->header;
    for (unsigned i = 0; i < header->function_count; i++) {
        if (strcmp(header->functions[i]->name, f->name) == 0)
            return tci_stub_type_refuse(reader, cursor, "'%s' is remote in line %u already",
                                        f->name, header->functions[i]->line);
        if (is_stub_of(header->functions[i]->name, f->name) ||
            is_stub_of(f->name, header->functions[i]->name))
            return tci_stub_type_refuse(reader, cursor,
                                        "the stubs of '%s' or of '%s' define the other one",
                                        header->functions[i]->name, f->name);
    }
    if (tci_archive_check_name(f->name, TC_E_INVALID, &error) != TC_OK)
        return tci_stub_type_refuse(reader, cursor, "'%s': %s", f->name, error.text);
    if (type.kind == CXType_FunctionNoProto)
        return tci_stub_type_refuse(reader, cursor,
                                    "'%s' does not declare its arguments; without any, write "
                                    "%s(void)",
                                    f->name, f->name);
    if (clang_isFunctionTypeVariadic(type))
        return tci_stub_type_refuse(reader, cursor, "'%s' takes any number of arguments",
                                    f->name);
    if (clang_Cursor_getStorageClass(cursor) == CX_SC_Static)
        return tci_stub_type_refuse(reader, cursor,
                                    "'%s' is static, so no other source can define or call it",
                                    f->name);
    return true;
}

static bool read_function(tci_stub_reader *reader, CXCursor cursor, tci_stub_function *f)
{
    CXString name = clang_getCursorSpelling(cursor);
    (void)snprintf(f->name, sizeof f->name, "%s", clang_getCString(name));
    clang_disposeString(name);
    clang_getExpansionLocation(clang_getCursorLocation(cursor), NULL, &f->line, NULL, NULL);
    if (!check_function(reader, cursor, f) || !read_arguments(reader, cursor, f) ||
        !read_result(reader, cursor, f))
        return false;
    if (!tci_stub_model_prototype(f))
        return tci_stub_type_refuse(reader, cursor,
                                    "the prototype of '%s' is longer than %d characters",
                                    f->name, TCI_STUB_TEXT_MAX - 1);
    return true;
}

static void take_function(tci_stub_reader *reader, CXCursor cursor)
{
    tci_stub_header *header = reader->header;
    if (header->function_count == FUNCTIONS_MAX) {
        (void)tci_stub_type_refuse(reader, cursor, "more than %d remote functions",
                                   FUNCTIONS_MAX);
        return;
    }
    /* bound: FUNCTIONS_MAX */
    tci_stub_function *f = calloc(1, sizeof *f);
    if (f == NULL)
        (void)tci_stub_type_refuse(reader, cursor, "no memory for a function");
    else if (read_function(reader, cursor, f)) {
        header->functions[header->function_count++] = f;
        return;
    }
    free(f);
}

static enum CXChildVisitResult visit_declaration(CXCursor cursor, CXCursor parent,
                                                 CXClientData data)
{
    tci_stub_reader *reader = data;
    (void)parent;
    if (!clang_Location_isFromMainFile(clang_getCursorLocation(cursor)) ||
        !words_of(cursor).remote)
        return CXChildVisit_Continue;
    if (clang_getCursorKind(cursor) == CXCursor_FunctionDecl)
        take_function(reader, cursor);
    else
        (void)tci_stub_type_refuse(reader, cursor, "TC_REMOTE stands at what is no function");
    return CXChildVisit_Continue;
}

/* --- the header --------------------------------------------------------------------------- */

/* Prints the compiler's errors. Warnings come when the header is compiled. */
static unsigned print_errors(CXTranslationUnit unit)
{
    unsigned errors = 0;
    for (unsigned i = 0; i < clang_getNumDiagnostics(unit); i++) {
        CXDiagnostic one = clang_getDiagnostic(unit, i);
        if (clang_getDiagnosticSeverity(one) >= CXDiagnostic_Error) {
            CXString text = clang_formatDiagnostic(one, CXDiagnostic_DisplaySourceLocation);
            (void)fprintf(stderr, "%s\n", clang_getCString(text));
            clang_disposeString(text);
            errors++;
        }
        clang_disposeDiagnostic(one);
    }
    return errors;
}

static CXTranslationUnit parse(CXIndex index, const char *path, const char *const *options,
                               int option_count)
{
    const char *all[OPTIONS_MAX + 4];
    CXTranslationUnit unit = NULL;
    int count = 0;
    if (option_count > OPTIONS_MAX)
        return NULL;
    all[count++] = "-xc";
    all[count++] = "-DTC_STUBS_READER=1";
    all[count++] = "-Wno-pragma-once-outside-header";
    for (int i = 0; i < option_count; i++)
        all[count++] = options[i];
    (void)clang_parseTranslationUnit2(index, path, all, count, NULL, 0,
                                      CXTranslationUnit_SkipFunctionBodies, &unit);
    return unit;
}

static void take_names(const char *path, tci_stub_header *header)
{
    const char *slash = strrchr(path, '/');
    header->path = path;
    header->base = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(header->base, '.');
    const size_t size = dot != NULL ? (size_t)(dot - header->base) : strlen(header->base);
    (void)snprintf(header->stem, sizeof header->stem, "%.*s", (int)size, header->base);
    for (size_t i = 0; header->stem[i] != '\0'; i++)
        header->guard[i] = isalnum((unsigned char)header->stem[i]) ? header->stem[i] : '_';
}

static bool read_unit(tci_stub_reader *reader, CXTranslationUnit unit)
{
    if (print_errors(unit) > 0)
        return false;
    (void)clang_visitChildren(clang_getTranslationUnitCursor(unit), visit_declaration, reader);
    if (reader->refused == 0 && reader->header->function_count == 0) {
        (void)fprintf(stderr,
                      "%s:1: error: no function is declared TC_REMOTE, of <tc/remote.h>\n",
                      reader->path);
        return false;
    }
    return reader->refused == 0;
}

bool tci_stub_read(const char *path, const char *const *options, int option_count,
                   tci_stub_header *header_out)
{
    tci_stub_reader reader = {.header = header_out, .path = path};
    *header_out =
        (tci_stub_header){.functions = calloc(FUNCTIONS_MAX, sizeof(tci_stub_function *))};
    take_names(path, header_out);
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit = NULL;
    if (header_out->functions != NULL)
        unit = parse(index, path, options, option_count);
    const bool fine = unit != NULL && read_unit(&reader, unit);
    if (unit == NULL)
        (void)fprintf(stderr, "%s:1: error: the header cannot be parsed\n", path);
    else
        clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    return fine;
}

void tci_stub_read_end(tci_stub_header *header)
{
    for (unsigned i = 0; i < header->function_count; i++)
        free(header->functions[i]);
    free(header->functions);
    tci_stub_struct_free_all(header);
}
