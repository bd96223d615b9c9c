// Looks up the registers of the keys of arriving rows. A batch costs one request to the store, and
// two where its rows must be compared with kept rows. The first is made while earlier batches are
// still being merged, so their registers are put over what it found: each batch has its turn.

import {
  compareVersions,
  HEAD_BYTES,
  needsContents,
  type RegisterHead,
  readRegister,
} from '../../engine/index'
import type { KeyedStore, MaybePromise } from '../keyed-store'
import type { ChangeOptions, RowArrival } from './register-change'

/** The registers of some keys; undefined for a key without one. */
export type Registers = readonly (Uint8Array | undefined)[]

/** Returns what the store has now: whole registers where changes have them, else their heads. */
export function beginLookUp(
  store: KeyedStore,
  arrivals: readonly RowArrival[],
  { before }: ChangeOptions = {},
): MaybePromise<Registers> {
  const keys = arrivals.map(({ key }) => key)
  return store.getMany(keys, before ? {} : { firstBytes: HEAD_BYTES })
}

export interface LookUp {
  readonly arrivals: readonly RowArrival[]
  /** What {@link beginLookUp} returned while the batches ahead were being merged. */
  readonly found: Registers
  readonly ahead: readonly Turn[]
}

/**
 * Waits for the batches ahead, and returns the register of each row's key after them: whole where
 * the merge needs it, else at least its head.
 */
export async function finishLookUp(
  store: KeyedStore,
  { arrivals, found, ahead }: LookUp,
  { before, effectiveOnly = false }: ChangeOptions = {},
): Promise<Registers> {
  for (const { ended } of ahead) await ended
  const registers = newestOf(arrivals, found, ahead)
  if (before) return registers
  const open = new Set<string>()
  for (let n = 0; n < arrivals.length; n++) {
    const register = registers[n]
    const { key, head } = arrivals[n]!
    if (register !== undefined && needsRow(head, readRegister(register), effectiveOnly))
      open.add(key)
  }
  if (open.size === 0) return registers
  const wanted = [...open]
  const whole = await store.getMany(wanted)
  const byKey = new Map(wanted.map((key, n) => [key, whole[n]]))
  return registers.map((register, n) => byKey.get(arrivals[n]!.key) ?? register)
}

function needsRow(arriving: RegisterHead, standing: RegisterHead, effectiveOnly: boolean): boolean {
  if (needsContents(arriving, standing)) return true
  const isStale = compareVersions(arriving.version, standing.version) < 0
  return isStale && !standing.version.removed && !effectiveOnly
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

/** The turn of one batch. It refers to no other turn, so that an ended one frees its memory. */
export interface Turn {
  /** The registers that the batch writes, by their keys; none where it has failed. */
  readonly latest: Map<string, Uint8Array>
  /** Resolves when the registers are written, or when the batch has failed. */
  readonly ended: Promise<void>
}

/** A turn that has begun. */
export interface BegunTurn extends Pick<Turn, 'latest'> {
  /** The batches that are merged before this one, the oldest first. */
  readonly ahead: readonly Turn[]
  readonly end: () => void
}

export class Turns {
  #turns: readonly Turn[] = []

  /** Begins the turn of a batch behind all others. */
  begin(): BegunTurn {
    let resolve = () => {}
    const ended = new Promise<void>(resolved => {
      resolve = resolved
    })
    const turn: Turn = { latest: new Map(), ended }
    const ahead = this.#turns
    this.#turns = [...ahead, turn]
    const end = () => {
      this.#turns = this.#turns.filter(other => other !== turn)
      resolve()
    }
    return { latest: turn.latest, ahead, end }
  }
}
