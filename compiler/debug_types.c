/* Nodes are found once, by line; fields are searched in the node's text at each call. */
#include "debug_types.h"

#include "base/error_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* longest chain: typedef of typedef of const of ... */
enum { CHAIN_MAX = 64 };

/* --- reading ------------------------------------------------------------------------------ */

/* Parses "!12 = " at the start of a line; returns the text after it. */
static const char *node_of_line(const char *line, size_t *number_out)
{
    char *end;
    if (line[0] != '!' || line[1] < '0' || line[1] > '9')
        return NULL;
    *number_out = strtoul(line + 1, &end, 10);
    if (strncmp(end, " = ", 3) != 0)
        return NULL;
    end += 3;
    if (strncmp(end, "distinct ", strlen("distinct ")) == 0)
        end += strlen("distinct ");
    return end;
}

static char *line_behind(char *line)
{
    char *end = strchr(line, '\n');
    return end != NULL ? end + 1 : NULL;
}

/* Returns an upper bound for the nodes: LLVM numbers them without gaps, so there are at most as
 * many as lines. */
static size_t count_lines(const char *text)
{
    size_t count = 1;
    for (; (text = strchr(text, '\n')) != NULL; text++)
        count++;
    return count;
}

static void enter_nodes(tci_debug_types *types)
{
    for (char *line = types->text, *next; line != NULL; line = next) {
        size_t number = 0;
        next = line_behind(line);
        if (next != NULL)
            next[-1] = '\0';
        const char *node = node_of_line(line, &number);
        if (node != NULL && number < types->count)
            types->nodes[number] = node;
    }
}

tc_status tci_debug_types_read(const void *bytes, size_t size, tci_debug_types *types_out,
                               tc_error *err)
{
    tci_debug_types types = {.text = strndup(bytes, size)};
    if (types.text != NULL) {
        types.count = count_lines(types.text);
        types.nodes = calloc(types.count, sizeof *types.nodes);
    }
    if (types.nodes == NULL) {
        free(types.text);
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for %zu bytes of types", size);
    }
    enter_nodes(&types);
    *types_out = types;
    return TC_OK;
}

void tci_debug_types_fini(tci_debug_types *types)
{
    free(types->nodes);
    free(types->text);
    *types = (tci_debug_types){0};
}

/* --- fields ------------------------------------------------------------------------------- */

typedef struct view {
    const char *at;
    size_t size;
} view;

static const char *text_of(const tci_debug_types *types, tci_node node)
{
    return node < types->count && types->nodes[node] != NULL ? types->nodes[node] : "";
}

/* Quotation marks inside strings are written as \22. */
static const char *end_of_value(const char *at)
{
    for (int depth = 0; *at != '\0'; at++) {
        if (*at == '"') {
            const char *quote = strchr(at + 1, '"');
            if (quote == NULL)
                return at + strlen(at);
            at = quote;
        } else if (*at == '(' || *at == '{') {
            depth++;
        } else if (*at == ')' || *at == '}') {
            if (depth-- == 0)
                break;
        } else if (*at == ',' && depth == 0) {
            break;
        }
    }
    return at;
}

static view find_field(const char *node, const char *field)
{
    size_t size = strlen(field);
    const char *at = strchr(node, '(');
    while (at != NULL && (*at == '(' || *at == ',')) {
        at += 1 + strspn(at + 1, " ");
        const char *end = end_of_value(at);
        if (strncmp(at, field, size) == 0 && strncmp(at + size, ": ", 2) == 0)
            return (view){at + size + 2, (size_t)(end - at) - size - 2};
        at = end;
    }
    return (view){"", 0};
}

uint64_t tci_debug_number(const tci_debug_types *types, tci_node node, const char *field)
{
    return strtoull(find_field(text_of(types, node), field).at, NULL, 10);
}

static tci_node node_at(const char *text)
{
    if (text[0] != '!' || text[1] < '0' || text[1] > '9')
        return TCI_NODE_NONE;
    return strtoul(text + 1, NULL, 10);
}

tci_node tci_debug_node(const tci_debug_types *types, tci_node node, const char *field)
{
    return node_at(find_field(text_of(types, node), field).at);
}

static view unquoted(view value)
{
    if (value.size >= 2 && value.at[0] == '"')
        return (view){value.at + 1, value.size - 2};
    return value;
}

static view field_text(const tci_debug_types *types, tci_node node, const char *field)
{
    return unquoted(find_field(text_of(types, node), field));
}

const char *tci_debug_text(const tci_debug_types *types, tci_node node, const char *field,
                           char out[TCI_TYPE_NAME_MAX])
{
    view value = field_text(types, node, field);
    int size = value.size < TCI_TYPE_NAME_MAX ? (int)value.size : TCI_TYPE_NAME_MAX - 1;
    (void)snprintf(out, TCI_TYPE_NAME_MAX, "%.*s", size, value.at);
    return out;
}

bool tci_debug_has(const tci_debug_types *types, tci_node node, const char *field,
                   const char *value)
{
    view found = field_text(types, node, field);
    return found.size == strlen(value) && memcmp(found.at, value, found.size) == 0;
}

bool tci_debug_is(const tci_debug_types *types, tci_node node, const char *kind)
{
    const char *text = text_of(types, node);
    size_t size = strlen(kind);
    return text[0] == '!' && strncmp(text + 1, kind, size) == 0 && text[1 + size] == '(';
}

tci_node tci_debug_item(const tci_debug_types *types, tci_node list, size_t index)
{
    const char *at = text_of(types, list);
    if (strncmp(at, "!{", 2) != 0)
        return TCI_NODE_NONE;
    for (at += 2; index > 0; index--) {
        at += strcspn(at, ",}");
        if (*at != ',')
            return TCI_NODE_NONE;
        at += 1 + strspn(at + 1, " ");
    }
    return node_at(at);
}

void tci_debug_place(const tci_debug_types *types, tci_node node, char out[TCI_PLACE_MAX])
{
    tci_node file = tci_debug_node(types, node, "file");
    view name = field_text(types, file, "filename");
    view folder = field_text(types, file, "directory");
    if (name.size == 0) {
        (void)snprintf(out, TCI_PLACE_MAX, "?");
        return;
    }
    if (name.at[0] == '/' || tci_source_place_is_working_directory(folder.at, folder.size))
        folder.size = 0;
    (void)snprintf(out, TCI_PLACE_MAX, "%.*s%s%.*s:%llu", (int)folder.size, folder.at,
                   folder.size > 0 ? "/" : "", (int)name.size, name.at,
                   (unsigned long long)tci_debug_number(types, node, "line"));
}

/* --- types -------------------------------------------------------------------------------- */

static bool is_declared_only(const tci_debug_types *types, tci_node node)
{
    return tci_debug_has(types, node, "flags", "DIFlagFwdDecl");
}

static bool is_tagged(const tci_debug_types *types, tci_node node, const char *keyword)
{
    static const struct {
        const char *keyword, *tag;
    } tags[] = {{"struct", "DW_TAG_structure_type"},
                {"union", "DW_TAG_union_type"},
                {"enum", "DW_TAG_enumeration_type"}};
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        if ((keyword[0] == '\0' || strcmp(keyword, tags[i].keyword) == 0) &&
            tci_debug_has(types, node, "tag", tags[i].tag))
            return !is_declared_only(types, node);
    }
    return false;
}

tci_node tci_debug_find(const tci_debug_types *types, const char *name)
{
    char keyword[8] = "";
    const char *blank = strchr(name, ' ');
    if (blank != NULL && (size_t)(blank - name) < sizeof keyword) {
        (void)snprintf(keyword, sizeof keyword, "%.*s", (int)(blank - name), name);
        name = blank + strspn(blank, " ");
    }
    if (name[0] == '\0') /* many types have no name */
        return TCI_NODE_NONE;
    for (tci_node node = 0; node < types->count; node++) {
        if (is_tagged(types, node, keyword) && tci_debug_has(types, node, "name", name))
            return node;
    }
    for (tci_node node = 0; node < types->count && keyword[0] == '\0'; node++) {
        if (tci_debug_has(types, node, "tag", "DW_TAG_typedef") &&
            tci_debug_has(types, node, "name", name) &&
            !is_declared_only(types, tci_debug_strip(types, node)))
            return node;
    }
    return TCI_NODE_NONE;
}

static bool is_wrapping(const tci_debug_types *types, tci_node node)
{
    static const char *const tags[] = {"DW_TAG_typedef", "DW_TAG_const_type",
                                       "DW_TAG_volatile_type", "DW_TAG_restrict_type",
                                       "DW_TAG_atomic_type"};
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        if (tci_debug_has(types, node, "tag", tags[i]))
            return true;
    }
    return false;
}

tci_node tci_debug_strip(const tci_debug_types *types, tci_node node)
{
    for (int i = 0; i < CHAIN_MAX && is_wrapping(types, node); i++)
        node = tci_debug_node(types, node, "baseType");
    return node;
}
