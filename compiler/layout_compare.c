/* Compares two types member by member; each difference is a line. */
#include "layout_compare.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 512, DEPTH_MAX = 32, TEXT_BYTES = 1024 };

typedef struct comparison {
    const tci_debug_types *a, *b;
    const char *target_a, *target_b;
    tci_text_list *findings;
    unsigned errors;
    unsigned shifts; /* those that change a size or an offset */
} comparison;

/* The same node on both targets. */
typedef struct pair {
    tci_node a, b;
} pair;

/* Position in the named type and in the source. */
typedef struct spot {
    char path[PATH_BYTES]; /* "record.header.flags", "record.values[]" */
    char place[TCI_PLACE_MAX];
    bool in_array;
    int depth;
} spot;

static void compare_types(comparison *c, const spot *at, pair types);

/* --- texts -------------------------------------------------------------------------------- */

static void add_line(comparison *c, const spot *at, const char *severity, const char *what)
{
    char line[TCI_PLACE_MAX + TEXT_BYTES + PATH_BYTES];
    (void)snprintf(line, sizeof line, "%s: %s: '%s' %s", at->place, severity, at->path, what);
    tci_text_list_add_once(c->findings, line);
}

static void TC_PRINTF(3, 4) differs(comparison *c, const spot *at, const char *fmt, ...)
{
    char what[TEXT_BYTES];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    add_line(c, at, "error", what);
    c->errors++;
}

/* Reports a property that only one of the targets has. */
static void is_alone(comparison *c, const spot *at, const char *what, bool on_a)
{
    differs(c, at, "is %s on %s alone", what, on_a ? c->target_a : c->target_b);
    c->shifts++;
}

static void numbers_differ(comparison *c, const spot *at, const char *before, uint64_t a,
                           uint64_t b, const char *unit)
{
    differs(c, at, "%s%llu%s on %s, %llu%s on %s", before, (unsigned long long)a, unit,
            c->target_a, (unsigned long long)b, unit, c->target_b);
    c->shifts++;
}

/* --- the fields of both ------------------------------------------------------------------- */

static pair strip(const comparison *c, pair types)
{
    return (pair){tci_debug_strip(c->a, types.a), tci_debug_strip(c->b, types.b)};
}

static pair nodes(const comparison *c, pair of, const char *field)
{
    return (pair){tci_debug_node(c->a, of.a, field), tci_debug_node(c->b, of.b, field)};
}

static pair items(const comparison *c, pair lists, size_t index)
{
    return (pair){tci_debug_item(c->a, lists.a, index), tci_debug_item(c->b, lists.b, index)};
}

static bool same_number(const comparison *c, pair of, const char *field, uint64_t *a,
                        uint64_t *b)
{
    *a = tci_debug_number(c->a, of.a, field);
    *b = tci_debug_number(c->b, of.b, field);
    return *a == *b;
}

static bool same_text(const comparison *c, pair of, const char *field)
{
    char a[TCI_TYPE_NAME_MAX], b[TCI_TYPE_NAME_MAX];
    return strcmp(tci_debug_text(c->a, of.a, field, a), tci_debug_text(c->b, of.b, field, b)) ==
           0;
}

/* --- kinds of types ----------------------------------------------------------------------- */

typedef enum kind { OTHER, NUMBER, POINTER, ARRAY, ENUM, STRUCT, UNION } kind;

static const char *const kind_texts[] = {
    "of an unknown kind", "a number", "a pointer", "an array", "an enum",
    "a struct",           "a union"};

static kind kind_of(const tci_debug_types *types, tci_node type)
{
    static const struct {
        const char *tag;
        kind kind;
    } tags[] = {{"DW_TAG_pointer_type", POINTER},
                {"DW_TAG_array_type", ARRAY},
                {"DW_TAG_enumeration_type", ENUM},
                {"DW_TAG_structure_type", STRUCT},
                {"DW_TAG_union_type", UNION}};
    if (tci_debug_is(types, type, "DIBasicType"))
        return NUMBER;
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        if (tci_debug_has(types, type, "tag", tags[i].tag))
            return tags[i].kind;
    }
    return OTHER;
}

static bool same_size(comparison *c, const spot *at, pair plain)
{
    uint64_t a, b;
    if (same_number(c, plain, "size", &a, &b))
        return true;
    numbers_differ(c, at, "has ", a / 8, b / 8, " bytes");
    return false;
}

static const char *sign_of(const tci_debug_types *types, tci_node type)
{
    char encoding[TCI_TYPE_NAME_MAX];
    tci_debug_text(types, type, "encoding", encoding);
    if (strncmp(encoding, "DW_ATE_unsigned", strlen("DW_ATE_unsigned")) == 0)
        return "unsigned";
    if (strncmp(encoding, "DW_ATE_signed", strlen("DW_ATE_signed")) == 0)
        return "signed";
    return "another type";
}

/* Negative values become large ones; text has none. */
static void compare_signs(comparison *c, const spot *at, const char *type_name, pair plain)
{
    char what[TEXT_BYTES];
    bool is_char = tci_debug_has(c->a, plain.a, "name", "char");
    if (same_text(c, plain, "encoding"))
        return;
    (void)snprintf(what, sizeof what, "is a '%s', which is %s on %s and %s on %s%s", type_name,
                   sign_of(c->a, plain.a), c->target_a, sign_of(c->b, plain.b), c->target_b,
                   is_char ? "; say which, or compile with -fsigned-char" : "");
    bool is_text = at->in_array && (is_char || strcmp(type_name, "wchar_t") == 0);
    add_line(c, at, is_text ? "warning" : "error", what);
    c->errors += !is_text;
}

/* The size is the same on both, but the format differs: 80 bits of x87, or 128 bits. */
static bool is_long_double(const comparison *c, pair plain)
{
    char name[TCI_TYPE_NAME_MAX];
    return strstr(tci_debug_text(c->a, plain.a, "name", name), "long double") != NULL;
}

static void compare_numbers(comparison *c, const spot *at, pair written, pair plain)
{
    char name[TCI_TYPE_NAME_MAX];
    tci_debug_text(c->a, written.a, "name", name);
    if (name[0] == '\0') /* const or volatile */
        tci_debug_text(c->a, plain.a, "name", name);
    if (is_long_double(c, plain))
        differs(c, at, "is a '%s', which has another format on %s than on %s", name,
                c->target_a, c->target_b);
    else if (same_size(c, at, plain))
        compare_signs(c, at, name, plain);
}

static void compare_arrays(comparison *c, const spot *at, pair plain)
{
    pair dimensions = nodes(c, plain, "elements");
    spot inner = *at;
    size_t length = strlen(at->path);
    for (size_t i = 0;; i++) {
        pair one = items(c, dimensions, i);
        if (one.a == TCI_NODE_NONE && one.b == TCI_NODE_NONE)
            break;
        if (!same_text(c, one, "count")) {
            uint64_t a = tci_debug_number(c->a, one.a, "count");
            uint64_t b = tci_debug_number(c->b, one.b, "count");
            numbers_differ(c, at, "has ", a, b, " elements");
            return;
        }
        (void)snprintf(inner.path + length, sizeof inner.path - length, "[]");
        length = strlen(inner.path);
    }
    inner.in_array = true;
    compare_types(c, &inner, nodes(c, plain, "baseType"));
}

static void compare_enums(comparison *c, const spot *at, pair plain)
{
    char a[TCI_TYPE_NAME_MAX], b[TCI_TYPE_NAME_MAX], name[TCI_TYPE_NAME_MAX];
    pair values = nodes(c, plain, "elements");
    if (!same_size(c, at, plain))
        return;
    for (size_t i = 0;; i++) {
        pair one = items(c, values, i);
        if (one.a == TCI_NODE_NONE && one.b == TCI_NODE_NONE)
            return;
        if (same_text(c, one, "name") && same_text(c, one, "value"))
            continue;
        differs(c, at, "is an enum with %s = %s on %s, %s = %s on %s",
                tci_debug_text(c->a, one.a, "name", name),
                tci_debug_text(c->a, one.a, "value", a), c->target_a,
                tci_debug_text(c->b, one.b, "name", name),
                tci_debug_text(c->b, one.b, "value", b), c->target_b);
        return;
    }
}

/* --- structs and unions ------------------------------------------------------------------- */

/* Finds the member of that name; without a name, the unnamed one at the same index. */
static tci_node find_member(const tci_debug_types *types, tci_node members, const char *name,
                            size_t index)
{
    char other[TCI_TYPE_NAME_MAX];
    if (name[0] == '\0') {
        tci_node member = tci_debug_item(types, members, index);
        bool is_named = tci_debug_text(types, member, "name", other)[0] != '\0';
        return is_named ? TCI_NODE_NONE : member;
    }
    for (size_t i = 0;; i++) {
        tci_node member = tci_debug_item(types, members, i);
        if (member == TCI_NODE_NONE ||
            strcmp(tci_debug_text(types, member, "name", other), name) == 0)
            return member;
    }
}

static spot member_spot(const spot *at, const tci_debug_types *types, tci_node member)
{
    char name[TCI_TYPE_NAME_MAX];
    spot inner = {.depth = at->depth + 1};
    tci_debug_text(types, member, "name", name);
    (void)snprintf(inner.path, sizeof inner.path, "%.350s.%s", at->path,
                   name[0] != '\0' ? name : "(unnamed)");
    tci_debug_place(types, member, inner.place);
    return inner;
}

/* Compares requested alignments; any other shows in the offsets. */
static void compare_alignments(comparison *c, const spot *at, pair of)
{
    uint64_t a, b;
    char what[64];
    if (same_number(c, of, "align", &a, &b))
        return;
    (void)snprintf(what, sizeof what, "aligned to %llu bytes", (unsigned long long)(a + b) / 8);
    if (a != 0 && b != 0)
        numbers_differ(c, at, "is aligned to ", a / 8, b / 8, " bytes");
    else
        is_alone(c, at, what, a != 0);
}

/* `moved`: an earlier member is known to differ, so the offset does too. */
static void compare_member(comparison *c, const spot *at, pair member, bool moved)
{
    uint64_t a, b;
    bool bits = tci_debug_has(c->a, member.a, "flags", "DIFlagBitField");
    if (bits != tci_debug_has(c->b, member.b, "flags", "DIFlagBitField")) {
        is_alone(c, at, "a bit-field", bits);
        return;
    }
    if (!moved && !same_number(c, member, "offset", &a, &b))
        numbers_differ(c, at, bits ? "is at bit " : "is at byte ", bits ? a : a / 8,
                       bits ? b : b / 8, "");
    if (bits && !same_number(c, member, "size", &a, &b))
        numbers_differ(c, at, "has ", a, b, " bits");
    compare_alignments(c, at, member);
    compare_types(c, at, nodes(c, member, "baseType"));
}

static void compare_members(comparison *c, const spot *at, pair plain)
{
    char name[TCI_TYPE_NAME_MAX];
    const unsigned shifts = c->shifts;
    pair lists = nodes(c, plain, "elements"), member;
    for (size_t i = 0; (member.a = tci_debug_item(c->a, lists.a, i)) != TCI_NODE_NONE; i++) {
        spot inner = member_spot(at, c->a, member.a);
        tci_debug_text(c->a, member.a, "name", name);
        member.b = find_member(c->b, lists.b, name, i);
        if (member.b == TCI_NODE_NONE)
            is_alone(c, &inner, "there", true);
        else
            compare_member(c, &inner, member, c->shifts > shifts);
    }
    for (size_t i = 0; (member.b = tci_debug_item(c->b, lists.b, i)) != TCI_NODE_NONE; i++) {
        spot inner = member_spot(at, c->b, member.b);
        tci_debug_text(c->b, member.b, "name", name);
        if (find_member(c->a, lists.a, name, i) == TCI_NODE_NONE)
            is_alone(c, &inner, "there", false);
    }
}

/* Reports the size of a nested struct only when no difference inside explains it. */
static void compare_structs(comparison *c, const spot *at, pair plain)
{
    const unsigned shifts = c->shifts;
    compare_members(c, at, plain);
    if (at->depth == 0 || c->shifts == shifts)
        (void)same_size(c, at, plain);
    compare_alignments(c, at, plain);
}

/* --- everything --------------------------------------------------------------------------- */

static void compare_types(comparison *c, const spot *at, pair types)
{
    pair plain = strip(c, types);
    kind a = kind_of(c->a, plain.a), b = kind_of(c->b, plain.b);
    if (at->depth > DEPTH_MAX)
        differs(c, at, "is nested too deep to be compared");
    else if (a != b)
        differs(c, at, "is %s on %s, %s on %s", kind_texts[a], c->target_a, kind_texts[b],
                c->target_b);
    else if (a == NUMBER)
        compare_numbers(c, at, types, plain);
    else if (a == POINTER)
        add_line(c, at, "warning", "is a pointer, which means nothing in another process");
    else if (a == ARRAY)
        compare_arrays(c, at, plain);
    else if (a == ENUM)
        compare_enums(c, at, plain);
    else if (a == STRUCT || a == UNION)
        compare_structs(c, at, plain);
    else
        (void)same_size(c, at, plain);
}

unsigned tci_layout_compare(const char *name, const tci_layout_side *a,
                            const tci_layout_side *b, tci_text_list *findings)
{
    comparison c = {a->types, b->types, a->target, b->target, findings, 0, 0};
    spot at = {.depth = 0};
    (void)snprintf(at.path, sizeof at.path, "%s", name);
    tci_debug_place(a->types, a->type, at.place);
    compare_types(&c, &at, (pair){a->type, b->type});
    return c.errors;
}
