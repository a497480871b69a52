#include "modules/calls/group_program.h"

#include "base/error_text.h"
#include "modules/calls/groups.h"

#include <stdlib.h>
#include <string.h>

tc_status tci_group_program_begin(const tci_rendezvous_self *self,
                                  tci_group_programs **programs_out, tc_error *err)
{
    *programs_out = NULL;
    if (self->program_name[0] == '\0')
        return TC_OK;
    /* bound: TC_GROUP_SIZE_MAX */
    *programs_out = calloc(1, sizeof **programs_out + self->size);
    if (*programs_out == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "group: out of memory");
    return TC_OK;
}

tc_status tci_group_program_note(tci_group_programs *programs, uint32_t rank,
                                 const tci_job_address *address, tc_error *err)
{
    const int size = (int)address->name_size;
    if (programs == NULL && address->name == NULL)
        return TC_OK;
    if (programs == NULL || address->name == NULL)
        return tci_error_set(err, TC_E_CORRUPT,
                             "it runs %s of the job, and this process %s: expected the same "
                             "environment (" TCI_RUN_ENV_PROGRAM ") on all",
                             programs == NULL ? "a program" : "no named program",
                             programs == NULL ? "no named one" : "does");
    char *name = programs->names[address->program];
    if (name[0] == '\0')
        memcpy(name, address->name, address->name_size);
    if (strlen(name) != address->name_size ||
        memcmp(name, address->name, address->name_size) != 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "it calls program %u '%.*s', expected '%s' as others call it",
                             address->program, size, address->name, name);
    programs->of_rank[rank] = (uint8_t)address->program;
    return TC_OK;
}

uint32_t tc_group_program(const tc_group *group, uint32_t rank, const char **name_out)
{
    const char *name = "";
    uint32_t number = TC_PROGRAM_NONE;
    if (group != NULL && rank < group->size) {
        const tci_group_programs *programs = group->programs;
        number = programs != NULL ? programs->of_rank[rank] : 0;
        name = programs != NULL ? programs->names[number] : "";
    }
    if (name_out != NULL)
        *name_out = name;
    return number;
}
