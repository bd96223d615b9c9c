// The paths in a state folder. Names that contain identifiers of the service never lead out of the
// folder (service/clients/file-name.ts).

import { join } from 'node:path'
import type { DurableFiles } from '../../engine/index'
import { localNameOf } from '../feed-files'
import { type Category, categoryKey, type FileId } from '../file-id'
import type { LedgerEntry } from './ledger'

export class StatePaths {
  readonly folder: string
  readonly marker: string
  readonly store: string
  readonly spools: string
  readonly kept: string
  readonly changes: string
  readonly quarantine: string
  /** Parent of the folders of readers. */
  readonly readers: string

  constructor(folder: string) {
    this.folder = folder
    this.marker = join(folder, 'state.json')
    this.store = join(folder, 'store')
    this.spools = join(folder, 'spool')
    this.kept = join(folder, 'files')
    this.changes = join(folder, 'changes')
    this.quarantine = join(folder, 'quarantine')
    this.readers = join(folder, 'readers')
  }

  keptFile(id: FileId): string {
    return join(this.kept, localNameOf(id))
  }

  /**
   * Returns the path of a change log. The names of a category's logs sort in the order in which its
   * files were applied.
   */
  changeFile(entry: LedgerEntry): string {
    return join(this.changes, logName(entry))
  }

  /**
   * Returns the path of the log of a replay. Its name sorts behind the log of the last file that was
   * applied before the replay, and before the log of the next file.
   */
  replayFile(category: Category, after: number): string {
    return join(this.changes, `${logStart(category, after)}.replay.ndjson`)
  }

  /** Returns the paths of the logs of a category that are there, the oldest first. */
  async changeLogs(files: DurableFiles, category: Category): Promise<string[]> {
    const names = (await files.list(this.changes)).filter(name =>
      name.startsWith(`${categoryName(category)}.`),
    )
    return names.sort().map(name => join(this.changes, name))
  }

  /** Returns the path of the quarantine of a file, with a name as that of its change log. */
  quarantineFile(entry: LedgerEntry): string {
    return join(this.quarantine, logName(entry))
  }
}

function logName({ id, sequence }: LedgerEntry): string {
  return `${logStart(id, sequence)}.${id.feed}.ndjson`
}

function logStart(category: Category, sequence: number): string {
  return `${categoryName(category)}.${String(sequence).padStart(8, '0')}`
}

function categoryName(category: Category): string {
  return categoryKey(category).slice(0, -1).replace('/', '.')
}
