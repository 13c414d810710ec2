// How long tests wait, which follows the distance of the servers.

/** How far away the database and Temporal are: what is added to each round trip, in ms. */
export const distanceMs = Number(process.env.FAULT_DISTANCE_MS ?? 0)

/**
 * By how much the limits of tests are longer. What a test waits for are statements, above all. They take up to 20 ms each on a busy
 * machine, and the distance comes on top.
 */
export const patience = 1 + distanceMs / 20
