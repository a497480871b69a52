/* The public functions of the module libraries in a build without it: they report that it is
 * absent. Without it no library and no package is ever opened. */
#include "context/absent.h"

#include <tc/library.h>
#include <tc/package.h>

TCI_ABSENT("libraries", tc_library_open, tc_context *ctx, const char *name,
           tc_library **library_out)
TCI_ABSENT("libraries", tc_library_open_code_sized, tc_context *ctx, const tc_code *code,
           size_t code_size, size_t slice_size, tc_library **library_out)
void tc_library_close(tc_library *library)
{
}
TCI_ABSENT_VALUE("", const char *, tc_library_name, const tc_library *library)
void tc_library_id(const tc_library *library, uint8_t id_out[TC_IFUNC_ID_BYTES])
{
}
TCI_ABSENT("libraries", tc_library_push, tc_ep *ep, tc_library *library, uint64_t timeout_ns)
TCI_ABSENT("libraries", tc_library_withdraw, tc_ep *ep, tc_library *library,
           uint64_t timeout_ns)
TCI_ABSENT("libraries", tc_library_install, tc_context *ctx, tc_library *library)
TCI_ABSENT("libraries", tc_library_remove, tc_context *ctx, const char *name)
TCI_ABSENT_VALUE(0, size_t, tc_library_list_sized, tc_context *ctx, tc_library_info *infos,
                 size_t count, size_t info_size)
TCI_ABSENT_VALUE(NULL, void *, tc_library_symbol, tc_context *ctx, const char *library,
                 const char *symbol)
TCI_ABSENT_VALUE(NULL, void *, tc_library_older, const char *symbol)
TCI_ABSENT("libraries", tc_package_open, tc_context *ctx, const char *path, const uint8_t *id,
           tc_package **package_out)
TCI_ABSENT("libraries", tc_package_open_code_sized, tc_context *ctx, const tc_code *code,
           size_t code_size, tc_package **package_out)
TCI_ABSENT("libraries", tc_package_use_local, tc_context *ctx, const char *path,
           tc_package **package_out)
void tc_package_close(tc_package *package)
{
}
TCI_ABSENT_VALUE("", const char *, tc_package_name, const tc_package *package)
void tc_package_id(const tc_package *package, uint8_t id_out[TC_PACKAGE_ID_BYTES])
{
}
TCI_ABSENT_VALUE(0, size_t, tc_package_count, const tc_package *package)
TCI_ABSENT_VALUE(0, uint32_t, tc_package_number, const tc_package *package, size_t place)
TCI_ABSENT_VALUE(NULL, tc_ifunc *, tc_package_ifunc, const tc_package *package, uint32_t number)
TCI_ABSENT_VALUE(NULL, tc_library *, tc_package_library, const tc_package *package,
                 uint32_t number)
TCI_ABSENT_VALUE(NULL, tc_ifunc *, tc_package_find, const tc_package *package, const char *name)
TCI_ABSENT("libraries", tc_package_push, tc_ep *ep, const tc_package *package,
           uint64_t timeout_ns)
TCI_ABSENT("libraries", tc_package_install, tc_context *ctx, const tc_package *package)
TCI_ABSENT("libraries", tc_package_prepare, tc_ep *ep, const tc_package *package,
           uint64_t timeout_ns)
