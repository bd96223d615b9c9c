// Looks up the registers of the keys of arriving rows. A batch costs one request to the store, and
// two where its rows must be compared with kept rows. The first is made while earlier batches are
// still being merged, so their registers are put over what it found.

import {
  compareVersions,
  HEAD_BYTES,
  needsContents,
  type RegisterHead,
  readRegister,
} from '../../engine/index'
import type { KeyedStore, MaybePromise } from '../keyed-store'
import type { ChangeOptions, RowArrival } from './register-change'
import type { Turn } from './turns'

/** The registers of some keys; undefined for a key without one. */
export type Registers = readonly (Uint8Array | undefined)[]

export class RegisterLookUp {
  readonly #store: KeyedStore
  readonly #changes: ChangeOptions

  constructor(store: KeyedStore, changes: ChangeOptions = {}) {
    this.#store = store
    this.#changes = changes
  }

  /** Returns what the store has now: whole registers where changes have them, else their heads. */
  begin(arrivals: readonly RowArrival[]): MaybePromise<Registers> {
    const keys = arrivals.map(({ key }) => key)
    return this.#store.getMany(keys, this.#changes.before ? {} : { firstBytes: HEAD_BYTES })
  }

  /**
   * Waits for the batches ahead, and returns the register of each row's key after them: whole where
   * the merge needs it, else at least its head.
   * @param found what {@link begin} returned while they were being merged
   */
  async finish(
    arrivals: readonly RowArrival[],
    found: Registers,
    ahead: readonly Turn[],
  ): Promise<Registers> {
    for (const { ended } of ahead) await ended
    const registers = newestOf(arrivals, found, ahead)
    if (this.#changes.before) return registers
    const open = new Set<string>()
    for (let n = 0; n < arrivals.length; n++) {
      const register = registers[n]
      const { key, head } = arrivals[n]!
      if (register !== undefined && this.#needsRow(head, readRegister(register))) open.add(key)
    }
    if (open.size === 0) return registers
    const wanted = [...open]
    const whole = await this.#store.getMany(wanted)
    const byKey = new Map(wanted.map((key, n) => [key, whole[n]]))
    return registers.map((register, n) => byKey.get(arrivals[n]!.key) ?? register)
  }

  #needsRow(arriving: RegisterHead, standing: RegisterHead): boolean {
    if (needsContents(arriving, standing)) return true
    const isStale = compareVersions(arriving.version, standing.version) < 0
    return isStale && !standing.version.removed && !this.#changes.effectiveOnly
  }
}

function newestOf(
  arrivals: readonly RowArrival[],
  found: Registers,
  ahead: readonly Turn[],
): Registers {
  const written = ahead.map(({ latest }) => latest).filter(({ size }) => size > 0)
  if (written.length === 0) return found
  return found.map((register, n) => {
    const { key } = arrivals[n]!
    return written.reduce((newest, latest) => latest.get(key) ?? newest, register)
  })
}
