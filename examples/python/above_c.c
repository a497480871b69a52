/* filter.py's function in C, to compare with. */
#include <stdlib.h>

#include <tc/entry.h>

enum { FOUND_MAX = 1024 };

void above_c_main(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    size_t bytes = 0;
    const double *column = tc_self_data("column", &bytes);
    if (size != sizeof(double) || column == NULL) {
        tc_reply_error(TC_E_INVALID, "expected a limit, and a node with a column");
        return;
    }
    double limit = *(const double *)payload;
    double *found = malloc(FOUND_MAX * sizeof *found);
    size_t count = 0;
    for (size_t i = 0; found != NULL && i < bytes / sizeof *column; i++) {
        if (column[i] > limit) {
            if (count == FOUND_MAX) {
                tc_reply_error(TC_E_TOO_LARGE, "more than 1024 values are above the limit");
                free(found);
                return;
            }
            found[count++] = column[i];
        }
    }
    tc_reply(found, count * sizeof *found);
    free(found);
}
