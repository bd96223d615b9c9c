// The ledger of a category: which files its state is made of. An entry is written in one step with
// what it says is there.
//
//   applying   the file is proven whole and lies in the spool; its rows are being merged. From here on it belongs to the state:
//              whoever opens the folder finishes it first
//   done       all of its rows are in the state

import type { ChangeKind } from '../../codec/merge/register'
import type { FileIdentity } from '../../codec/range/file-identity'
import { type KeyedStore, prefixRange, type StoreOp } from '../../state/keyed-store'
import { type FileId, fileIdKey, readFileIdKey } from '../file-id'

const PREFIX = 'f/'

export type RowTally = Readonly<Record<ChangeKind, number>>

export type ChangeTarget = 'none' | 'files' | 'sink'

export const NO_ROWS: RowTally = { inserted: 0, updated: 0, deleted: 0, unchanged: 0, stale: 0 }

export interface LedgerEntry extends FileIdentity {
  readonly id: FileId
  readonly state: 'applying' | 'done'
  /** In the order in which the files of the category came into the state, from 1. */
  readonly sequence: number
  readonly totalBytes: number
  /** Size of the content. */
  readonly rawBytes: number
  /**
   * Rows merged so far by what they did; in a bootstrap also the rows that it removed because it
   * does not have them.
   */
  readonly rows: RowTally
  /** All rows are merged; a bootstrap may still have to remove what it does not have. */
  readonly rowsDone: boolean
  /** Rows left out because they could not be read, or had no key or no date. */
  readonly badRows: number
  /** Where the file's changes are told, also by whoever finishes it. */
  readonly changes: ChangeTarget
  /** The compressed file is kept when its rows are in the state. */
  readonly keep: boolean
  /** Bytes of the file's change log that belong to the rows merged so far. */
  readonly changeBytes: number
}

export class Ledger {
  readonly #entries = new Map<string, LedgerEntry>()

  private constructor(entries: Iterable<LedgerEntry>) {
    for (const entry of entries) this.#entries.set(fileIdKey(entry.id), entry)
  }

  /** @param store the category's */
  static async read(store: KeyedStore): Promise<Ledger> {
    const entries: LedgerEntry[] = []
    for await (const block of store.entries(prefixRange(PREFIX))) {
      for (const { key, value } of block) {
        const id = readFileIdKey(key.slice(PREFIX.length))
        if (id !== undefined) entries.push({ ...JSON.parse(Buffer.from(value).toString()), id })
      }
    }
    return new Ledger(entries)
  }

  get(id: FileId): LedgerEntry | undefined {
    return this.#entries.get(fileIdKey(id))
  }

  /** In the order in which they came into the state. */
  get entries(): readonly LedgerEntry[] {
    return [...this.#entries.values()].sort((a, b) => a.sequence - b.sequence)
  }

  /** The one file whose rows are being merged. */
  get applying(): LedgerEntry | undefined {
    return this.entries.find(({ state }) => state === 'applying')
  }

  get nextSequence(): number {
    return (this.entries.at(-1)?.sequence ?? 0) + 1
  }

  /** Files that the state is made of. */
  get done(): readonly FileId[] {
    return this.entries.filter(({ state }) => state === 'done').map(({ id }) => id)
  }

  /** What has to be written for an entry; {@link took} when it is. */
  op({ id, ...entry }: LedgerEntry): StoreOp {
    return { key: PREFIX + fileIdKey(id), value: Buffer.from(JSON.stringify(entry)) }
  }

  took(entry: LedgerEntry): void {
    this.#entries.set(fileIdKey(entry.id), entry)
  }
}
