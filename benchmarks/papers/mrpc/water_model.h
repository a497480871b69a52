/* Molecules of water: three charges each, joined by springs, in a box that repeats.
 *
 * Lengths are in nm, times in ps, masses in unified atomic mass units, energies in kJ/mol.
 * Motion is by a predictor and a corrector of the fifth order (Gear). Forces are added in fixed
 * point, so a step has the same bits however molecules are spread over processes. */
#ifndef TC_WATER_MODEL_H
#define TC_WATER_MODEL_H

#include "water.h"

#include <stdbool.h>

#define WATER_ORDERS 6u
#define WATER_FIXED 1048576.0 /* units of a force and of an energy in fixed point */

typedef struct water_model {
    uint32_t molecules;
    uint64_t seed;
    double side;   /* of the box */
    double cutoff; /* between oxygens: half the side */
} water_model;

/* The position and its derivatives: the k-th times step^k / k!. */
typedef struct water_motion {
    double of[WATER_ORDERS][WATER_NUMBERS];
} water_motion;

water_model water_model_of(uint32_t molecules, uint64_t seed);

/* At rest, on a grid, in a direction of its own. */
void water_model_initial(const water_model *model, uint32_t molecule, water_motion *motion_out);

void water_model_predict(water_motion *motion, water_positions *positions_out);
void water_model_correct(water_motion *motion, const water_forces *forces);

/* Adds the forces of a molecule's springs. Returns their energy. */
int64_t water_model_inside(const water_positions *at, water_forces *forces);

/* Adds the forces between two molecules to both. Returns their energy; 0, and nothing is added,
 * beyond the cutoff. */
int64_t water_model_between(const water_model *model, const water_positions *a,
                            const water_positions *b, water_forces *on_a, water_forces *on_b);

/* Each pair of molecules is a molecule and one of the next ones: the k-th, from 0 on, of
 * `water_model_partners`. */
static inline uint32_t water_model_partner(const water_model *model, uint32_t molecule,
                                           uint32_t k)
{
    return (molecule + 1 + k) % model->molecules;
}

static inline uint32_t water_model_partners(const water_model *model, uint32_t molecule)
{
    const uint32_t half = model->molecules / 2;
    return model->molecules % 2 == 0 && molecule >= half ? half - 1 : half;
}

/* All molecules after some steps: `positions_out` and, of the last step, the energies of each
 * molecule's springs and of its pairs with partners. False when out of memory. */
bool water_model_run_serial(const water_model *model, uint64_t steps,
                            water_positions *positions_out, int64_t *energies_out);

#endif
