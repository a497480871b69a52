#include "option_names.h"

#include "logger.h"
#include "near_name.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <tc/options.h>
#include <unistd.h>

#define PREFIX "TC_"

/* Known variables that are no rows of the option table. */
static const char *const others[] = {"TC_LOG_LEVEL",  "TC_CLANG",     "TC_LLD",
                                     "TC_CROSS_ROOT", "TC_RUN_RANK",  "TC_RUN_SIZE",
                                     "TC_RUN_SECRET", "TC_RUN_SOCKET"};
#define OTHER_COUNT (sizeof others / sizeof others[0])

const char *tci_option_names_nearest(const char *name)
{
    const char *nearest = NULL;
    size_t best = TCI_NEAR_NAME_MAX;
    for (size_t i = 0; i < tc_options_count(); i++) {
        if (tci_near_name(name, tc_options_info(i)->name, &best))
            nearest = tc_options_info(i)->name;
    }
    return nearest;
}

static bool is_known(const char *variable)
{
    for (size_t i = 0; i < tc_options_count(); i++) {
        if (strcmp(variable, tc_options_info(i)->env) == 0)
            return true;
    }
    for (size_t i = 0; i < OTHER_COUNT; i++) {
        if (strcmp(variable, others[i]) == 0)
            return true;
    }
    return false;
}

const char *tci_option_names_meant(const char *variable)
{
    const char *meant = NULL;
    size_t best = TCI_NEAR_NAME_MAX;
    if (strncmp(variable, PREFIX, strlen(PREFIX)) != 0 || is_known(variable))
        return NULL;
    variable += strlen(PREFIX);
    for (size_t i = 0; i < tc_options_count(); i++) {
        if (tci_near_name(variable, tc_options_info(i)->name, &best))
            meant = tc_options_info(i)->env;
    }
    for (size_t i = 0; i < OTHER_COUNT; i++) {
        if (tci_near_name(variable, others[i] + strlen(PREFIX), &best))
            meant = others[i];
    }
    return meant;
}

/* Copies NAME from "NAME=VALUE". Returns false when it cannot be a misspelt variable of this
 * library. */
static bool take_name(const char *entry, char name[TCI_NEAR_NAME_MAX + sizeof PREFIX])
{
    size_t n = strcspn(entry, "=");
    if (strncmp(entry, PREFIX, strlen(PREFIX)) != 0 || n >= TCI_NEAR_NAME_MAX + sizeof PREFIX)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!isalnum((unsigned char)entry[i]) && entry[i] != '_')
            return false;
        name[i] = entry[i];
    }
    name[n] = '\0';
    return true;
}

void tci_option_names_check(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    char name[TCI_NEAR_NAME_MAX + sizeof PREFIX];
    /* For a process with more rights than its user's, the environment counts as empty. */
    if (getauxval(AT_SECURE) != 0 || environ == NULL || atomic_flag_test_and_set(&done))
        return;
    for (char **entry = environ; *entry != NULL; entry++) {
        if (!take_name(*entry, name) || is_known(name))
            continue;
        const char *meant = tci_option_names_meant(name);
        if (meant != NULL)
            TC_LOG(TC_LOG_WARN, "environment: %s is no option and has no effect; %s is one",
                   name, meant);
        else
            TC_LOG(TC_LOG_INFO, "environment: %s is no option and has no effect", name);
    }
}
