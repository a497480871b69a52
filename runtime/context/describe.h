/* This process's description of itself: versions, engine, dictionaries. */
#ifndef TCI_DESCRIBE_H
#define TCI_DESCRIBE_H

#include "core/core.h"

/* header_version: a program's TC_VERSION_NUMBER. TC_E_VERSION when this library is older. */
TC_MUST_CHECK tc_status tci_describe_check_headers(unsigned header_version, tc_error *err);

/* Puts the engine's version, the CPU and its features into the core's hello. */
void tci_describe_engine(tci_core *core);
/* Puts the dictionaries that peers may use into it. */
void tci_describe_dictionaries(tci_core *core);

#endif
