#include "water_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP 0.0002   /* ps */
#define VOLUME 0.0299 /* nm^3 of a molecule, as of water at 25 degrees */
#define MASS_O 15.9994
#define MASS_H 1.008
#define BOND 0.1012          /* nm between O and H */
#define BOND_SPRING 443153.0 /* kJ/mol/nm^2 */
#define ANGLE 0.1670         /* nm between H and H */
#define ANGLE_SPRING 50000.0 /* the same */
#define COULOMB 138.935      /* kJ/mol nm, of two unit charges */
#define CHARGE_H 0.41        /* O has twice the opposite */
#define ATTRACTION 2.617e-3  /* kJ/mol nm^6, of two oxygens */
#define REPULSION 2.634e-6   /* kJ/mol nm^12 */

static const double correction[WATER_ORDERS] = {3.0 / 20,  251.0 / 360, 1,
                                                11.0 / 18, 1.0 / 6,     1.0 / 60};

static int64_t fixed(double value)
{
    return (int64_t)(value * WATER_FIXED);
}

static double fraction(uint64_t number)
{
    uint64_t x = (number + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    return (double)(x >> 11) / 9007199254740992.0; /* 2 to the 53rd */
}

/* --- motion ------------------------------------------------------------------------------ */

water_model water_model_of(uint32_t molecules, uint64_t seed)
{
    const double side = cbrt(VOLUME * molecules);
    return (water_model){
        .molecules = molecules, .seed = seed, .side = side, .cutoff = side / 2};
}

void water_model_initial(const water_model *model, uint32_t molecule, water_motion *motion_out)
{
    const uint32_t row = (uint32_t)ceil(cbrt((double)model->molecules));
    const double pitch = model->side / row, turn = 6.28318530717958647693;
    const uint32_t cell[3] = {molecule % row, molecule / row % row, molecule / row / row};
    const double around = turn * fraction(model->seed * 2 + molecule * 2);
    const double up = 2 * fraction(model->seed * 2 + molecule * 2 + 1) - 1;
    const double flat = sqrt(1 - up * up);
    /* Two unit vectors at right angles: that of symmetry, and that from H to H. */
    const double axis[3] = {flat * cos(around), flat * sin(around), up};
    const double across[3] = {-sin(around), cos(around), 0};
    const double height = sqrt(BOND * BOND - ANGLE * ANGLE / 4);
    memset(motion_out, 0, sizeof *motion_out);
    for (uint32_t k = 0; k < 3; k++) {
        const double oxygen = pitch * (cell[k] + 0.5);
        motion_out->of[0][k] = oxygen;
        motion_out->of[0][3 + k] = oxygen + height * axis[k] + ANGLE / 2 * across[k];
        motion_out->of[0][6 + k] = oxygen + height * axis[k] - ANGLE / 2 * across[k];
    }
}

/* A Taylor series, by the triangle of Pascal. */
void water_model_predict(water_motion *motion, water_positions *positions_out)
{
    for (uint32_t from = 0; from < WATER_ORDERS - 1; from++) {
        for (uint32_t order = WATER_ORDERS - 1; order > from; order--) {
            for (uint32_t k = 0; k < WATER_NUMBERS; k++)
                motion->of[order - 1][k] += motion->of[order][k];
        }
    }
    memcpy(positions_out->at, motion->of[0], sizeof positions_out->at);
}

void water_model_correct(water_motion *motion, const water_forces *forces)
{
    for (uint32_t k = 0; k < WATER_NUMBERS; k++) {
        const double mass = k < 3 ? MASS_O : MASS_H;
        const double force = (double)forces->on[k] / WATER_FIXED;
        const double error = force / mass * (STEP * STEP / 2) - motion->of[2][k];
        for (uint32_t order = 0; order < WATER_ORDERS; order++)
            motion->of[order][k] += correction[order] * error;
    }
}

/* --- forces ------------------------------------------------------------------------------ */

/* A spring between two atoms of a molecule. */
static double pull(const water_positions *at, uint32_t a, uint32_t b, double length,
                   double spring, water_forces *forces)
{
    double d[3], square = 0;
    for (uint32_t k = 0; k < 3; k++) {
        d[k] = at->at[3 * a + k] - at->at[3 * b + k];
        square += d[k] * d[k];
    }
    const double distance = sqrt(square), stretch = distance - length;
    for (uint32_t k = 0; k < 3; k++) {
        const int64_t force = fixed(-spring * stretch / distance * d[k]);
        forces->on[3 * a + k] += force;
        forces->on[3 * b + k] -= force;
    }
    return spring * stretch * stretch / 2;
}

int64_t water_model_inside(const water_positions *at, water_forces *forces)
{
    return fixed(pull(at, 0, 1, BOND, BOND_SPRING, forces)) +
           fixed(pull(at, 0, 2, BOND, BOND_SPRING, forces)) +
           fixed(pull(at, 1, 2, ANGLE, ANGLE_SPRING, forces));
}

/* The energy of two atoms, and their force by their distance. */
static double attract(double square, uint32_t a, uint32_t b, double *force_out)
{
    const double charge =
        (a == 0 ? -2 * CHARGE_H : CHARGE_H) * (b == 0 ? -2 * CHARGE_H : CHARGE_H);
    const double inverse = 1 / square, coulomb = COULOMB * charge * sqrt(inverse);
    double energy = coulomb, force = coulomb * inverse;
    if (a == 0 && b == 0) {
        const double sixth = inverse * inverse * inverse;
        energy += (REPULSION * sixth - ATTRACTION) * sixth;
        force += (12 * REPULSION * sixth - 6 * ATTRACTION) * sixth * inverse;
    }
    *force_out = force;
    return energy;
}

/* All of a molecule is moved by sides of the box, so that its oxygen is near the other one. */
static bool is_near(const water_model *model, const water_positions *a,
                    const water_positions *b, double shift_out[3])
{
    double square = 0;
    for (uint32_t k = 0; k < 3; k++) {
        const double d = a->at[k] - b->at[k];
        shift_out[k] = model->side * floor(d / model->side + 0.5);
        square += (d - shift_out[k]) * (d - shift_out[k]);
    }
    return square < model->cutoff * model->cutoff;
}

int64_t water_model_between(const water_model *model, const water_positions *a,
                            const water_positions *b, water_forces *on_a, water_forces *on_b)
{
    double shift[3], energy = 0;
    if (!is_near(model, a, b, shift))
        return 0;
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < 3; j++) {
            double d[3], square = 0, force;
            for (uint32_t k = 0; k < 3; k++) {
                d[k] = a->at[3 * i + k] - b->at[3 * j + k] - shift[k];
                square += d[k] * d[k];
            }
            energy += attract(square, i, j, &force);
            for (uint32_t k = 0; k < 3; k++) {
                const int64_t part = fixed(force * d[k]);
                on_a->on[3 * i + k] += part;
                on_b->on[3 * j + k] -= part;
            }
        }
    }
    return fixed(energy);
}

/* --- one process ------------------------------------------------------------------------- */

static void run_step(const water_model *model, water_motion *motions,
                     water_positions *positions, water_forces *forces, int64_t *energies)
{
    const uint32_t count = model->molecules;
    memset(forces, 0, count * sizeof *forces);
    for (uint32_t i = 0; i < count; i++)
        water_model_predict(&motions[i], &positions[i]);
    for (uint32_t i = 0; i < count; i++) {
        energies[i] = water_model_inside(&positions[i], &forces[i]);
        for (uint32_t k = 0; k < water_model_partners(model, i); k++) {
            const uint32_t j = water_model_partner(model, i, k);
            energies[i] += water_model_between(model, &positions[i], &positions[j], &forces[i],
                                               &forces[j]);
        }
    }
    for (uint32_t i = 0; i < count; i++)
        water_model_correct(&motions[i], &forces[i]);
}

bool water_model_run_serial(const water_model *model, uint64_t steps,
                            water_positions *positions_out, int64_t *energies_out)
{
    water_motion *motions = malloc(model->molecules * sizeof *motions);
    water_forces *forces = malloc(model->molecules * sizeof *forces);
    const bool ok = motions != NULL && forces != NULL;
    for (uint32_t i = 0; ok && i < model->molecules; i++)
        water_model_initial(model, i, &motions[i]);
    for (uint64_t step = 0; ok && step < steps; step++)
        run_step(model, motions, positions_out, forces, energies_out);
    for (uint32_t i = 0; ok && i < model->molecules; i++)
        memcpy(positions_out[i].at, motions[i].of[0], sizeof positions_out[i].at);
    free(motions);
    free(forces);
    return ok;
}
