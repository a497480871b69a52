/* The layout of an object file's sections in the memory of the image that is made of it.
 *
 *     code       executable; stubs that jump to imports; constants and addresses, while small
 *     constants  constants and addresses once they are many: not executable
 *     data       writable, zeros last */
#ifndef TCI_OBJECT_LAYOUT_H
#define TCI_OBJECT_LAYOUT_H

#include "elf_object.h"
#include "image.h"

#define TCI_PLACE_NONE UINT32_MAX

typedef struct tci_object_layout {
    size_t section_count;
    uint32_t *places; /* offset of each section; TCI_PLACE_NONE: not in the image */
    uint8_t *memory;  /* the image's, from offset 0 up */
    uint32_t memory_bytes;
    size_t segment_count;
    tci_image_segment segments[3];
    uint32_t stubs_place;
    uint32_t slots_place; /* addresses of eight bytes each */
    uint32_t eh_frame_place;
    uint32_t eh_frame_bytes; /* with its terminator; 0: absent */
} tci_object_layout;

/* Puts the sections with their bytes at their offsets, and reserves space for so many stubs of
 * stub_bytes each and so many addresses. Free it with tci_object_layout_fini, also after a
 * failure. TC_E_UNSUPPORTED (sections that an image cannot have), TC_E_TOO_LARGE, TC_E_CORRUPT,
 * TC_E_NO_MEMORY. */
tc_status tci_object_layout_make(const tci_elf_object *object, size_t stub_count,
                                 size_t stub_bytes, size_t slot_count,
                                 tci_object_layout *layout_out, tc_error *err);
void tci_object_layout_fini(tci_object_layout *layout);

#endif
