/* Runs an active message at a group of one. */
#include <stdio.h>
#include <tc/am.h>
#include <tc/tc.h>

static void add_one(tc_am_unit *unit)
{
    ++*(int *)unit->persistent;
}

int main(void)
{
    tc_context *ctx = NULL;
    tc_error err = {TC_OK, ""};
    tc_ams_params params = {NULL, 0, 0};
    tc_am_window_params memory = {NULL, sizeof(int), 1, 0, 0};
    tc_am_params message;
    tc_ams *ams = NULL;
    tc_am_window *window = NULL;
    tc_am_op *op = NULL;
    memset(&message, 0, sizeof message);
    message.segments = 1;
    message.bytes = sizeof(int);
    if (tc_context_create(NULL, &ctx, &err) != TC_OK ||
        tc_group_join(ctx, 0, &params.group, &err) != TC_OK ||
        tc_ams_open(ctx, &params, &ams, &err) != TC_OK ||
        tc_am_op_register(ams, "add_one", "int", add_one, &op, &err) != TC_OK ||
        tc_am_window_open(ams, &memory, 0, &window, &err) != TC_OK ||
        tc_am(window, 0, op, &message, &err) != TC_OK) {
        fprintf(stderr, "am: %s\n", err.text);
        return 1;
    }
    printf("%d active message\n", *(int *)tc_am_window_memory(window));
    if (tc_am_window_close(window, 0, &err) != TC_OK || tc_ams_close(ams) != TC_OK)
        return 1;
    tc_context_destroy(ctx);
    return 0;
}
