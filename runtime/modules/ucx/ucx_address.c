#include "modules/ucx/ucx_address.h"

#include "base/cursor.h"
#include "base/error_text.h"
#include "modules/ucx/ucx_posix.h"

#include <math.h>

#define TRANSPORTS_MAX 64u

/* flags of the header */
#define VERSION_MASK 0x0fu
#define HAS_NAME 0x10u
#define HAS_WORKER 0x20u
#define HAS_CLIENT 0x40u
/* flags of a device's, and of a transport's, length */
#define IS_LAST 0x80u
#define HAS_PATHS 0x40u
#define HAS_SYSTEM_DEVICE 0x20u
#define DEVICE_LENGTH_MASK 0x1fu
#define HAS_ENDPOINT 0x40u
#define LENGTH_MASK 0x3fu
/* values of a memory domain */
#define NO_DEVICE 0xffu
#define IS_EMPTY 0x80u
#define DOMAIN_MASK 0x1fu

typedef struct transport {
    uint8_t domain;
    uint16_t name; /* a checksum of the name */
    const uint8_t *device;
    size_t device_size;
    float costs[3]; /* overhead, bandwidth (negative for a shared medium), latency */
    const uint8_t *address;
    size_t size;
} transport;

typedef struct transport_list {
    transport at[TRANSPORTS_MAX];
    size_t count;
} transport_list;

/* --- reading ----------------------------------------------------------------------------- */

static float read_float(tci_reader *r)
{
    float value = 0;
    const uint8_t *bytes = tci_read_bytes(r, sizeof value);
    if (bytes != NULL)
        memcpy(&value, bytes, sizeof value);
    return value;
}

static void read_header(tci_reader *r)
{
    uint8_t header = tci_read_u8(r);
    if ((header & VERSION_MASK) != 0)
        r->failed = true;
    if (header & HAS_WORKER)
        (void)tci_read_bytes(r, sizeof(uint64_t));
    if (header & HAS_CLIENT)
        (void)tci_read_bytes(r, sizeof(uint64_t));
    if (header & HAS_NAME)
        (void)tci_read_bytes(r, tci_read_u8(r));
}

/* False: it was the last transport of the device. */
static bool read_transport(tci_reader *r, transport *t)
{
    t->name = tci_read_u16(r);
    for (size_t i = 0; i < 3; i++)
        t->costs[i] = read_float(r);
    (void)tci_read_u32(r);
    uint8_t length = tci_read_u8(r);
    t->size = length & LENGTH_MASK;
    t->address = tci_read_bytes(r, t->size);
    if (length & HAS_ENDPOINT)
        r->failed = true;
    return (length & IS_LAST) == 0 && !r->failed;
}

/* False: it was the last device. */
static bool read_device(tci_reader *r, transport_list *list)
{
    uint8_t domain = tci_read_u8(r);
    if (r->failed || domain == NO_DEVICE)
        return false;
    uint8_t length = tci_read_u8(r);
    (void)tci_read_bytes(r, (length & HAS_PATHS) ? 1 : 0);
    (void)tci_read_bytes(r, (length & HAS_SYSTEM_DEVICE) ? 1 : 0);
    transport t = {.domain = domain & DOMAIN_MASK, .device_size = length & DEVICE_LENGTH_MASK};
    t.device = tci_read_bytes(r, t.device_size);
    bool more = (domain & IS_EMPTY) == 0;
    while (more) {
        if (list->count == TRANSPORTS_MAX)
            r->failed = true;
        else
            list->count++;
        more = read_transport(r, &t);
        list->at[list->count - 1] = t;
    }
    return (length & IS_LAST) == 0 && !r->failed;
}

/* False: the address is truncated, has trailing bytes, or is of another version. */
static bool read_address(const tci_ucx_address *address, transport_list *list)
{
    tci_reader r;
    tci_reader_init(&r, address->bytes, address->size);
    list->count = 0;
    read_header(&r);
    while (read_device(&r, list))
        ;
    return !r.failed && r.at == r.size;
}

/* --- posix ------------------------------------------------------------------------------- */

static uint64_t file_id(const transport *t)
{
    return t->size >= sizeof(uint64_t) ? tci_ucx_posix_read(t->address) : 0;
}

static bool is_posix_of(const transport *t, pid_t pid)
{
    return tci_ucx_posix_is_of(file_id(t), pid);
}

/* Returns whether the two can see one another's files. */
static bool same_place(const transport *one, const transport *other)
{
    return one->device_size == other->device_size && one->size == other->size &&
           memcmp(one->device, other->device, one->device_size) == 0 &&
           memcmp(one->address + sizeof(uint64_t), other->address + sizeof(uint64_t),
                  one->size - sizeof(uint64_t)) == 0;
}

/* Returns whether the file of `t` is smaller. A file that cannot be examined is not: UCX will
 * report that it is missing. */
static bool file_is_smaller(const transport *t, const transport *other)
{
    const transport *both[] = {t, other};
    struct stat about[2];
    for (size_t i = 0; i < 2; i++) {
        if (!tci_ucx_posix_look(file_id(both[i]), &about[i]))
            return false;
    }
    return !S_ISREG(about[0].st_mode) || about[0].st_size < about[1].st_size;
}

/* Checks the file's size, because UCX maps as much of the file as its own queue takes. */
static bool is_right_posix(const transport *t, pid_t pid, const transport *own)
{
    size_t size =
        sizeof(uint64_t) + ((file_id(t) & TCI_UCX_POSIX_IN_NAMESPACE) ? sizeof(uint64_t) : 0);
    if (t->size != size || !is_posix_of(t, pid))
        return false;
    return !same_place(t, own) || !file_is_smaller(t, own);
}

/* --- checks ------------------------------------------------------------------------------ */

static const transport *find(const transport_list *list, const transport *like)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].name == like->name)
            return &list->at[i];
    }
    return NULL;
}

static bool costs_are_possible(const transport *t)
{
    return isfinite(t->costs[0]) && isfinite(t->costs[1]) && isfinite(t->costs[2]) &&
           t->costs[0] >= 0 && t->costs[1] != 0 && t->costs[2] >= 0;
}

static bool is_possible(const transport *t, pid_t pid, const transport_list *own, pid_t own_pid)
{
    if (!costs_are_possible(t))
        return false;
    const transport *like = find(own, t);
    if (like == NULL)
        return true; /* UCX ignores it */
    if (is_posix_of(like, own_pid))
        return is_right_posix(t, pid, like);
    return t->size == like->size;
}

tc_status tci_ucx_address_check(const tci_ucx_address *address, const tci_ucx_address *own,
                                tc_error *err)
{
    transport_list theirs, ours;
    if (!read_address(own, &ours))
        return TC_OK;
    if (!read_address(address, &theirs))
        return tci_error_set(err, TC_E_CORRUPT,
                             "worker address: %zu bytes are not what UCX writes",
                             address->size);
    for (size_t i = 0; i < theirs.count; i++) {
        if (!is_possible(&theirs.at[i], address->pid, &ours, own->pid))
            return tci_error_set(err, TC_E_CORRUPT,
                                 "worker address: transport %zu of %zu is not what UCX writes",
                                 i + 1, theirs.count);
    }
    return TC_OK;
}

static bool is_within_reach(const transport *t, const transport_list *own, pid_t own_pid)
{
    const transport *like = find(own, t);
    return like != NULL && is_posix_of(like, own_pid) && same_place(t, like) &&
           tci_ucx_posix_opens(file_id(t));
}

uint64_t tci_ucx_address_posix(const tci_ucx_address *address, const tci_ucx_address *own)
{
    transport_list theirs, ours;
    uint64_t domains = 0;
    if (!read_address(own, &ours) || !read_address(address, &theirs))
        return 0;
    for (size_t i = 0; i < theirs.count; i++) {
        if (is_within_reach(&theirs.at[i], &ours, own->pid))
            domains |= UINT64_C(1) << theirs.at[i].domain;
    }
    return domains;
}
