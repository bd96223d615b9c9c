// How far the heap of the process may grow between two collections. It belongs to the command line,
// because a library must not change the runtime of its caller.

import { setFlagsFromString } from 'node:v8'

/** The default of V8 lets a small heap grow to several times its size, all of it garbage. */
const GROWTH_PERCENT = 75

/**
 * Lets V8 collect garbage as soon as the heap has grown by {@link GROWTH_PERCENT} since the last
 * collection.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
}
