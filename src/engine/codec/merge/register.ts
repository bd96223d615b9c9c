// What an arriving row does to the register of its key: the newest row of the key, or a tombstone that
// remembers its removal. version-order.ts says which version a row has.

import { compareVersions, type Version } from './version-order'

/**
 * What a row did to the register of its key:
 * - `inserted`: the register had no row, and now has this one
 * - `updated`: the row has replaced another
 * - `deleted`: the register had a row, and now has a tombstone
 * - `unchanged`: the register has the same content as before, though its version may be newer now.
 *   The row is a repeat, has the same content, or removes an item that was not there; the tombstone
 *   of such an item keeps an older row from bringing it back
 * - `stale`: the row is older than the register's row or tombstone, and was dropped
 */
export type ChangeKind = 'inserted' | 'updated' | 'deleted' | 'unchanged' | 'stale'

/** The version and checksum of a register, or of an arriving row. */
export interface RegisterHead {
  readonly version: Version
  /** CRC-32 of the row's bytes; 0 for a tombstone. */
  readonly checksum: number
}

type Versioned = Pick<RegisterHead, 'version'>

export interface Arrival {
  readonly kind: ChangeKind
  /**
   * True where the register has to be written. An `unchanged` register may have a newer version.
   */
  readonly writes: boolean
}

/**
 * Decides what an arriving row does to a register.
 * @param standing undefined where the key has no register yet
 * @param difference of the contents, 0 where they are the same. It is used of two rows only
 * @param newer negative where the arriving row is the older one. Default: as the versions say
 */
export function judgeArrival(
  arriving: Versioned,
  standing: Versioned | undefined,
  difference: number,
  newer = standing === undefined ? 1 : compareVersions(arriving.version, standing.version),
): Arrival {
  const { removed } = arriving.version
  const isThere = standing !== undefined && !standing.version.removed
  if (newer < 0) return { kind: 'stale', writes: false }
  if (removed) return { kind: isThere ? 'deleted' : 'unchanged', writes: newer > 0 }
  if (!isThere) return { kind: 'inserted', writes: true }
  if (difference === 0) return { kind: 'unchanged', writes: newer > 0 }
  return newer > 0 || difference > 0
    ? { kind: 'updated', writes: true }
    : { kind: 'stale', writes: false }
}
