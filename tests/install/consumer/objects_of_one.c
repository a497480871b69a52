/* Opens the objects of a group of one. */
#include <stdio.h>
#include <tc/object.h>
#include <tc/tc.h>

int main(void)
{
    tc_context *ctx = NULL;
    tc_error err = {TC_OK, ""};
    tc_objects_params params = {NULL, 0, 0};
    tc_objects *objects = NULL;
    if (tc_context_create(NULL, &ctx, &err) != TC_OK ||
        tc_group_join(ctx, 0, &params.group, &err) != TC_OK ||
        tc_objects_open(ctx, &params, &objects, &err) != TC_OK ||
        tc_objects_count(objects) != 0 || tc_objects_close(objects) != TC_OK) {
        fprintf(stderr, "objects: %s\n", err.text);
        return 1;
    }
    tc_context_destroy(ctx);
    puts("no objects");
    return 0;
}
