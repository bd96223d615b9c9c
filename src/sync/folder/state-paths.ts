// Where things stand in a state folder. Names made from identities of the service never lead out of
// it (service/clients/file-name.ts).

import { join } from 'node:path'
import { askedId, localNameOf } from '../feed-files'
import { categoryKey, type FileId } from '../file-id'
import type { LedgerEntry } from './ledger'

export class StatePaths {
  readonly folder: string
  readonly marker: string
  readonly store: string
  readonly spools: string
  readonly kept: string
  readonly changes: string
  /** What readers have for themselves. */
  readonly readers: string

  constructor(folder: string) {
    this.folder = folder
    this.marker = join(folder, 'state.json')
    this.store = join(folder, 'store')
    this.spools = join(folder, 'spool')
    this.kept = join(folder, 'files')
    this.changes = join(folder, 'changes')
    this.readers = join(folder, 'readers')
  }

  /** Of which generation a bootstrap is, is not known while it is fetched. */
  spool(id: FileId): string {
    return join(this.spools, localNameOf(askedId(id)))
  }

  keptFile(id: FileId): string {
    return join(this.kept, localNameOf(id))
  }

  /**
   * In the order of their names the logs of a category are in the order in which its files came
   * into the state.
   */
  changeFile({ id, sequence }: LedgerEntry): string {
    const category = categoryKey(id).slice(0, -1).replace('/', '.')
    return join(this.changes, `${category}.${String(sequence).padStart(8, '0')}.${id.feed}.ndjson`)
  }
}
