/* Sends the messages of messages.txt as structs of C, to the functions of every language.
 *   send_in_c MESSAGES ADDRESS FOLDER LANGUAGE... */
#include "functions.h"
#include "golden.h"

#include <tc/tc.h>

static const char *messages;

struct to {
    tc_context *ctx;
    tc_ep *ep;
    const char *folder;
    const char *language;
};

static void call(const struct to *to, const char *name, const char *function, const void *data,
                 size_t size, const void *answer, size_t answer_size)
{
    unsigned char expected[GOLDEN_MAX], result[64];
    char path[1024];
    /* Padding may be anything. */
    size_t compared = answer_size == sizeof(struct weighed)
                          ? offsetof(struct weighed, count) + 4
                          : answer_size;
    size_t found = sizeof result;
    tc_ifunc *fn;
    tc_error err = {TC_OK, ""};
    require(golden_bytes(messages, name, expected) == size && memcmp(expected, data, size) == 0,
            name, to->language, "other bytes than in the file");
    snprintf(path, sizeof path, "%s/%s_%s.tca", to->folder, function, to->language);
    if (tc_ifunc_open_code(to->ctx, &(tc_code){.path = path}, &fn, &err) == TC_E_NOT_FOUND)
        return; /* not every language has every function */
    require(err.status == TC_OK, name, to->language, err.text);
    tc_status status = tc_call(to->ep, fn, data, size, result, &found, TC_SECONDS(30), &err);
    require(status == TC_OK, name, to->language, err.text);
    require(found == answer_size && memcmp(result, answer, compared) == 0, name, to->language,
            "another answer");
    tc_ifunc_close(fn);
}

static void send_all(const struct to *to)
{
    static const double values[] = {100, 1, 2, 3, 4};
    static const float few[] = {1.5F, 2.25F};
    union {
        struct over over;
        struct weigh weigh;
        struct letters letters;
        unsigned char bytes[128];
    } message = {.over = {.limit = 2.5}};
    double sum = 107, none = 0, nine = 9;
    memcpy(message.over.values, values, sizeof values);
    call(to, "over", "over", &message, offsetof(struct over, values) + sizeof values, &sum,
         sizeof sum);
    call(to, "over_none", "over", &message, offsetof(struct over, values), &none, sizeof none);

    struct weighed answer;
    memset(&answer, 0, sizeof answer);
    answer.sum = 8.875;
    answer.count = 2;
    message.weigh.scale = 0.5;
    message.weigh.shift = 7;
    memcpy(message.weigh.values, few, sizeof few);
    call(to, "weigh", "weigh", &message, offsetof(struct weigh, values) + sizeof few, &answer,
         sizeof answer);
    answer.sum = 7;
    answer.count = 0;
    call(to, "weigh_none", "weigh", &message, offsetof(struct weigh, values), &answer,
         sizeof answer);

    struct mixed mixed;
    memset(&mixed, 0, sizeof mixed);
    mixed.a = -1;
    mixed.b = 2.5;
    mixed.c = 4;
    call(to, "mixed", "mixed", &mixed, sizeof mixed, &nine, sizeof nine);

    int64_t count = 6;
    message.letters.all = 1;
    memcpy(message.letters.text, "banana", 6);
    call(to, "letters", "letters", &message, 7, &count, sizeof count);
    message.letters.all = 0;
    count = 3;
    call(to, "letters_a", "letters", &message, 7, &count, sizeof count);
    message.letters.all = 1;
    count = 0;
    call(to, "letters_none", "letters", &message, 1, &count, sizeof count);
}

/* A payload that fits no function of any language is refused by all. */
static void send_misfit(const struct to *to)
{
    char path[1024], result[8];
    size_t found = sizeof result;
    tc_ifunc *fn;
    tc_error err = {TC_OK, ""};
    snprintf(path, sizeof path, "%s/over_%s.tca", to->folder, to->language);
    require(tc_ifunc_open_code(to->ctx, &(tc_code){.path = path}, &fn, &err) == TC_OK, "misfit",
            to->language, err.text);
    tc_status status =
        tc_call(to->ep, fn, "eleven bytes", 11, result, &found, TC_SECONDS(30), &err);
    require(status == TC_E_INVALID, "misfit", to->language, "it was not refused");
}

int main(int argc, char **argv)
{
    struct to to = {.folder = argv[3]};
    tc_error err = {TC_OK, ""};
    messages = argv[1];
    require(tc_context_create(NULL, &to.ctx, &err) == TC_OK, "context", "", err.text);
    require(tc_ep_connect(to.ctx, argv[2], TC_SECONDS(60), &to.ep, &err) == TC_OK, "connect",
            "", err.text);
    for (int i = 4; i < argc; i++) {
        to.language = argv[i];
        send_all(&to);
        send_misfit(&to);
    }
    tc_context_destroy(to.ctx);
    return 0;
}
