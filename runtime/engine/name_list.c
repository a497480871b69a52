#include "name_list.h"

#include <stdio.h>
#include <string.h>

#define ROOM_FOR_REST 32 /* " and 18446744073709551615 more" */

void tci_name_list_add(tci_name_list *list, const char *name)
{
    const char *separator = list->used == 0 ? "" : ", ";
    size_t n = strlen(separator) + strlen(name);
    list->count++;
    if (list->left_out > 0 || n >= sizeof list->text - ROOM_FOR_REST - list->used) {
        list->left_out++;
        return;
    }
    list->used += (size_t)snprintf(list->text + list->used, sizeof list->text - list->used,
                                   "%s%s", separator, name);
}

const char *tci_name_list_finish(tci_name_list *list)
{
    if (list->left_out > 0)
        (void)snprintf(list->text + list->used, sizeof list->text - list->used, "%s%zu more",
                       list->used == 0 ? "" : " and ", list->left_out);
    return list->text;
}
