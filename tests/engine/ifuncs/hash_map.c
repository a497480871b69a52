/* A function of ordinary size: an open-addressing hash map that lives in the function's own
 * data. The payload is a list of commands; the target argument is the text of the answers. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SLOTS 256u
#define KEY_MAX 24

enum {
    COMMAND_PUT = 1,
    COMMAND_GET = 2,
    COMMAND_DELETE = 3,
    COMMAND_COUNT = 4,
    COMMAND_SUM = 5
};
enum { SLOT_EMPTY = 0, SLOT_USED = 1, SLOT_DELETED = 2 };

typedef struct command {
    uint32_t kind;
    uint32_t padding;
    char key[KEY_MAX];
    int64_t value;
} command;

typedef struct slot {
    uint32_t state;
    uint32_t hash;
    char key[KEY_MAX];
    int64_t value;
} slot;

static slot slots[SLOTS];
static unsigned used;
static unsigned probes;

static uint32_t hash_key(const char *key)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < KEY_MAX && key[i] != '\0'; i++) {
        hash ^= (unsigned char)key[i];
        hash *= 16777619u;
    }
    return hash;
}

static int same_key(const slot *s, uint32_t hash, const char *key)
{
    return s->state == SLOT_USED && s->hash == hash && strncmp(s->key, key, KEY_MAX) == 0;
}

static slot *find(const char *key)
{
    uint32_t hash = hash_key(key);
    for (uint32_t i = 0; i < SLOTS; i++) {
        slot *s = &slots[(hash + i) % SLOTS];
        probes++;
        if (s->state == SLOT_EMPTY)
            return NULL;
        if (same_key(s, hash, key))
            return s;
    }
    return NULL;
}

static slot *claim(const char *key)
{
    uint32_t hash = hash_key(key);
    slot *hole = NULL;
    for (uint32_t i = 0; i < SLOTS; i++) {
        slot *s = &slots[(hash + i) % SLOTS];
        probes++;
        if (same_key(s, hash, key))
            return s;
        if (s->state != SLOT_USED && hole == NULL)
            hole = s;
        if (s->state == SLOT_EMPTY)
            break;
    }
    if (hole != NULL) {
        hole->state = SLOT_USED;
        hole->hash = hash;
        memcpy(hole->key, key, KEY_MAX);
        used++;
    }
    return hole;
}

static int64_t sum(void)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (slots[i].state == SLOT_USED)
            total += slots[i].value;
    }
    return total;
}

static size_t answer(char *out, size_t room, const command *c)
{
    slot *s;
    int n = 0;
    switch (c->kind) {
    case COMMAND_PUT:
        s = claim(c->key);
        if (s != NULL)
            s->value = c->value;
        n = snprintf(out, room, "%s ", s != NULL ? "ok" : "full");
        break;
    case COMMAND_GET:
        s = find(c->key);
        if (s != NULL)
            n = snprintf(out, room, "%.*s=%lld ", KEY_MAX, s->key, (long long)s->value);
        else
            n = snprintf(out, room, "none ");
        break;
    case COMMAND_DELETE:
        s = find(c->key);
        if (s != NULL) {
            s->state = SLOT_DELETED;
            used--;
        }
        n = snprintf(out, room, "%s ", s != NULL ? "gone" : "none");
        break;
    case COMMAND_COUNT:
        n = snprintf(out, room, "%u ", used);
        break;
    case COMMAND_SUM:
        n = snprintf(out, room, "%lld ", (long long)sum());
        break;
    default:
        n = snprintf(out, room, "? ");
        break;
    }
    return n > 0 ? (size_t)n : 0;
}

void hash_map_main(void *payload, size_t payload_size, void *target_args)
{
    const command *commands = payload;
    char *out = target_args;
    size_t length = 0;
    for (size_t i = 0; i < payload_size / sizeof *commands; i++)
        length += answer(out + length, 4096 - length, &commands[i]);
    out[length] = '\0';
}
