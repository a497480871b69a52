#include "package_output.h"

#include "archive_file.h"
#include "base/error_text.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RULE_BYTES_MAX (16u << 20)

/* Writes `given`, or if that is NULL, FOLDER/PREFIX NAME SUFFIX. Returns whether it fits. */
static bool settle_path(const char *given, const char *folder, const char *prefix,
                        const char *name, const char *suffix, char out[PATH_MAX])
{
    int size = given != NULL
                   ? snprintf(out, PATH_MAX, "%s", given)
                   : snprintf(out, PATH_MAX, "%s%s%s%s", folder, prefix, name, suffix);
    return size >= 0 && size < PATH_MAX;
}

static tc_status settle_paths(const package_wish *wish, const package_plan *plan,
                              package_output *out, tc_error *err)
{
    char folder[PATH_MAX] = "";
    bool fits = settle_path(wish->output, "", "", plan->name, ".tcp", out->package);
    const char *slash = fits ? strrchr(out->package, '/') : NULL;
    if (slash != NULL)
        (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash + 1 - out->package),
                       out->package);
    fits = fits && settle_path(wish->header, folder, "", plan->name, ".h", out->header) &&
           settle_path(wish->local, folder, "lib", plan->name, "-local.so", out->local);
    return fits ? TC_OK : tci_error_set(err, TC_E_INVALID, "path too long");
}

tc_status package_output_begin(const package_wish *wish, const package_plan *plan,
                               package_output *output_out, tc_error *err)
{
    const char *folder = getenv("TMPDIR");
    output_out->scratch[0] = '\0';
    TC_TRY(settle_paths(wish, plan, output_out, err));
    char scratch[PATH_MAX];
    int size = snprintf(scratch, sizeof scratch, "%s/tc-package-XXXXXX",
                        folder != NULL && *folder != '\0' ? folder : "/tmp");
    if (size < 0 || (size_t)size >= sizeof scratch)
        return tci_error_set(err, TC_E_INVALID, "TMPDIR is too long");
    if (mkdtemp(scratch) == NULL)
        return tci_error_errno(err, TC_E_IO, errno, "%s", scratch);
    memcpy(output_out->scratch, scratch, sizeof scratch);
    return TC_OK;
}

void package_output_end(const package_output *output)
{
    DIR *folder = output->scratch[0] != '\0' ? opendir(output->scratch) : NULL;
    if (folder == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        (void)unlinkat(dirfd(folder), entry->d_name, 0);
    (void)closedir(folder);
    (void)rmdir(output->scratch);
}

void package_output_path(const package_output *output, const char *name, const char *suffix,
                         char path_out[PATH_MAX])
{
    path_out[0] = '\0';
    if (strlen(output->scratch) + strlen(name) + strlen(suffix) + 2 > PATH_MAX)
        return; /* the empty path names no file */
    strcpy(path_out, output->scratch);
    strcat(path_out, "/");
    strcat(path_out, name);
    strcat(path_out, suffix);
}

/* --- rules -------------------------------------------------------------------------------- */

/* Copies the rules that tc-clang wrote, whose target is the package already. */
static tc_status copy_rules(const char *path, FILE *out, tc_error *err)
{
    void *bytes;
    size_t size;
    TC_TRY(tci_archive_file_read(path, RULE_BYTES_MAX, &bytes, &size, err));
    (void)fwrite(bytes, 1, size, out);
    free(bytes);
    return TC_OK;
}

static tc_status print_rules(const package_plan *plan, const package_output *output, FILE *out,
                             tc_error *err)
{
    char path[PATH_MAX];
    if (plan->has_manifest)
        fprintf(out, "%s: %s/" PACKAGE_MANIFEST "\n", output->package, plan->folder);
    for (size_t i = 0; i < plan->count; i++) {
        const package_part *part = &plan->parts[i];
        package_output_path(output, part->element.name, ".d", path);
        if (package_plan_is_archive(part))
            fprintf(out, "%s: %s\n", output->package, part->sources[0]);
        else
            TC_TRY(copy_rules(path, out, err));
    }
    return TC_OK;
}

tc_status package_output_rules(const package_wish *wish, const package_plan *plan,
                               const package_output *output, tc_error *err)
{
    char *text = NULL;
    size_t size = 0;
    if (wish->rules == NULL)
        return TC_OK;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for rules");
    tc_status status = print_rules(plan, output, out, err);
    if (fclose(out) != 0 && status == TC_OK)
        status = tci_error_set(err, TC_E_NO_MEMORY, "no memory for rules");
    if (status == TC_OK)
        status = tci_archive_file_write(wish->rules, text, size, err);
    free(text);
    return status;
}
