/* A struct is accepted if its members lie where C puts them by their sizes and alignments
 * alone: those are the same on x86_64 and aarch64 for every number that is accepted. */
#include "stub_type.h"

#include "stub_struct.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tci_stub_type_refuse(tci_stub_reader *reader, CXCursor at, const char *fmt, ...)
{
    CXFile file = NULL;
    unsigned line = 0;
    va_list args;
    clang_getExpansionLocation(clang_getCursorLocation(at), &file, &line, NULL, NULL);
    CXString name = clang_getFileName(file);
    const char *path = clang_getCString(name);
    (void)fprintf(stderr, "%s:%u: error: ", path != NULL ? path : reader->path, line);
    clang_disposeString(name);
    va_start(args, fmt);
    (void)vfprintf(stderr, fmt, args);
    va_end(args);
    (void)fputc('\n', stderr);
    reader->refused++;
    return false;
}

static CXType one_name_less(CXType type)
{
    if (type.kind == CXType_Elaborated)
        return clang_Type_getNamedType(type);
    if (type.kind == CXType_Typedef)
        return clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(type));
    if (type.kind == CXType_Attributed)
        return clang_Type_getModifiedType(type);
    return (CXType){.kind = CXType_Invalid};
}

CXType tci_stub_type_bare(CXType type)
{
    for (CXType next = one_name_less(type); next.kind != CXType_Invalid;
         next = one_name_less(type))
        type = next;
    return type;
}

static bool is_wide_char(CXType type)
{
    for (; type.kind != CXType_Invalid; type = one_name_less(type)) {
        if (type.kind != CXType_Typedef)
            continue;
        CXString name = clang_getTypedefName(type);
        const bool found = strcmp(clang_getCString(name), "wchar_t") == 0;
        clang_disposeString(name);
        if (found)
            return true;
    }
    return false;
}

static const char *number_of(enum CXTypeKind kind)
{
    switch ((int)kind) {
    case CXType_Bool:
        return "bool";
    case CXType_SChar:
        return "i8";
    case CXType_UChar:
        return "u8";
    case CXType_Short:
        return "i16";
    case CXType_UShort:
        return "u16";
    case CXType_Int:
        return "i32";
    case CXType_UInt:
        return "u32";
    case CXType_Long:
    case CXType_LongLong:
        return "i64";
    case CXType_ULong:
    case CXType_ULongLong:
        return "u64";
    case CXType_Float:
        return "f32";
    case CXType_Double:
        return "f64";
    default:
        return NULL;
    }
}

static void take_name(CXType type, tci_stub_type *out)
{
    CXString name = clang_getTypeSpelling(clang_getUnqualifiedType(type));
    (void)snprintf(out->c_name, sizeof out->c_name, "%s",
                   tci_stub_model_is_bool(out) ? "bool" : clang_getCString(name));
    clang_disposeString(name);
}

/* --- structs ------------------------------------------------------------------------------ */

typedef struct walk {
    tci_stub_reader *reader;
    tci_stub_type *type;
    tci_stub_struct record;
    const char *who;
    unsigned depth;
    uint64_t end;
    bool fine;
} walk;

static bool read_element(tci_stub_reader *reader, CXType type, CXCursor at, const char *who,
                         unsigned depth, tci_stub_type *type_out);

/* Takes the dimensions off an array: arrays of arrays are one array. */
static bool read_dimensions(walk *w, CXCursor field, const char *who, CXType *type,
                            uint64_t *length_out)
{
    *length_out = 0;
    for (CXType bare = tci_stub_type_bare(*type);; bare = tci_stub_type_bare(*type)) {
        if (bare.kind == CXType_IncompleteArray)
            return tci_stub_type_refuse(w->reader, field,
                                        "'%s' is an array without a size, which no message "
                                        "has among the members of a struct",
                                        who);
        if (bare.kind != CXType_ConstantArray)
            return true;
        const uint64_t length = (uint64_t)clang_getArraySize(bare);
        if (length == 0 || length > TCI_STUB_SIZE_MAX ||
            (*length_out > 0 && *length_out > TCI_STUB_SIZE_MAX / length))
            return tci_stub_type_refuse(w->reader, field,
                                        "'%s' has %llu elements, expected 1 to 2147483647", who,
                                        (unsigned long long)length);
        *length_out = (*length_out > 0 ? *length_out : 1) * length;
        *type = clang_getArrayElementType(bare);
    }
}

static bool check_offset(walk *w, CXCursor field, const char *who, const tci_stub_type *member,
                         uint64_t length)
{
    const uint64_t natural = tci_stub_model_align(w->end, member->alignment);
    const long long bits = clang_Cursor_getOffsetOfField(field);
    const uint64_t size = member->size * (length > 0 ? length : 1);
    if (bits < 0 || (uint64_t)bits != natural * 8)
        return tci_stub_type_refuse(w->reader, field,
                                    "'%s' is at byte %lld, expected %llu; structs that are "
                                    "packed or aligned by attributes cannot be sent by type",
                                    who, bits / 8, (unsigned long long)natural);
    if (size > TCI_STUB_SIZE_MAX || natural + size > TCI_STUB_SIZE_MAX)
        return tci_stub_type_refuse(w->reader, field,
                                    "'%s' ends behind byte 2147483647 of its struct", who);
    w->end = natural + size;
    if (member->alignment > w->type->alignment)
        w->type->alignment = member->alignment;
    return true;
}

/* Adds the bools of a member, which begins there, to those of its struct. */
static bool add_bools(walk *w, uint64_t at, const tci_stub_type *member, uint64_t length)
{
    tci_stub_type *type = w->type;
    if (tci_stub_model_is_bool(member)) {
        if (type->bool_count == TCI_STUB_BOOLS_MAX)
            return false;
        type->bools[type->bool_count++] = (tci_stub_bools){at, length > 0 ? length : 1};
        return true;
    }
    for (uint64_t k = 0; k < (length > 0 ? length : 1) && member->bool_count > 0; k++) {
        for (unsigned i = 0; i < member->bool_count; i++) {
            if (type->bool_count == TCI_STUB_BOOLS_MAX)
                return false;
            type->bools[type->bool_count++] = (tci_stub_bools){
                at + k * member->size + member->bools[i].at, member->bools[i].length};
        }
    }
    return true;
}

static bool read_member(walk *w, CXCursor field, const char *name, const char *who)
{
    tci_stub_type member;
    uint64_t length;
    char text[32] = "";
    CXType type = clang_getCursorType(field);
    if (clang_Cursor_isBitField(field))
        return tci_stub_type_refuse(w->reader, field,
                                    "'%s' is a bit-field, which prototypes do not have", who);
    if (!read_dimensions(w, field, who, &type, &length) ||
        !read_element(w->reader, type, field, who, w->depth + 1, &member) ||
        !check_offset(w, field, who, &member, length))
        return false;
    if (!add_bools(w, w->end - member.size * (length > 0 ? length : 1), &member, length))
        return tci_stub_type_refuse(w->reader, field,
                                    "at '%s' the struct has more than %d bools or arrays of "
                                    "bools",
                                    who, TCI_STUB_BOOLS_MAX);
    if (!tci_stub_struct_add(&w->record, name, &member, length))
        return tci_stub_type_refuse(w->reader, field,
                                    "at '%s' the struct has more than %d members", who,
                                    TCI_STUB_MEMBERS_MAX);
    if (length > 0)
        (void)snprintf(text, sizeof text, "[%llu]", (unsigned long long)length);
    if ((strcmp(w->type->text, "{") == 0 || tci_stub_model_append(w->type->text, ",")) &&
        tci_stub_model_append(w->type->text, member.text) &&
        tci_stub_model_append(w->type->text, text))
        return true;
    return tci_stub_type_refuse(w->reader, field, "at '%s' the prototype exceeds %d characters",
                                who, TCI_STUB_TEXT_MAX - 1);
}

static enum CXVisitorResult visit_member(CXCursor field, CXClientData data)
{
    walk *w = data;
    char who[2 * TCI_STUB_NAME_MAX];
    CXString name = clang_getCursorSpelling(field);
    (void)snprintf(who, sizeof who, "%.*s.%.*s", TCI_STUB_NAME_MAX, w->who, TCI_STUB_NAME_MAX,
                   clang_getCString(name));
    w->fine = read_member(w, field, clang_getCString(name), who);
    clang_disposeString(name);
    return w->fine ? CXVisit_Continue : CXVisit_Break;
}

static bool read_members(walk *w, CXType type, CXCursor at)
{
    tci_stub_reader *const reader = w->reader;
    tci_stub_type *const type_out = w->type;
    const char *const who = w->who;
    CXCursor declaration = clang_getTypeDeclaration(type);
    const long long size = clang_Type_getSizeOf(type);
    if (clang_getCursorKind(declaration) == CXCursor_UnionDecl)
        return tci_stub_type_refuse(reader, at, "'%s' is a union, which prototypes do not have",
                                    who);
    if (size < 0)
        return tci_stub_type_refuse(reader, at,
                                    "'%s' is a struct whose members are not declared", who);
    if (w->depth >= TCI_STUB_DEPTH_MAX)
        return tci_stub_type_refuse(reader, at, "'%s' is a struct inside %d others, at most %d",
                                    who, TCI_STUB_DEPTH_MAX, TCI_STUB_DEPTH_MAX - 1);
    type_out->alignment = 1;
    (void)snprintf(type_out->text, sizeof type_out->text, "{");
    (void)clang_Type_visitFields(type, visit_member, w);
    if (!w->fine)
        return false;
    if (w->end == 0)
        return tci_stub_type_refuse(reader, at, "'%s' is a struct without members", who);
    type_out->size = tci_stub_model_align(w->end, type_out->alignment);
    if ((uint64_t)size != type_out->size ||
        clang_Type_getAlignOf(type) != (long long)type_out->alignment)
        return tci_stub_type_refuse(
            reader, declaration,
            "'%s' has %lld bytes and alignment %lld, expected %llu and %llu; structs that are "
            "packed or aligned by attributes cannot be sent by type",
            who, size, clang_Type_getAlignOf(type), (unsigned long long)type_out->size,
            (unsigned long long)type_out->alignment);
    if (!tci_stub_model_append(type_out->text, "}"))
        return tci_stub_type_refuse(reader, at, "at '%s' the prototype exceeds %d characters",
                                    who, TCI_STUB_TEXT_MAX - 1);
    return true;
}

/* `type` has the name that the header uses, `real` the members. */
static bool read_struct(tci_stub_reader *reader, CXType type, CXType real, CXCursor at,
                        const char *who, unsigned depth, tci_stub_type *type_out)
{
    walk w = {.reader = reader, .type = type_out, .who = who, .depth = depth, .fine = true};
    if (!read_members(&w, real, at)) {
        free(w.record.members);
        return false;
    }
    take_name(type, type_out);
    if (tci_stub_struct_keep(reader->header, &w.record, type_out->c_name))
        return true;
    return tci_stub_type_refuse(reader, at, "at '%s' the header has more than %d structs", who,
                                TCI_STUB_STRUCTS_MAX);
}

/* --- elements ----------------------------------------------------------------------------- */

static bool refuse_kind(tci_stub_reader *reader, CXType type, CXCursor at, const char *who)
{
    CXString name = clang_getTypeSpelling(type);
    const char *text = clang_getCString(name);
    const CXType real = clang_getCanonicalType(type);
    if (real.kind == CXType_Char_S || real.kind == CXType_Char_U)
        (void)tci_stub_type_refuse(reader, at,
                                   "'%s' is a 'char', which is signed on x86_64 and unsigned "
                                   "on aarch64; write int8_t or uint8_t",
                                   who);
    else if (real.kind == CXType_Pointer)
        (void)tci_stub_type_refuse(
            reader, at, "'%s' is a pointer, which means nothing in another process", who);
    else if (real.kind == CXType_Void)
        (void)tci_stub_type_refuse(reader, at,
                                   "'%s' points to void, which does not say what is sent", who);
    else if (real.kind == CXType_LongDouble)
        (void)tci_stub_type_refuse(reader, at,
                                   "'%s' is a 'long double', which has another format on "
                                   "aarch64 than on x86_64; write double",
                                   who);
    else if (is_wide_char(type))
        (void)tci_stub_type_refuse(reader, at,
                                   "'%s' is a 'wchar_t', which is signed on x86_64 and "
                                   "unsigned on aarch64; write int32_t or uint32_t",
                                   who);
    else
        (void)tci_stub_type_refuse(reader, at, "'%s' is of type '%s', which no prototype has",
                                   who, text);
    clang_disposeString(name);
    return false;
}

static bool read_element(tci_stub_reader *reader, CXType type, CXCursor at, const char *who,
                         unsigned depth, tci_stub_type *type_out)
{
    CXType real = clang_getCanonicalType(type);
    memset(type_out, 0, sizeof *type_out);
    if (real.kind == CXType_Record)
        return read_struct(reader, type, real, at, who, depth, type_out);
    if (real.kind == CXType_Enum)
        real = clang_getCanonicalType(
            clang_getEnumDeclIntegerType(clang_getTypeDeclaration(real)));
    const char *number = number_of(real.kind);
    if (number == NULL || is_wide_char(type))
        return refuse_kind(reader, type, at, who);
    (void)snprintf(type_out->text, sizeof type_out->text, "%s", number);
    type_out->size = (uint64_t)clang_Type_getSizeOf(real);
    type_out->alignment = type_out->size;
    if (tci_stub_model_is_bool(type_out))
        type_out->bools[type_out->bool_count++] = (tci_stub_bools){0, 1};
    take_name(type, type_out);
    return true;
}

bool tci_stub_type_read(tci_stub_reader *reader, CXType type, CXCursor at, const char *who,
                        tci_stub_type *type_out)
{
    if (!read_element(reader, type, at, who, 0, type_out))
        return false;
    if (strchr(type_out->c_name, '(') != NULL)
        return tci_stub_type_refuse(reader, at, "the type of '%s' has no name", who);
    return true;
}
