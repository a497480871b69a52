/* The part of compile_wall.h that both sides have: the names of the parts. */
#include "compile_wall.h"

#include <stdio.h>
#include <string.h>

static const char *const names[TCI_WALL_PARTS] = {
    "no_new_privs", "no dump", "limit of descriptors", "Landlock", "seccomp"};

const char *tci_compile_wall_names(uint32_t parts, char text[TCI_WALL_TEXT_MAX])
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < TCI_WALL_PARTS; i++) {
        if ((parts & 1u << i) != 0)
            used += (size_t)snprintf(text + used, TCI_WALL_TEXT_MAX - used, "%s%s",
                                     used > 0 ? ", " : "", names[i]);
    }
    return text;
}
