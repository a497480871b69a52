#include "module_file.h"

#include "error_text.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDERS_MAX 4
#define FILE_NAME_MAX 64

typedef struct search {
    const tci_module_file_kind *kind;
    size_t count;
    char folders[FOLDERS_MAX][PATH_MAX];
    char path[PATH_MAX + FILE_NAME_MAX]; /* the file being tried */
    char looked_in[512];                 /* for the error's text */
    char reason[512];                    /* why the last module found could not be loaded */
} search;

static void add_folder(search *s, const char *folder, const char *below)
{
    int n = snprintf(s->folders[s->count], PATH_MAX, "%s%s", folder, below);
    if (n <= 0 || n >= PATH_MAX)
        return;
    size_t used = strlen(s->looked_in);
    (void)snprintf(s->looked_in + used, sizeof s->looked_in - used, "%s%s",
                   used == 0 ? "" : ", ", s->folders[s->count]);
    s->count++;
}

/* The loader leaves the main program's name empty, and argv[0], which a shell sets, is no path
 * to trust. */
bool tci_module_file_folder(const void *address, char folder_out[PATH_MAX])
{
    Dl_info info;
    struct link_map *map = NULL;
    if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || map == NULL)
        return false;
    const char *file = map->l_name[0] == '\0' ? "/proc/self/exe" : map->l_name;
    if (realpath(file, folder_out) == NULL)
        return false;
    char *slash = strrchr(folder_out, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return true;
}

static search *start_search(const tci_module_file_kind *kind, const char *folder)
{
    static const char anchor;
    char own[PATH_MAX];
    search *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->kind = kind;
    if (folder != NULL && *folder != '\0') {
        add_folder(s, folder, "");
        return s;
    }
    if (tci_module_file_folder(&anchor, own)) {
        add_folder(s, own, "");
        add_folder(s, own, TC_MODULE_BELOW);
        add_folder(s, own, "/../lib");
    }
    add_folder(s, TC_MODULE_DIR, "");
    return s;
}

static bool find_file(search *s, const char *folder)
{
    (void)snprintf(s->path, sizeof s->path, "%s/%s", folder, s->kind->file);
    return access(s->path, F_OK) == 0;
}

bool tci_module_file_is_there(const tci_module_file_kind *kind, const char *folder)
{
    bool found = false;
    search *s = start_search(kind, folder);
    for (size_t i = 0; s != NULL && i < s->count && !found; i++)
        found = find_file(s, s->folders[i]);
    free(s);
    return found;
}

static tc_status check_abi(const search *s, const void *table, tc_error *err)
{
    uint32_t abi;
    if (table == NULL)
        return tci_error_set(err, TC_E_VERSION, "%s is no %s: it lacks %s", s->path,
                             s->kind->what, s->kind->symbol);
    memcpy(&abi, table, sizeof abi);
    if (abi != s->kind->abi)
        return tci_error_set(err, TC_E_VERSION, "%s %s has interface %u, expected %u",
                             s->kind->what, s->path, abi, s->kind->abi);
    return TC_OK;
}

/* *table_out stays NULL when the folder has no module that can be loaded. */
static tc_status try_folder(search *s, const char *folder, const void **table_out,
                            tc_error *err)
{
    if (!find_file(s, folder))
        return TC_OK;
    void *module = dlopen(s->path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (module == NULL) {
        const char *reason = dlerror();
        (void)snprintf(s->reason, sizeof s->reason, "; %s", reason != NULL ? reason : s->path);
        return TC_OK;
    }
    const void *table = dlsym(module, s->kind->symbol);
    tc_status status = check_abi(s, table, err);
    if (status == TC_OK)
        *table_out = table;
    (void)dlclose(module); /* gives the reference back; the module stays */
    return status;
}

tc_status tci_module_file_open(const tci_module_file_kind *kind, const char *folder,
                               const void **table_out, tc_error *err)
{
    search *s = start_search(kind, folder);
    const void *table = NULL;
    tc_status status = TC_OK;
    if (s == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: out of memory", kind->what);
    for (size_t i = 0; i < s->count && table == NULL && status == TC_OK; i++)
        status = try_folder(s, s->folders[i], &table, err);
    if (status == TC_OK && table == NULL)
        status = tci_error_set(err, TC_E_UNSUPPORTED, "no %s: looked for %s in %s%s",
                               kind->what, kind->file, s->looked_in, s->reason);
    if (status == TC_OK)
        *table_out = table;
    free(s);
    return status;
}
