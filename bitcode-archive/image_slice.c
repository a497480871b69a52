/* Opens the image of a slice, and checks the parts that only the archive around it
 * determines. */
#include "image.h"

#include "archive_layout.h"
#include "base/error_text.h"
#include "image_holes.h"

static bool is_of(tci_image_machine machine, const char *triple)
{
    unsigned target = tci_target_number(triple);
    return machine == TCI_IMAGE_X86_64 ? target == TCI_TARGET_X86_64_LINUX
                                       : target == TCI_TARGET_AARCH64_LINUX;
}

tc_status tci_image_open_slice(const tci_archive *archive, size_t index, tci_image *image_out,
                               tc_error *err)
{
    const tci_slice *slice = tci_archive_slice(archive, index);
    const char *name = tci_archive_name(archive);
    tci_image image;
    if (slice->form != TCI_FORM_IMAGE)
        return tci_error_set(err, TC_E_INVALID, "archive %s: slice %zu is no image", name,
                             index);
    tc_status status =
        tci_image_open(tci_archive_slice_bytes(archive, index), slice->size, &image, err);
    if (status != TC_OK) {
        tci_error_prefix(err, "archive %s: slice %zu", name, index);
        return status;
    }
    if (!is_of(image.machine, slice->triple))
        return tci_error_set(err, TC_E_CORRUPT,
                             "archive %s: slice %zu for %s holds an image for machine %u", name,
                             index, slice->triple, (unsigned)image.machine);
    const unsigned life = image.entries & TCI_ENTRY_LIFE;
    if ((image.entries & TCI_ENTRY_PLACES) !=
            (tci_archive_entries(archive) & TCI_ENTRY_PLACES) ||
        (life & ~tci_archive_entries(archive)) != 0)
        return tci_error_set(err, TC_E_CORRUPT,
                             "archive %s: slice %zu: the image has entry bits %u, expected %u",
                             name, index, image.entries, tci_archive_entries(archive));
    if (image.symbol_count > slice->symbol_count)
        return tci_error_set(err, TC_E_CORRUPT,
                             "archive %s: slice %zu: the image uses symbol %u of %zu", name,
                             index, image.symbol_count, slice->symbol_count);
    image.values = tci_archive_values(archive);
    if (image.values != NULL)
        TC_TRY(tci_image_holes_fit(&image, image.values, err));
    image.entries = (tci_archive_entries(archive) & ~(unsigned)TCI_ENTRY_LIFE) | life;
    *image_out = image;
    return TC_OK;
}
