/* Calls the functions of several.h of every language, with stubs and with bytes made by hand.
 * Messages that lie about their lengths are refused by all, and so are other prototypes.
 *   several_from_c SEVERAL.TXT ADDRESS FOLDER LANGUAGE... */
#include "golden.h"
#include "several_calls.h"

#include <tc/tc.h>

struct to {
    tc_context *ctx;
    tc_ep *ep;
    const char *golden, *folder, *language;
};

static tc_ifunc *open_function(const struct to *to, const char *name)
{
    char path[1024];
    tc_ifunc *fn;
    tc_error err;
    snprintf(path, sizeof path, "%s/%s_%s.tca", to->folder, name, to->language);
    tc_status status = tc_ifunc_open_code(to->ctx, &(tc_code){.path = path}, &fn, &err);
    require(status == TC_OK, name, to->language, err.text);
    return fn;
}

/* --- by hand ------------------------------------------------------------------------------ */

/* Four bytes behind the tally fill it up, and may have any value. */
static void hide_padding(const char *name, unsigned char *answer)
{
    if (strncmp(name, "blend", 5) == 0)
        memset(answer + 28, 0, 4);
}

static void call_with_bytes(const struct to *to, tc_ifunc *fn, const char *name)
{
    unsigned char message[GOLDEN_MAX], expected[GOLDEN_MAX], answer[GOLDEN_MAX];
    char answer_name[32];
    tc_error err;
    const size_t size = golden_bytes(to->golden, name, message);
    snprintf(answer_name, sizeof answer_name, "%s_answer", name);
    const size_t expected_size = golden_bytes(to->golden, answer_name, expected);
    size_t found = sizeof answer;
    tc_status status = tc_call(to->ep, fn, message, size, answer, &found, TC_SECONDS(30), &err);
    require(status == TC_OK, name, to->language, err.text);
    hide_padding(name, answer);
    require(found == expected_size && memcmp(answer, expected, found) == 0, name, to->language,
            "another answer than in the file");
}

/* A number of the message that is a lie: at an offset of its fixed part. Where it is the
 * capacity of an array that is only answered, the language may have refused the memory. */
static const struct lie {
    const char *name;
    size_t offset; /* of a u64; GOLDEN_MAX: the message has `size` bytes less */
    size_t size;
    uint64_t value;
    bool is_capacity;
} lies[] = {
    {"blend", 16, 0, UINT64_MAX, false},
    {"blend", 16, 0, 83, false},
    {"blend", 24, 0, UINT64_MAX / 8 + 2, false}, /* times 8 it is 8 */
    {"blend", 24, 0, 7, false},
    {"blend", 32, 0, UINT64_MAX / 4 + 2, true},
    {"blend", GOLDEN_MAX, 1, 0, false},
    {"blend", GOLDEN_MAX, 60, 0, false},
    {"blend", GOLDEN_MAX, 100, 0, false},
    {"gather", 0, 0, UINT64_MAX, false},
    {"gather", 0, 0, UINT64_MAX / 2 + 4, false},
    {"gather", 0, 0, 4, false}, /* the rest is no whole number of points */
    {"gather", 16, 0, UINT64_MAX / 4 + 2, true},
    {"gather", GOLDEN_MAX, 2, 0, false},
    {"gather", GOLDEN_MAX, 40, 0, false},
    {"join", 0, 0, 7, false},
    {"join", 0, 0, UINT64_MAX, false},
    {"join", 8, 0, UINT64_MAX - 7, true},
    {"join", GOLDEN_MAX, 7, 0, false},
};

static void call_with_lies(const struct to *to, tc_ifunc *fn, const char *name)
{
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        const struct lie *lie = &lies[i];
        unsigned char message[GOLDEN_MAX], answer[GOLDEN_MAX];
        size_t size = golden_bytes(to->golden, name, message), found = sizeof answer;
        char text[64];
        tc_error err;
        if (strcmp(lie->name, name) != 0)
            continue;
        if (lie->offset < GOLDEN_MAX)
            memcpy(message + lie->offset, &lie->value, sizeof lie->value);
        size -= lie->size;
        snprintf(text, sizeof text, "lie %zu: not refused", i);
        tc_status status =
            tc_call(to->ep, fn, message, size, answer, &found, TC_SECONDS(30), &err);
        const bool is_refused = status == TC_E_INVALID || (lie->is_capacity && status != TC_OK);
        require(is_refused, name, to->language, status == TC_OK ? text : err.text);
    }
}

/* Where a language's texts are UTF-8 the function gets no other bytes. */
static void call_with_broken_text(const struct to *to, tc_ifunc *fn)
{
    unsigned char message[GOLDEN_MAX], answer[GOLDEN_MAX];
    size_t size = golden_bytes(to->golden, "join", message), found = sizeof answer;
    tc_error err;
    message[18] = 0xff;
    tc_status status = tc_call(to->ep, fn, message, size, answer, &found, TC_SECONDS(30), &err);
    const int is_checked = strcmp(to->language, "rust") == 0;
    require(status == (is_checked ? TC_E_INVALID : TC_OK), "a broken text", to->language,
            status == TC_OK ? "not refused" : err.text);
}

/* --- prototypes --------------------------------------------------------------------------- */

static void refuse_prototypes(const struct to *to, tc_ifunc *fn, const char *const *others)
{
    for (; *others != NULL; others++) {
        tc_error err = {TC_OK, ""};
        tc_status status = tc_ifunc_check_prototype(fn, *others, &err);
        require(status == TC_E_VERSION, *others, to->language, "agrees");
        require(strstr(err.text, *others) != NULL &&
                    strstr(err.text, tc_ifunc_prototype(fn)) != NULL,
                *others, to->language, err.text);
    }
}

/* --- stubs -------------------------------------------------------------------------------- */

static void blend_with_stubs(const struct to *to, tc_ifunc *fn)
{
    const double a[] = {1, 2, 3, 4, 5};
    float values[] = {1.5F, 2.25F, -1};
    const int32_t expected[] = {'h', 0xc3, 0xa9, 0xc3, 0xa9, -1};
    int32_t codes[6];
    struct tally tally;
    double sum = 0;
    tc_error err;
    tc_status status = blend_call(to->ep, fn, (struct limits){1.5, 4}, "h\xc3\xa9\xc3\xa9", a,
                                  5, values, 3, &tally, codes, 6, true, &sum, 0, &err);
    require(status == TC_OK, "blend", to->language, err.text);
    require(sum == 9 && tally.sum == 2.75 && tally.count == 5, "blend", to->language,
            "another sum or tally");
    require(values[0] == 3 && values[1] == 4.5F && values[2] == -2, "blend", to->language,
            "other values");
    require(memcmp(codes, expected, sizeof expected) == 0, "blend", to->language,
            "other codes");
    status = blend_call(to->ep, fn, (struct limits){0, 0}, "", NULL, 0, NULL, 0, &tally, NULL,
                        0, false, &sum, 0, &err);
    require(status == TC_OK && sum == 0 && tally.sum == 0 && tally.count == 0, "blend of none",
            to->language, "another answer");
}

static void gather_with_stubs(const struct to *to, tc_ifunc *fn)
{
    const uint16_t which[] = {2, 0, 7};
    const struct point points[] = {{1, -2}, {3, 4}, {-5, 6}};
    const int16_t expected[] = {-15, 18, 3, -6, 0, 0, 0, 0};
    struct point found[4];
    tc_error err;
    tc_status status = gather_call(to->ep, fn, which, 3, 3, points, 3, found, 4, 0, &err);
    require(status == TC_OK, "gather", to->language, err.text);
    require(memcmp(found, expected, sizeof expected) == 0, "gather", to->language,
            "other points");
}

static void join_with_stubs(const struct to *to, tc_ifunc *fn)
{
    uint8_t both[8];
    tc_error err;
    tc_status status = join_call(to->ep, fn,
                                 "a\xc3\xb1"
                                 "b",
                                 "cd", both, 8, true, 0, &err);
    require(status == TC_OK, "join", to->language, err.text);
    require(memcmp(both,
                   "cda\xc3\xb1"
                   "b\0\0",
                   8) == 0,
            "join", to->language, "other bytes");
}

/* No answer that lies is taken for one, whatever the function's prototype. */
static void call_a_liar(struct to to)
{
    to.language = "liar";
    tc_ifunc *fn = open_function(&to, "blend");
    for (size_t lie = 1; lie <= 4; lie++) {
        float values[3] = {1, 2, 3};
        int32_t codes[4];
        struct tally tally;
        double sum = 7;
        tc_error err = {TC_OK, ""};
        tc_status status = blend_call(to.ep, fn, (struct limits){0, 0}, "", NULL, 0, values, 3,
                                      &tally, codes, lie, false, &sum, 0, &err);
        require(status == TC_E_INVALID && sum == 7 && values[0] == 1, "an answer that lies",
                to.language, status == TC_OK ? "taken" : err.text);
    }
    tc_ifunc_close(fn);
}

static void call_all(const struct to *to)
{
    static const char *const other_blends[] = {
        "({f64,f64},text,f64[],inout f32[],out {f64,u32},out i32[],bool)->f64",
        "({f64,f64},text,f64[],inout f32[],out {f64,i32},out u32[],bool)->f64",
        "({f64,f64},text,f32[],inout f32[],out {f64,i32},out i32[],bool)->f64",
        "({f64,f64},f64[],text,inout f32[],out {f64,i32},out i32[],bool)->f64", NULL};
    static const char *const other_gathers[] = {"(i16[],u8,{i16,i16}[],out {i16,i16}[])",
                                                "(u16[],i8,{i16,i16}[],out {i16,i16}[])",
                                                "(u16[],u8,{i16,u16}[],out {i16,i16}[])", NULL};
    static const char *const other_joins[] = {"(text,text,out u16[],bool)",
                                              "(text,u16[],out u8[],bool)", NULL};
    tc_ifunc *blend = open_function(to, "blend"), *gather = open_function(to, "gather"),
             *join = open_function(to, "join");
    call_with_bytes(to, blend, "blend");
    call_with_bytes(to, blend, "blend_none");
    call_with_bytes(to, gather, "gather");
    call_with_bytes(to, gather, "gather_none");
    call_with_bytes(to, join, "join");
    call_with_bytes(to, join, "join_none");
    blend_with_stubs(to, blend);
    gather_with_stubs(to, gather);
    join_with_stubs(to, join);
    call_with_lies(to, blend, "blend");
    call_with_lies(to, gather, "gather");
    call_with_lies(to, join, "join");
    call_with_broken_text(to, join);
    refuse_prototypes(to, blend, other_blends);
    refuse_prototypes(to, gather, other_gathers);
    refuse_prototypes(to, join, other_joins);
    blend_with_stubs(to, blend);
    tc_ifunc_close(blend);
    tc_ifunc_close(gather);
    tc_ifunc_close(join);
}

int main(int argc, char **argv)
{
    struct to to = {.golden = argv[1], .folder = argv[3]};
    tc_error err = {TC_OK, ""};
    require(tc_context_create(NULL, &to.ctx, &err) == TC_OK, "context", "", err.text);
    require(tc_ep_connect(to.ctx, argv[2], TC_SECONDS(60), &to.ep, &err) == TC_OK, "connect",
            "", err.text);
    for (int i = 4; i < argc; i++) {
        to.language = argv[i];
        call_all(&to);
    }
    call_a_liar(to);
    tc_context_destroy(to.ctx);
    return 0;
}
