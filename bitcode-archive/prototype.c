/* One recursive descent reads a text, for three questions: is it a prototype, which extent has
 * a type, which values have message and answer. Functions of the descent return false where the
 * text leaves the grammar, and keep the first part that was expected.
 *
 * Agreement walks the values of two texts side by side, byte by byte, as equal types have equal
 * texts. Only where one has `?` are extents compared. It reads checked texts alone: where the
 * descent would fail, the texts would disagree. */
#include "prototype.h"

#include "base/error_text.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct extent {
    uint64_t size, alignment; /* bytes */
} extent;

typedef struct cursor {
    const char *at;
    const char *expected; /* NULL, or a missing part at `at` */
} cursor;

/* A number of these bytes, with an alignment of as many. */
typedef struct scalar {
    char name[5];
    uint8_t bytes;
} scalar;

static const scalar scalars[] = {{"bool", 1}, {"i8", 1},  {"i16", 2}, {"i32", 4},
                                 {"i64", 8},  {"u8", 1},  {"u16", 2}, {"u32", 4},
                                 {"u64", 8},  {"f32", 4}, {"f64", 8}};

/* Keeps the first one. Returns false. */
static bool wrong(cursor *c, const char *expected)
{
    if (c->expected == NULL)
        c->expected = expected;
    return false;
}

static bool take(cursor *c, const char *text)
{
    const size_t length = strlen(text);
    if (strncmp(c->at, text, length) != 0)
        return false;
    c->at += length;
    return true;
}

static bool number(cursor *c, uint64_t *number_out)
{
    uint64_t n = 0;
    if (*c->at < '1' || *c->at > '9')
        return wrong(c, "a number from 1 on");
    for (; *c->at >= '0' && *c->at <= '9'; c->at++) {
        n = 10 * n + (uint64_t)(*c->at - '0');
        if (n > TCI_PROTOTYPE_BYTES_MAX)
            return wrong(c, "a number below 2^31");
    }
    *number_out = n;
    return true;
}

/* A struct that its language cannot look into. */
static bool opaque(cursor *c, extent *e)
{
    if (!number(c, &e->size) || !(take(c, ":") || wrong(c, "':'")) || !number(c, &e->alignment))
        return false;
    if ((e->alignment & (e->alignment - 1)) != 0 || e->size % e->alignment != 0)
        return wrong(c, "an alignment: a power of two that divides the size");
    return true;
}

/* Arrays multiply the extent. `varies` may be NULL: each needs a number then. */
static bool dimension(cursor *c, extent *e, bool *varies)
{
    uint64_t count;
    if (!take(c, "["))
        return true;
    if (varies != NULL && take(c, "]"))
        return *varies = true;
    if (!number(c, &count) || !(take(c, "]") || wrong(c, "']'")))
        return false;
    e->size *= count;
    return e->size <= TCI_PROTOTYPE_BYTES_MAX || wrong(c, "a type of less than 2^31 bytes");
}

static bool element(cursor *c, unsigned depth, extent *e);

static bool members(cursor *c, unsigned depth, extent *e)
{
    *e = (extent){0, 1};
    do {
        extent member;
        if (!element(c, depth, &member) || !dimension(c, &member, NULL))
            return false;
        e->alignment = member.alignment > e->alignment ? member.alignment : e->alignment;
        e->size = (e->size + member.alignment - 1) / member.alignment * member.alignment;
        e->size += member.size;
    } while (take(c, ","));
    if (!take(c, "}"))
        return wrong(c, "',' or '}'");
    e->size = (e->size + e->alignment - 1) / e->alignment * e->alignment;
    return e->size <= TCI_PROTOTYPE_BYTES_MAX || wrong(c, "a type of less than 2^31 bytes");
}

static bool element(cursor *c, unsigned depth, extent *e)
{
    if (take(c, "{"))
        return depth < TCI_PROTOTYPE_DEPTH_MAX ? members(c, depth + 1, e)
                                               : wrong(c, "no more than 8 structs in another");
    if (take(c, "?"))
        return opaque(c, e);
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        if (take(c, scalars[i].name)) {
            *e = (extent){scalars[i].bytes, scalars[i].bytes};
            return true;
        }
    }
    return wrong(c, "a type");
}

static bool type(cursor *c, bool *varies_out)
{
    extent e;
    bool varies = take(c, "text");
    const bool ok = varies || (element(c, 0, &e) && dimension(c, &e, &varies));
    if (varies_out != NULL)
        *varies_out = varies;
    return ok;
}

static bool arguments(cursor *c)
{
    unsigned count = 0;
    if (take(c, ")"))
        return true;
    do {
        if (++count > TCI_PROTOTYPE_ARGUMENTS_MAX)
            return wrong(c, "no more than 64 arguments");
        (void)(take(c, "inout ") || take(c, "out "));
        if (!type(c, NULL))
            return false;
    } while (take(c, ","));
    return take(c, ")") || wrong(c, "',' or ')'");
}

static bool prototype(cursor *c)
{
    if (!take(c, "("))
        return wrong(c, "'('");
    if (!arguments(c) || (take(c, "->") && !take(c, "*") && !type(c, NULL)))
        return false;
    return *c->at == '\0' || wrong(c, "its end");
}

tc_status tci_prototype_check(const char *text, tc_status failure, tc_error *err)
{
    cursor c = {.at = text};
    if (strnlen(text, TCI_PROTOTYPE_MAX) == TCI_PROTOTYPE_MAX)
        return tci_error_set(err, failure, "a prototype of more than %u characters",
                             TCI_PROTOTYPE_MAX - 1);
    if (prototype(&c))
        return TC_OK;
    return tci_error_set(err, failure, "prototype '%.100s': found '%.20s' at %zu, expected %s",
                         text, c.at, (size_t)(c.at - text), c.expected);
}

const char *tci_prototype_of_symbol(const char *symbol)
{
    const char *text = strchr(symbol, '(');
    const bool is_stated = text != NULL && text != symbol &&
                           tci_prototype_check(text, TC_E_CORRUPT, NULL) == TC_OK;
    return is_stated ? text : NULL;
}

/* Goes through the values of one of the two messages of a prototype. */
typedef struct values {
    cursor c;           /* at an argument, or behind the last one */
    const char *result; /* that comes first, or NULL */
    bool of_answer;
} values;

static values values_of(const char *text, bool of_answer)
{
    const char *result = of_answer ? strstr(text, "->") : NULL;
    return (values){{.at = text + 1}, result != NULL ? result + 2 : NULL, of_answer};
}

/* Returns the text of the next value's type, or NULL. */
static const char *next(values *v)
{
    const char *result = v->result;
    v->result = NULL;
    if (result != NULL)
        return result;
    while (*v->c.at != ')') {
        bool varies;
        const bool is_both = take(&v->c, "inout "), is_out = !is_both && take(&v->c, "out ");
        const char *text = v->c.at;
        (void)type(&v->c, &varies);
        (void)take(&v->c, ",");
        if (v->of_answer ? is_both || is_out : !is_out)
            return text;
        if (!v->of_answer && varies)
            return "u64"; /* its capacity */
    }
    return NULL;
}

/* Texts agree with arrays of bytes: not every language has both. */
static bool is_bytes(const char *type)
{
    cursor c = {.at = type};
    extent e;
    return take(&c, "text") || (element(&c, 0, &e) && e.size == 1 && take(&c, "[]"));
}

/* An element, or an array of a known number of them: one may be the members of the other. */
static bool whole(cursor *c, extent *e)
{
    return element(c, 0, e) && (c->at[0] != '[' || c->at[1] == ']' || dimension(c, e, NULL));
}

static bool same_type(const char *a, const char *b)
{
    cursor ca = {.at = a}, cb = {.at = b}, end = {.at = a};
    extent ea, eb;
    if (a == NULL || b == NULL)
        return a == b;
    if (*a == 't' || *b == 't')
        return is_bytes(a) && is_bytes(b);
    (void)type(&end, NULL);
    while (ca.at < end.at) {
        /* The same precedes in both, so an element begins here in both. */
        if (*ca.at == '?' || *cb.at == '?') {
            if (!whole(&ca, &ea) || !whole(&cb, &eb) || ea.size != eb.size ||
                ea.alignment != eb.alignment)
                return false;
        } else if (*ca.at++ != *cb.at++) {
            return false;
        }
    }
    return *cb.at == '\0' || *cb.at == ',' || *cb.at == ')';
}

static bool same_values(const char *a, const char *b, bool of_answer)
{
    values va = values_of(a, of_answer), vb = values_of(b, of_answer);
    if (of_answer &&
        ((va.result != NULL && *va.result == '*') || (vb.result != NULL && *vb.result == '*')))
        return true;
    const char *ta, *tb;
    do {
        ta = next(&va);
        tb = next(&vb);
        if (!same_type(ta, tb))
            return false;
    } while (ta != NULL);
    return true;
}

bool tci_prototype_agrees(const char *a, const char *b)
{
    return same_values(a, b, false) && same_values(a, b, true);
}
