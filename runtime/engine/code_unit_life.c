/* One list holds the started code of all contexts, newest first. A stop takes its entry out
 * under the lock and runs the destructors without it; an atexit handler stops all remaining
 * entries. */
#include "code_unit_life.h"

#include "base/assertion.h"
#include "base/error_text.h"
#include "code_unit_object.h"

#include <pthread.h>
#include <stdlib.h>

enum { WORDS_MAX = 400 };

struct tci_started_code {
    int (*life)(char *text, size_t size);
    tci_started_code *older;
    tci_started_code *newer;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tci_started_code *newest;
static bool watches_exit;

static void take_out_locked(tci_started_code *code)
{
    TCI_INVARIANT(life_list, (code->newer == NULL) == (newest == code));
    if (code->newer != NULL)
        code->newer->older = code->older;
    else
        newest = code->older;
    if (code->older != NULL)
        code->older->newer = code->newer;
}

/* Runs when the process exits and contexts are left. Their nodes stay for later unloads. */
static void stop_all(void)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        tci_started_code *code = newest;
        int (*life)(char *text, size_t size) = code != NULL ? code->life : NULL;
        if (code != NULL) {
            take_out_locked(code);
            code->life = NULL; /* marks it as in no list */
        }
        pthread_mutex_unlock(&lock);
        if (life == NULL)
            return;
        (void)life(NULL, 0);
    }
}

static void keep(tci_started_code *code)
{
    pthread_mutex_lock(&lock);
    if (!watches_exit)
        watches_exit = atexit(stop_all) == 0;
    TCI_INVARIANT(life_list, newest == NULL || newest->newer == NULL);
    code->older = newest;
    if (newest != NULL)
        newest->newer = code;
    newest = code;
    pthread_mutex_unlock(&lock);
}

tc_status tci_code_unit_start(tci_code_unit *unit, const char *name, tc_error *err)
{
    char words[WORDS_MAX] = "";
    int (*life)(char *text, size_t size) = unit->code.entries.life;
    if (life == NULL || unit->started != NULL)
        return TC_OK;
    tci_started_code *code = calloc(1, sizeof *code);
    if (code == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: out of memory", name);
    if (life(words, sizeof words) != 0) {
        (void)life(NULL, 1);
        free(code);
        return tci_error_set(err, TC_E_THROWN, "%s: in a constructor, %s", name, words);
    }
    code->life = life;
    unit->started = code;
    keep(code);
    return TC_OK;
}

void tci_code_unit_stop(tci_code_unit *unit)
{
    tci_started_code *code = unit->started;
    if (code == NULL)
        return;
    unit->started = NULL;
    pthread_mutex_lock(&lock);
    int (*life)(char *text, size_t size) = code->life;
    if (life != NULL)
        take_out_locked(code);
    pthread_mutex_unlock(&lock);
    if (life != NULL)
        (void)life(NULL, 0);
    free(code);
}
