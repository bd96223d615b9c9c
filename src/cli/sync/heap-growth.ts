// How far the heap of the process may grow between two collections. It belongs to the command line,
// because a library must not change the runtime of its caller.

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** The default of V8 lets a small heap grow to several times its size, all of it garbage. */
const GROWTH_PERCENT = 150
/**
 * The growth while a state is read. V8 counts the blocks, which lie outside of its heap, towards the
 * limit of the heap, and a small heap would leave only a few megabytes for them.
 */
const READING_PERCENT = 200
/**
 * The bytecode that V8 puts into one function in place of its calls. What takes the time of an export
 * are few loops, and compiling all that a long function calls would take longer than it saves.
 */
const INLINED_BYTES = 200
/**
 * Size of each half of the young generation. A collection of rows leaves about 1 MB of it, and in
 * the default of V8, twice this size, the rest is garbage.
 */
export const YOUNG_BYTES = 8 * 2 ** 20
/** An array of these takes 64 KiB. */
const ARRAY_LENGTH = 2 ** 13
/** Arrays after which {@link growYoungGeneration} gives up: the user may have set a lower limit. */
const MOST_ARRAYS = 2 ** 9

/**
 * Lets V8 collect old objects as soon as they have grown by {@link GROWTH_PERCENT} since the last
 * collection, and young ones at the latest when they take {@link YOUNG_BYTES}.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
  growYoungGeneration()
  // The option --max-semi-space-size has no effect on a process that runs.
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** Lets V8 collect garbage less often while a state is read, and compile less of it. */
export function raiseHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${READING_PERCENT}`)
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${INLINED_BYTES}`)
}

/**
 * Brings the young generation to its size at once, by objects that survive collections: with the
 * growth factor 1 it would stay as small as it is at the start of a process.
 */
function growYoungGeneration(): void {
  const survivors: number[][] = []
  while (youngBytes() <= YOUNG_BYTES / 2 && survivors.length < MOST_ARRAYS)
    survivors.push(new Array<number>(ARRAY_LENGTH).fill(survivors.length))
}

/** Returns the size of the half of the young generation that is in use. */
export function youngBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  return space === undefined ? YOUNG_BYTES : space.space_used_size + space.space_available_size
}
