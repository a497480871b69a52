#include "am_tally.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(tca_tally_facts) == 16, "no padding");

static void note(tca_tally_entry *entry, tc_status status, const char *text)
{
    size_t size = strlen(text);
    if (entry->failure != NULL)
        return;
    entry->failure = malloc(sizeof *entry->failure);
    if (entry->failure == NULL) {
        entry->run--; /* the origin finds that one is missing */
        return;
    }
    size = size < TC_AM_TEXT_MAX ? size : TC_AM_TEXT_MAX - 1;
    entry->failure->status = status;
    memcpy(entry->failure->text, text, size);
    entry->failure->text[size] = '\0';
}

void tca_tally_count(tca_tally *tally, uint32_t ranks, uint32_t origin, tc_status status,
                     const char *text)
{
    if (tally->entries == NULL) {
        tally->entries = calloc(ranks, sizeof *tally->entries);
        tally->ranks = tally->entries != NULL ? ranks : 0;
    }
    if (origin >= tally->ranks)
        return;
    tally->entries[origin].run++;
    if (status != TC_OK)
        note(&tally->entries[origin], status, text);
}

tca_tally_facts tca_tally_take(tca_tally *tally, uint32_t origin, char *text_out)
{
    tca_tally_facts facts = {0};
    text_out[0] = '\0';
    if (origin >= tally->ranks)
        return facts;
    tca_tally_entry *entry = &tally->entries[origin];
    facts.run = entry->run;
    if (entry->failure != NULL) {
        facts.status = entry->failure->status;
        memcpy(text_out, entry->failure->text, TC_AM_TEXT_MAX);
    }
    free(entry->failure);
    *entry = (tca_tally_entry){0};
    return facts;
}

void tca_tally_free(tca_tally *tally)
{
    for (uint32_t i = 0; i < tally->ranks; i++)
        free(tally->entries[i].failure);
    free(tally->entries);
    *tally = (tca_tally){0};
}
