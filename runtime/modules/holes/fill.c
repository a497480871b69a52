/* tc_ifunc_holes and tc_ifunc_fill: values are checked against the holes of the first image, as
 * every image of a function has the same ones, then written as a filled archive, which the
 * registry opens. */
#include "base/error_text.h"
#include "base/near_name.h"
#include "base/sized_struct.h"
#include "image.h"
#include "modules/holes/filled.h"

#include <stdlib.h>
#include <tc/abi.h>
#include <tc/ifunc.h>

typedef struct given_values {
    const uint8_t *items; /* of the program's tc_hole_value, which may have another size */
    size_t count, item_size;
} given_values;

static int find_hole(const tci_image *image, const char *name)
{
    for (uint32_t i = 0; i < image->hole_count; i++) {
        if (strcmp(image->holes[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

static tc_status report_unknown(const tc_ifunc *fn, const tci_image *image, const char *name,
                                tc_error *err)
{
    const char *nearest = NULL;
    size_t best = TCI_NEAR_NAME_MAX;
    for (uint32_t i = 0; i < image->hole_count; i++) {
        if (tci_near_name(name, image->holes[i].name, &best))
            nearest = image->holes[i].name;
    }
    return tci_error_set(err, TC_E_NOT_FOUND, "%s has no hole '%.80s'; %s %s",
                         tci_archive_name(fn->archive), name,
                         nearest != NULL ? "is it" : "it has",
                         nearest != NULL ? nearest : image->holes[0].name);
}

static tc_status check_kind(const char *function, const tci_image_hole *hole, tc_hole_kind kind,
                            tc_error *err)
{
    static const char *const kinds[] = {"bytes", "an integer", "a floating-point number"};
    if ((unsigned)kind > TC_HOLE_FLOATING)
        return tci_error_set(err, TC_E_INVALID,
                             "%s: the value of hole %s is of kind %d, known are 0 to %d",
                             function, hole->name, (int)kind, TC_HOLE_FLOATING);
    if (kind == TC_HOLE_BYTES || hole->kind == TCI_HOLE_ANY || hole->kind == (uint32_t)kind)
        return TC_OK;
    return tci_error_set(err, TC_E_INVALID, "%s: hole %s is %s of %u bytes, its value %s",
                         function, hole->name, kinds[hole->kind], hole->bytes, kinds[kind]);
}

static tc_status take_value(const tc_ifunc *fn, const tci_image *image,
                            const tc_hole_value *given, tci_values *values, tc_error *err)
{
    const char *function = tci_archive_name(fn->archive);
    if (given->name == NULL || given->value == NULL)
        return tci_error_set(err, TC_E_INVALID, "%s: a value without a %s", function,
                             given->name == NULL ? "name" : "pointer to its bytes");
    const int found = find_hole(image, given->name);
    if (found < 0)
        return report_unknown(fn, image, given->name, err);
    const tci_image_hole *hole = &image->holes[found];
    TC_TRY(check_kind(function, hole, given->kind, err));
    if (given->size != hole->bytes)
        return tci_error_set(err, TC_E_INVALID, "%s: hole %s has %u bytes, its value %zu",
                             function, hole->name, hole->bytes, given->size);
    if (values->items[found].bytes != NULL)
        return tci_error_set(err, TC_E_INVALID, "%s: two values for hole %s", function,
                             hole->name);
    values->items[found] = (tci_value){given->value, hole->bytes};
    return TC_OK;
}

static tc_status take_values(const tc_ifunc *fn, const given_values *given, tci_values *values,
                             tc_error *err)
{
    tci_image image;
    tc_hole_value one;
    TC_TRY(tci_image_open_slice(fn->archive, 0, &image, err));
    for (size_t i = 0; i < given->count; i++) {
        TC_TRY(tci_sized_struct_take(&one, sizeof one, given->items + i * given->item_size,
                                     given->item_size, err));
        TC_TRY(take_value(fn, &image, &one, values, err));
    }
    for (; values->count < image.hole_count; values->count++) {
        if (values->items[values->count].bytes == NULL)
            return tci_error_set(err, TC_E_INVALID, "%s: hole %s has no value",
                                 tci_archive_name(fn->archive),
                                 image.holes[values->count].name);
    }
    return TC_OK;
}

/* The registry checks the code, and finds a function that was filled so before. */
static tc_status open_filled(tc_ifunc *fn, const tci_filled_archive *filled,
                             tc_ifunc **filled_out, tc_error *err)
{
    uint8_t bytes[TCI_FILLED_BYTES_MAX];
    const tci_code_bytes code = tci_registry_bytes(fn);
    const tci_registry_code parts = {.archive = bytes,
                                     .archive_size = tci_filled_archive_write(filled, bytes),
                                     .deps = code.deps,
                                     .deps_size = code.deps_size};
    return tci_registry_add(fn->registry, &parts, filled_out, err);
}

tc_status tc_ifunc_fill_sized(tc_ifunc *fn, const tc_hole_value *values, size_t count,
                              size_t value_size, tc_ifunc **filled_out, tc_error *err)
{
    const given_values given = {(const uint8_t *)values, count, value_size};
    tci_filled_archive filled = {.code = fn->id, .archive_size = (uint32_t)fn->archive_size};
    if (!fn->unfilled)
        return tci_error_set(err, TC_E_INVALID, "%s %s", tci_archive_name(fn->archive),
                             fn->filled != NULL ? "has its values already" : "has no holes");
    TC_TRY(tci_filled_check_code(fn->archive, err));
    tci_registry_retain(fn);
    tc_status status = take_values(fn, &given, &filled.values, err);
    if (status == TC_OK)
        status = open_filled(fn, &filled, filled_out, err);
    tci_registry_release(fn);
    return status;
}

size_t tc_ifunc_holes_sized(const tc_ifunc *fn, tc_hole_info *infos, size_t count,
                            size_t info_size)
{
    tci_image image;
    if (!fn->unfilled || tci_filled_check_code(fn->archive, NULL) != TC_OK ||
        tci_image_open_slice(fn->archive, 0, &image, NULL) != TC_OK)
        return 0;
    for (uint32_t i = 0; i < image.hole_count && i < count; i++) {
        const tci_image_hole *hole = &image.holes[i];
        const tc_hole_info info = {hole->name, hole->bytes, (tc_hole_kind)hole->kind};
        tci_sized_struct_fill((uint8_t *)infos + i * info_size, info_size, &info, sizeof info);
    }
    return image.hole_count;
}
