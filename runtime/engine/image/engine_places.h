/* What the rest of this folder needs of an engine's handle. */
#ifndef TCI_ENGINE_PLACES_H
#define TCI_ENGINE_PLACES_H

#include "code_arena.h"
#include "engine/engine.h"

tci_code_arena *tci_engine_arena(tci_engine_handle *handle);
/* False when the option says that bitcode alone is wanted. */
bool tci_engine_takes_images(const tci_engine_handle *handle);

#endif
