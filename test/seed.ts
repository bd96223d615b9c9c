// Vitest loads this before each file: the properties of a run have one seed, so that a run that
// passed on a commit passes there again. FEEDMILL_SEED chooses other inputs.

import fc from 'fast-check'

export function randomSeed(): number {
  const { FEEDMILL_SEED: chosen = '1' } = process.env
  return chosen === 'random' ? Date.now() & 0x7fff_ffff : Number(chosen)
}

fc.configureGlobal({ seed: randomSeed() })
