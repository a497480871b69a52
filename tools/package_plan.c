/* Fills a plan from the folder's manifest, or without one from the sources (*.c) in it. */
#include "package_plan.h"

#include "archive_file.h"
#include "archive_name.h"
#include "base/error_text.h"
#include "package_manifest.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANIFEST_BYTES_MAX (1u << 20)
#define LIBRARY_PREFIX "lib_"

package_part *package_plan_add(package_plan *plan, tci_element_kind kind, const char *name,
                               uint32_t id, tc_error *err)
{
    if (plan->count == TCI_PACKAGE_ELEMENTS_MAX) {
        tci_error_fill(err, TC_E_TOO_LARGE, "more than %u elements", TCI_PACKAGE_ELEMENTS_MAX);
        return NULL;
    }
    package_part *part = &plan->parts[plan->count++];
    part->element.kind = kind;
    part->element.id = id;
    (void)snprintf(part->element.name, sizeof part->element.name, "%s", name);
    return part;
}

static tc_status add_text(char **texts, size_t *count, const char *text,
                          const package_part *part, tc_error *err)
{
    if (*count == PACKAGE_SOURCES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "'%s' has more than %d sources or libraries",
                             part->element.name, PACKAGE_SOURCES_MAX);
    texts[*count] = strdup(text);
    if (texts[*count] == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for a plan");
    ++*count;
    return TC_OK;
}

tc_status package_plan_add_source(const package_plan *plan, package_part *part,
                                  const char *file, tc_error *err)
{
    char path[2 * PATH_MAX];
    bool absolute = file[0] == '/';
    (void)snprintf(path, sizeof path, "%s%s%s", absolute ? "" : plan->folder,
                   absolute ? "" : "/", file);
    return add_text(part->sources, &part->source_count, path, part, err);
}

tc_status package_plan_add_use(package_part *part, const char *library, tc_error *err)
{
    TC_TRY(tci_archive_check_name(library, TC_E_INVALID, err));
    return add_text(part->uses, &part->use_count, library, part, err);
}

static bool ends_in(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size > end_size && strcmp(text + size - end_size, end) == 0;
}

bool package_plan_is_archive(const package_part *part)
{
    return part->source_count == 1 && ends_in(part->sources[0], ".tca");
}

/* --- without a manifest ------------------------------------------------------------------- */

static int is_source(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && ends_in(entry->d_name, ".c");
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Adds a source: "put.c" is the function put, "lib_store.c" the library store. */
static tc_status add_found(package_plan *plan, const char *file, tc_error *err)
{
    char name[TCI_ARCHIVE_NAME_MAX + 1];
    bool library = strncmp(file, LIBRARY_PREFIX, strlen(LIBRARY_PREFIX)) == 0;
    const char *stem = library ? file + strlen(LIBRARY_PREFIX) : file;
    (void)snprintf(name, sizeof name, "%.*s", (int)(strlen(stem) - 2), stem);
    tc_status status = tci_archive_check_name(name, TC_E_INVALID, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "%s", file);
        return status;
    }
    package_part *part =
        package_plan_add(plan, library ? TCI_ELEMENT_LIBRARY : TCI_ELEMENT_FUNCTION, name,
                         (uint32_t)plan->count + 1, err);
    return part != NULL ? package_plan_add_source(plan, part, file, err) : TC_E_TOO_LARGE;
}

static tc_status use_all_libraries(package_plan *plan, tc_error *err)
{
    for (size_t i = 0; i < plan->count; i++) {
        package_part *part = &plan->parts[i];
        for (size_t k = 0; k < plan->count && part->element.kind == TCI_ELEMENT_FUNCTION; k++) {
            const tci_package_element *other = &plan->parts[k].element;
            if (other->kind == TCI_ELEMENT_LIBRARY)
                TC_TRY(package_plan_add_use(part, other->name, err));
        }
    }
    return TC_OK;
}

static tc_status find_sources(package_plan *plan, tc_error *err)
{
    struct dirent **found;
    int count = scandir(plan->folder, &found, is_source, compare_names);
    if (count < 0)
        return tci_error_errno(err, errno == ENOENT ? TC_E_NOT_FOUND : TC_E_IO, errno, "%s",
                               plan->folder);
    tc_status status = TC_OK;
    for (int i = 0; i < count; i++) {
        if (status == TC_OK)
            status = add_found(plan, found[i]->d_name, err);
        free(found[i]);
    }
    free(found);
    return status == TC_OK ? use_all_libraries(plan, err) : status;
}

/* --- with a manifest ---------------------------------------------------------------------- */

static int compare_parts(const void *a, const void *b)
{
    const package_part *left = a, *right = b;
    return left->element.id < right->element.id ? -1 : left->element.id > right->element.id;
}

static tc_status add_usual_source(const package_plan *plan, package_part *part, tc_error *err)
{
    char file[TCI_ARCHIVE_NAME_MAX + 16];
    if (part->source_count > 0)
        return TC_OK;
    (void)snprintf(file, sizeof file, "%s%s.c",
                   part->element.kind == TCI_ELEMENT_LIBRARY ? LIBRARY_PREFIX : "",
                   part->element.name);
    return package_plan_add_source(plan, part, file, err);
}

/* Adds the usual source if there is none, and refuses an archive among several sources. */
static tc_status check_sources(const package_plan *plan, package_part *part, tc_error *err)
{
    for (size_t i = 0; part->source_count > 1 && i < part->source_count; i++) {
        if (ends_in(part->sources[i], ".tca"))
            return tci_error_set(err, TC_E_INVALID, "'%s': the archive %s is one of %zu files",
                                 part->element.name, part->sources[i], part->source_count);
    }
    return add_usual_source(plan, part, err);
}

static tc_status read_manifest(package_plan *plan, tc_error *err)
{
    char path[PATH_MAX + sizeof PACKAGE_MANIFEST + 1];
    void *bytes;
    size_t size;
    (void)snprintf(path, sizeof path, "%s/%s", plan->folder, PACKAGE_MANIFEST);
    TC_TRY(tci_archive_file_read(path, MANIFEST_BYTES_MAX, &bytes, &size, err));
    const bool is_text = memchr(bytes, '\0', size) == NULL;
    char *text = strndup(bytes, size);
    free(bytes);
    if (!is_text) {
        free(text);
        return tci_error_set(err, TC_E_INVALID, "%s: it has a byte 0, expected text", path);
    }
    if (text == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for %s", path);
    tc_status status = package_manifest_read(text, plan, err);
    if (status != TC_OK)
        tci_error_prefix(err, "%s", path);
    free(text);
    plan->has_manifest = true;
    for (size_t i = 0; i < plan->count && status == TC_OK; i++)
        status = check_sources(plan, &plan->parts[i], err);
    qsort(plan->parts, plan->count, sizeof plan->parts[0], compare_parts);
    return status;
}

/* --- in both cases ------------------------------------------------------------------------ */

static tc_status settle_name(package_plan *plan, const char *name, tc_error *err)
{
    char path[PATH_MAX];
    if (name == NULL && plan->name[0] != '\0')
        return TC_OK;
    if (name == NULL && realpath(plan->folder, path) != NULL)
        name = strrchr(path, '/') + 1;
    TC_TRY(tci_archive_check_name(name != NULL ? name : "", TC_E_INVALID, err));
    (void)snprintf(plan->name, sizeof plan->name, "%s", name);
    return TC_OK;
}

static tc_status fill(package_plan *plan, const char *name, tc_error *err)
{
    tc_status status = read_manifest(plan, err);
    if (status == TC_E_NOT_FOUND)
        status = find_sources(plan, err);
    TC_TRY(status);
    if (plan->count == 0)
        return tci_error_set(err, TC_E_NOT_FOUND, "%s: no sources (*.c), and no %s",
                             plan->folder, PACKAGE_MANIFEST);
    return settle_name(plan, name, err);
}

tc_status package_plan_create(const char *folder, const char *name, package_plan **plan_out,
                              tc_error *err)
{
    package_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for a plan");
    size_t size = strlen(folder);
    tc_status status = TC_OK;
    if (size >= sizeof plan->folder)
        status = tci_error_set(err, TC_E_INVALID, "path too long: %.200s...", folder);
    else
        memcpy(plan->folder, folder, size + 1);
    if (status == TC_OK)
        status = fill(plan, name, err);
    if (status != TC_OK) {
        package_plan_destroy(plan);
        return status;
    }
    *plan_out = plan;
    return TC_OK;
}

static void free_part(package_part *part)
{
    for (size_t i = 0; i < part->source_count; i++)
        free(part->sources[i]);
    for (size_t i = 0; i < part->use_count; i++)
        free(part->uses[i]);
    free(part->takes);
    free((void *)(uintptr_t)part->element.archive);
    free((void *)(uintptr_t)part->element.deps);
    free((void *)(uintptr_t)part->element.signature);
}

void package_plan_destroy(package_plan *plan)
{
    if (plan == NULL)
        return;
    for (size_t i = 0; i < plan->include_count; i++)
        free(plan->includes[i]);
    for (size_t i = 0; i < plan->count; i++)
        free_part(&plan->parts[i]);
    free(plan);
}
