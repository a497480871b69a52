#include "layout_check.h"

#include "base/error_text.h"
#include "clang_run.h"
#include "layout_compare.h"

#include <stdlib.h>
#include <string.h>

/* The types of one source on all targets. */
typedef struct views {
    tci_debug_types types[TCI_TARGETS_MAX];
} views;

static void views_fini(views *of)
{
    for (size_t i = 0; i < TCI_TARGETS_MAX; i++)
        tci_debug_types_fini(&of->types[i]);
}

static tc_status read_types(const tci_command *command, const tci_target *target,
                            const char *source, tci_debug_types *types_out, tc_error *err)
{
    tci_text_list words = {0};
    void *bytes = NULL;
    size_t size = 0;
    tci_clang_types_command(command, target, source, &words);
    if (command->verbose && !words.failed)
        tci_clang_print(&words, stderr);
    tc_status status = tci_clang_run(&words, &bytes, &size, err);
    tci_text_list_fini(&words);
    if (status == TC_OK)
        status = tci_debug_types_read(bytes, size, types_out, err);
    free(bytes);
    if (status == TC_E_COMPILE)
        tci_target_table_explain_headers(target, tci_command_is_cxx(source));
    if (status != TC_OK)
        tci_error_prefix(err, "%s for %s", source, target->triple);
    return status;
}

static void only_there(const char *name, const tci_layout_side *there, const char *elsewhere,
                       tci_text_list *findings)
{
    char place[TCI_PLACE_MAX];
    tci_debug_place(there->types, there->type, place);
    tci_text_list_format(findings, "%s: error: '%s' is defined for %s and not for %s", place,
                         name, there->target, elsewhere);
}

static unsigned compare_two(const char *name, const tci_layout_side *a,
                            const tci_layout_side *b, tci_text_list *findings)
{
    if (a->type != TCI_NODE_NONE && b->type != TCI_NODE_NONE)
        return tci_layout_compare(name, a, b, findings);
    if (a->type == TCI_NODE_NONE && b->type == TCI_NODE_NONE)
        return 0;
    if (a->type != TCI_NODE_NONE)
        only_there(name, a, b->target, findings);
    else
        only_there(name, b, a->target, findings);
    return 1;
}

static tci_layout_side side_of(const tci_command *command, const views *of, size_t target,
                               const char *name)
{
    return (tci_layout_side){.types = &of->types[target],
                             .type = tci_debug_find(&of->types[target], name),
                             .target = command->targets[target]->triple};
}

/* Sets found[], one per name, when any target has the complete type. */
static unsigned compare_source(const tci_command *command, const views *of, bool *found,
                               tci_text_list *findings)
{
    unsigned errors = 0;
    for (size_t n = 0; n < command->compared.count; n++) {
        const char *name = command->compared.items[n];
        tci_layout_side first = side_of(command, of, 0, name);
        for (size_t t = 1; t < command->target_count; t++) {
            tci_layout_side other = side_of(command, of, t, name);
            found[n] |= first.type != TCI_NODE_NONE || other.type != TCI_NODE_NONE;
            errors += compare_two(name, &first, &other, findings);
        }
    }
    return errors;
}

static tc_status check_source(const tci_command *command, const char *source, bool *found,
                              unsigned *errors, tci_text_list *findings, tc_error *err)
{
    views of = {0};
    tc_status status = TC_OK;
    for (size_t t = 0; t < command->target_count && status == TC_OK; t++)
        status = read_types(command, command->targets[t], source, &of.types[t], err);
    if (status == TC_OK)
        *errors += compare_source(command, &of, found, findings);
    views_fini(&of);
    return status;
}

static tc_status verdict(const tci_command *command, const bool *found, unsigned errors,
                         const tci_text_list *findings, tc_error *err)
{
    if (findings->failed)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for what differs");
    for (size_t n = 0; n < command->compared.count; n++) {
        if (!found[n])
            return tci_error_set(err, TC_E_NOT_FOUND,
                                 "--check-abi: no source defines a struct, union, enum or type "
                                 "'%s'",
                                 command->compared.items[n]);
    }
    if (errors > 0)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "--check-abi: %u difference%s between the targets", errors,
                             errors == 1 ? "" : "s");
    return TC_OK;
}

tc_status tci_layout_check(const tci_command *command, tci_text_list *findings, tc_error *err)
{
    unsigned errors = 0;
    tc_status status = TC_OK;
    bool *found = calloc(command->compared.count, sizeof *found);
    if (found == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory to compare types");
    for (size_t i = 0; i < command->sources.count && status == TC_OK; i++)
        status =
            check_source(command, command->sources.items[i], found, &errors, findings, err);
    if (status == TC_OK)
        status = verdict(command, found, errors, findings, err);
    free(found);
    return status;
}

void tci_layout_check_show(const tci_command *command, FILE *stream)
{
    for (size_t t = 0; t < command->target_count && command->compared.count > 0; t++) {
        for (size_t i = 0; i < command->sources.count; i++) {
            tci_text_list words = {0};
            tci_clang_types_command(command, command->targets[t], command->sources.items[i],
                                    &words);
            tci_clang_print(&words, stream);
            tci_text_list_fini(&words);
        }
    }
}
