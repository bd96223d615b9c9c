// The ledger of a category: the files of its state. An entry is written in one step with the rows
// that it counts.
//
//   applying   the file is verified and in the spool, and its rows are being merged; the next
//              owner of the folder finishes it first
//   done       all of its rows are in the state

import { type KeyedStore, prefixRange, type StoreOp } from '../../state/index'
import { type FileId, fileIdKey, isBootstrap, keyColumnOf, readFileIdKey } from '../file-id'
import { type AppliedFile, NO_ROWS } from '../target/target'

const PREFIX = 'f/'

export type ChangeTarget = 'none' | 'files' | 'sink'

/** A file of a state folder, also while its rows are being merged. */
export interface LedgerEntry extends AppliedFile {
  /** `applying` until the last row is merged, then `done`. */
  readonly state: 'applying' | 'done'
  /** True once all rows are merged. A bootstrap may still have to remove the rows that it lacks. */
  readonly rowsDone: boolean
  /** The destination of the file's changes, also for a later run that finishes the file. */
  readonly changes: ChangeTarget
  /** The rows that the file's changes have. */
  readonly changeRows: 'after' | 'both'
  /** True where the compressed file is kept after it was applied. */
  readonly keep: boolean
  /** Bytes of the file's change log that belong to the merged rows. */
  readonly changeBytes: number
  /** True where the rows that cannot be merged go to a file of `quarantine/`. */
  readonly quarantine: boolean
  /** Bytes of that file that belong to the merged rows. 0 where it does not exist. */
  readonly quarantineBytes: number
  /**
   * Number of rows that were read: those that were merged, and `badRows`. While the file is being
   * applied, this is its checkpoint: the next owner of the folder goes on behind these rows.
   */
  readonly rowsRead: number
}

/** What an entry says of a file of which nothing is applied. */
export const NOTHING_APPLIED = {
  state: 'applying',
  rows: NO_ROWS,
  rowsDone: false,
  badRows: 0,
  rowsRead: 0,
  badCells: 0,
  firstBadCell: undefined,
  changeBytes: 0,
} as const satisfies Partial<LedgerEntry>

export class Ledger {
  readonly #entries = new Map<string, LedgerEntry>()

  private constructor(entries: Iterable<LedgerEntry>) {
    for (const entry of entries) this.#entries.set(fileIdKey(entry.id), entry)
  }

  /** @param store the category's view of the folder's store */
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

  /** The entries in the order in which their files were applied. */
  get entries(): readonly LedgerEntry[] {
    return [...this.#entries.values()].sort((a, b) => a.sequence - b.sequence)
  }

  /** The entry of the file that is being applied; there is at most one. */
  get applying(): LedgerEntry | undefined {
    return this.entries.find(({ state }) => state === 'applying')
  }

  get nextSequence(): number {
    return (this.entries.at(-1)?.sequence ?? 0) + 1
  }

  /** The applied files. */
  get done(): readonly FileId[] {
    return this.entries.filter(({ state }) => state === 'done').map(({ id }) => id)
  }

  /** True where no earlier file had rows under the same keys as the entry's file. */
  isFirst({ id, sequence }: LedgerEntry): boolean {
    const key = keyColumnOf(id)
    return !this.entries.some(other => other.sequence < sequence && keyColumnOf(other.id) === key)
  }

  /** True where the entry's file is the first with all items, or all groups, of the category. */
  isFirstBootstrap({ id, sequence }: LedgerEntry): boolean {
    const isEarlier = (other: LedgerEntry) =>
      other.sequence < sequence && other.id.feed === id.feed && isBootstrap(other.id)
    return isBootstrap(id) && !this.entries.some(isEarlier)
  }

  /** Returns the write for an entry. The caller calls {@link took} after that write. */
  op({ id, ...entry }: LedgerEntry): StoreOp {
    return { key: PREFIX + fileIdKey(id), value: Buffer.from(JSON.stringify(entry)) }
  }

  took(entry: LedgerEntry): void {
    this.#entries.set(fileIdKey(entry.id), entry)
  }
}
