/* Any text as the manifest of a package. An accepted manifest has names that are C identifiers,
 * numbers within their range, and types and headers that end neither their line nor their
 * string in the header that is made of them; a refused one has a text with the line. */
#include "../../tools/package_manifest.h"
#include "archive_name.h"
#include "fuzzer.h"

#include <string.h>

static void check_part(const package_plan *plan, const package_part *part)
{
    const size_t folder = strlen(plan->folder);
    MUST(tci_archive_check_name(part->element.name, TC_E_INVALID, NULL) == TC_OK);
    MUST(part->element.id >= 1 && part->element.id <= TCI_PACKAGE_ELEMENT_ID_MAX);
    MUST(part->source_count <= PACKAGE_SOURCES_MAX && part->use_count <= PACKAGE_SOURCES_MAX);
    for (size_t i = 0; i < part->source_count; i++)
        MUST(part->sources[i][0] == '/' ||
             (memcmp(part->sources[i], plan->folder, folder) == 0 &&
              part->sources[i][folder] == '/'));
    for (size_t i = 0; i < part->use_count; i++)
        MUST(tci_archive_check_name(part->uses[i], TC_E_INVALID, NULL) == TC_OK);
    MUST(part->takes == NULL ||
         (part->takes[0] != '\0' && strpbrk(part->takes, "()[]{};,\"\\\n") == NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    package_plan *plan = calloc(1, sizeof *plan);
    char *text = strndup((const char *)data, size);
    tc_error err = {.status = TC_OK};
    MUST(plan != NULL && text != NULL);
    strcpy(plan->folder, "bank");
    tc_status status = package_manifest_read(text, plan, &err);
    if (status != TC_OK)
        MUST(err.status == status && strncmp(err.text, "line ", 5) == 0);
    for (size_t i = 0; status == TC_OK && i < plan->count; i++)
        check_part(plan, &plan->parts[i]);
    for (size_t i = 0; i < plan->include_count; i++)
        MUST(plan->includes[i][0] != '\0' && strpbrk(plan->includes[i], "\"\\\n") == NULL);
    package_plan_destroy(plan);
    free(text);
    return 0;
}
