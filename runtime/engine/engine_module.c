#include "engine_module.h"

#include "base/error_text.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULE_NAME "libtchains-orc.so"
#define FOLDERS_MAX 3
#define MODULE_PATH_MAX (PATH_MAX + sizeof MODULE_NAME + 1)

typedef struct search {
    size_t count;
    char folders[FOLDERS_MAX][PATH_MAX];
    char looked_in[512]; /* for the error's text */
    char reason[512];    /* why the last module that is there could not be loaded */
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

/* The folder of the object that holds this very function. The loader leaves the main program's
 * name empty, and what a shell put into argv[0] is no path to trust. */
static bool own_folder(char out[PATH_MAX])
{
    static const char anchor;
    Dl_info info;
    struct link_map *map = NULL;
    if (dladdr1(&anchor, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || map == NULL)
        return false;
    if (realpath(map->l_name[0] == '\0' ? "/proc/self/exe" : map->l_name, out) == NULL)
        return false;
    char *slash = strrchr(out, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return true;
}

static void list_folders(search *s, const char *engine_path)
{
    char own[PATH_MAX];
    if (engine_path != NULL && *engine_path != '\0') {
        add_folder(s, engine_path, "");
        return;
    }
    if (own_folder(own)) {
        add_folder(s, own, "");
        add_folder(s, own, "/../lib");
    }
    add_folder(s, TC_ENGINE_DIR, "");
}

static tc_status check_abi(const tci_engine_ops *ops, const char *path, tc_error *err)
{
    if (ops == NULL)
        return tci_error_set(err, TC_E_VERSION,
                             "%s is no code engine: it lacks " TCI_ENGINE_SYMBOL, path);
    if (ops->abi != TCI_ENGINE_ABI)
        return tci_error_set(err, TC_E_VERSION, "code engine %s has interface %u, expected %u",
                             path, ops->abi, TCI_ENGINE_ABI);
    return TC_OK;
}

static bool find_module(const char *folder, char path[MODULE_PATH_MAX])
{
    (void)snprintf(path, MODULE_PATH_MAX, "%s/%s", folder, MODULE_NAME);
    return access(path, F_OK) == 0;
}

bool tci_engine_module_is_there(const char *engine_path)
{
    char path[MODULE_PATH_MAX];
    search *s = calloc(1, sizeof *s);
    bool found = false;
    if (s == NULL)
        return false;
    list_folders(s, engine_path);
    for (size_t i = 0; i < s->count && !found; i++)
        found = find_module(s->folders[i], path);
    free(s);
    return found;
}

/* *ops_out stays NULL when the folder has no module that can be loaded. */
static tc_status try_folder(search *s, const char *folder, const tci_engine_ops **ops_out,
                            tc_error *err)
{
    char path[MODULE_PATH_MAX];
    if (!find_module(folder, path))
        return TC_OK;
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (module == NULL) {
        const char *reason = dlerror();
        (void)snprintf(s->reason, sizeof s->reason, "; %s", reason != NULL ? reason : path);
        return TC_OK;
    }
    const tci_engine_ops *ops = dlsym(module, TCI_ENGINE_SYMBOL);
    tc_status status = check_abi(ops, path, err);
    if (status == TC_OK)
        *ops_out = ops;
    (void)dlclose(module); /* gives the reference back; the module stays */
    return status;
}

tc_status tci_engine_module_open(const char *engine_path, const tci_engine_ops **ops_out,
                                 tc_error *err)
{
    search *s = calloc(1, sizeof *s);
    const tci_engine_ops *ops = NULL;
    tc_status status = TC_OK;
    if (s == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "code engine: out of memory");
    list_folders(s, engine_path);
    for (size_t i = 0; i < s->count && ops == NULL && status == TC_OK; i++)
        status = try_folder(s, s->folders[i], &ops, err);
    if (status == TC_OK && ops == NULL)
        status = tci_error_set(err, TC_E_UNSUPPORTED, "no code engine: looked for %s in %s%s",
                               MODULE_NAME, s->looked_in, s->reason);
    if (status == TC_OK)
        *ops_out = ops;
    free(s);
    return status;
}
