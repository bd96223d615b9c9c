// One category of a folder of runs. A file becomes one sorted run, or several where it is larger
// than the memory for sorting; its rows are visible once the manifest names its runs.

import { join } from 'node:path'
import { inspect } from 'node:util'
import {
  type Columns,
  corruptState,
  type DurableFiles,
  FeedError,
  type FeedSchema,
  orUndo,
} from '../../engine/index'
import {
  compactRuns,
  countRows,
  type Floor,
  type RowSorter,
  RunTable,
  SortedRuns,
  type SortedRunsOptions,
  tallyRuns,
  tellChanges,
  type WrittenRun,
} from '../../state/index'
import { keptBy, type RowRules, withoutRequired } from '../file/row-rules'
import { type Category, feedFileOf, isOwn } from '../file-id'
import type { AppliedFile, TargetCategory, TargetFile } from '../target/target'
import { schemaOfTable } from './category-view'
import type { FileChanges } from './file-changes'
import { appendToLedger, type RunsEntry } from './ledger'
import {
  checkedManifest,
  MANIFEST,
  type Manifest,
  newManifest,
  type ReplayedChanges,
  type RunRecord,
  readManifest,
  runNames,
  type TableName,
  type TableRecord,
  tableOf,
  writeManifest,
} from './manifest'
import { RunFiles } from './run-files'
import { RunsReplay } from './runs-replay'
import { MERGE_SIZES, type MergeSizes, toMerge, toMergeInPause } from './runs-to-merge'

/** The most full files whose rows stand beside those that they have replaced. */
const MOST_FLOORS = 3

/** The sizes at which runs are merged may be replaced. */
export interface CategoryRunsOptions extends Partial<MergeSizes> {
  readonly files: DurableFiles
  readonly folder: string
  /** Bytes of rows that are sorted at once. */
  readonly sortBytes: number
  /** What the rows of a feed of one's own are. */
  readonly own?: RowRules | undefined
  /** Records the changes of files. Default: none is recorded. */
  readonly changes?: FileChanges
  /** Called after a file was applied, with all files that were. */
  readonly onApplied?: (entry: AppliedFile, all: readonly AppliedFile[]) => Promise<void>
}

export class CategoryRuns implements TargetCategory {
  readonly category: Category
  /** Absent where changes are recorded: they are recorded for one file after the other. */
  readonly applyAll?: NonNullable<TargetCategory['applyAll']>
  /** Absent where nothing may record what a replay changes. */
  readonly replay?: NonNullable<TargetCategory['replay']>
  readonly #options: CategoryRunsOptions
  readonly #sizes: MergeSizes
  /** The columns of a feed of one's own. */
  readonly #own: FeedSchema<Columns> | undefined
  readonly #files: RunFiles
  /** The memory for sorting, which one file after the other uses. */
  readonly #memory: Buffer[] = []
  manifest: Manifest

  private constructor(category: Category, options: CategoryRunsOptions) {
    this.category = category
    this.#options = options
    this.#sizes = { ...MERGE_SIZES, ...options }
    this.#files = new RunFiles(options.files, options.folder)
    const { own, changes, sortBytes } = options
    this.#own = own && withoutRequired(own.schema)
    this.manifest = newManifest(category, own && keptBy(own))
    if (changes?.settings === undefined) this.applyAll = files => this.#applyAll(files)
    if (changes !== undefined) this.replay = async () => new RunsReplay(this, changes, sortBytes)
  }

  /**
   * Opens a category, and removes the runs that the manifest does not name.
   * @throws FeedError STATE_FOREIGN for another key or version; STATE_CORRUPT,
   * STATE_IO
   */
  static async open(category: Category, options: CategoryRunsOptions): Promise<CategoryRuns> {
    const { files, folder } = options
    await files.makeFolder(folder)
    const runs = new CategoryRuns(category, options)
    const found = await readManifest(files, join(folder, MANIFEST))
    // A reader then knows the category.
    if (found === undefined) await runs.#replace(runs.manifest)
    else runs.manifest = checkedManifest(folder, found, runs.manifest)
    const names = await files.list(folder)
    const { inState, saved } = runNames(runs.manifest)
    const isMissing = (name: string) => !names.includes(name)
    const missing = inState.find(isMissing)
    if (missing !== undefined) throw corruptState(join(folder, missing), 'the run is missing')
    // The process before may have ended between the renaming of its manifest and this call.
    await files.syncFolder(folder)
    await (saved.some(isMissing) ? runs.#beginAnew() : runs.#removeOthers())
    await options.changes?.settle(category, runs.manifest.files.at(-1))
    return runs
  }

  get files(): readonly AppliedFile[] {
    return this.manifest.files
  }

  async apply(file: TargetFile): Promise<AppliedFile> {
    const [entry] = await this.#applyAll([file])
    return entry!
  }

  async #applyAll(files: readonly TargetFile[]): Promise<readonly AppliedFile[]> {
    const name = tableOf(files[0]!.id)
    const { manifest, entries } = await orUndo(
      async () => this.#judge(files, name, await this.#writeRuns(files, name)),
      error => (isInterruption(error, files) ? this.#removeOthers() : this.#beginAnew()),
    )
    await this.#replace(manifest)
    await this.#options.changes?.publish(entries[0]!)
    await this.#merge(name, toMerge)
    for (const entry of entries) await this.#options.onApplied?.(entry, this.files)
    return entries
  }

  async compact(signal: AbortSignal): Promise<void> {
    for (const name of Object.keys(this.manifest.tables) as TableName[]) {
      let hasMerged = true
      while (hasMerged) hasMerged = await this.#merge(name, toMergeInPause, signal)
    }
  }

  async removalsForgotten(): Promise<Date | undefined> {
    const { forgottenMs } = this.manifest
    return forgottenMs === undefined ? undefined : new Date(forgottenMs)
  }

  /** A removal from before that time goes when all runs of its feed are merged into one. */
  forgetRemovals(before: Date): Promise<void> {
    return this.#replace({ ...this.manifest, forgottenMs: before.getTime() })
  }

  close(): Promise<void> {
    return this.#files.close()
  }

  schemaOf(name: TableName): FeedSchema<Columns> {
    return schemaOfTable(name, this.#own)
  }

  async table(name: TableName): Promise<RunTable<Columns>> {
    const { runs, floors } = this.manifest.tables[name]
    return new RunTable(this.schemaOf(name), await this.#files.opened(runs), floors)
  }

  get nextMending(): number {
    return (this.manifest.mended ?? 0) + 1
  }

  async addMended(
    { id, sequence }: RunsEntry,
    rows: RowSorter,
    replayed: ReplayedChanges | undefined,
  ): Promise<void> {
    const name = tableOf(id)
    const mended = this.nextMending
    const written = await this.#orRemoved(() =>
      this.#files.write(`${name}-mended-${mended}.run`, false, writer => rows.writeTo(writer)),
    )
    const { runs, floors } = this.manifest.tables[name]
    await this.#replace({
      ...this.#withTable(name, { runs: [...runs, { ...written, sequence }], floors }),
      mended,
      ...(replayed && { replayed }),
    })
    await this.#merge(name, toMerge)
  }

  setReplayed(replayed: ReplayedChanges): Promise<void> {
    return this.#replace({ ...this.manifest, replayed })
  }

  /** The number of the next file. */
  get #sequence(): number {
    return (this.files.at(-1)?.sequence ?? 0) + 1
  }

  async #writeRuns(files: readonly TargetFile[], name: TableName): Promise<RunRecord[]> {
    const { sortBytes, own } = this.#options
    const first = this.#sequence
    const sequence = first + files.length - 1
    // The rows of other files are soon merged, and are not compressed before.
    const isCompressed = files[0]!.generated !== undefined
    const text = textOf(files, own)
    if ((this.manifest.applying?.files ?? text) !== text) await this.#beginAnew()
    const saved = this.manifest.applying
    if (saved !== undefined) await this.#files.cut(saved.runs.at(-1)!)
    const written = await sortFiles(files, {
      sortBytes,
      memory: this.#memory,
      saved,
      create: number => this.#files.create(`${name}-${first}-${number}.run`, isCompressed),
      save: more => this.#replace({ ...this.manifest, applying: { files: text, ...more } }),
    })
    if (written !== undefined) return written.map(run => ({ ...run, sequence }))
    await this.#beginAnew()
    return this.#writeRuns(files, name)
  }

  /** Returns the manifest with the files, and their entries. */
  async #judge(
    files: readonly TargetFile[],
    name: TableName,
    records: readonly RunRecord[],
  ): Promise<{ readonly manifest: Manifest; readonly entries: readonly AppliedFile[] }> {
    const { runs, floors } = this.manifest.tables[name]
    const standing = await this.#files.opened(runs)
    const arrived = await this.#files.opened(records)
    const first = this.#sequence
    const bootstrap = files[0]!
    const timeMs = bootstrap.generated?.getTime()
    const byFile = isOwn(bootstrap.id)
    let floor: Floor | undefined
    // A first bootstrap finds no rows that it could lack.
    if (timeMs !== undefined && runs.length > 0)
      floor = { sequence: first, timeMs, ...(byFile && { byFile }) }
    const judged = { arrived, standing, floors, floor }
    const feedFiles = files.map(({ id, identity }) => feedFileOf(id, identity.lastModified))
    const { tallies, lacking, before, removed } = await tallyRuns(judged, feedFiles)
    if (floor || (byFile && removed > 0))
      bootstrap.checkRemoval(floor ? before : await countRows(standing, floors), removed)
    const entries: RunsEntry[] = files.map(({ id, identity, rawBytes, badRows, counts }, n) => {
      const rows = tallies[n]!
      return { id, ...identity, rawBytes, sequence: first + n, rows, badRows, ...counts }
    })
    const removedByBadRows = Math.min(lacking, bootstrap.keylessRows ?? bootstrap.badRows)
    if (byFile && removedByBadRows > 0) entries[0] = { ...entries[0]!, removedByBadRows }
    for (const [n, file] of files.entries())
      await file.accept(entries[n]!, [...this.files, ...entries.slice(0, n)])
    const { changes } = this.#options
    if (changes !== undefined)
      entries[0] = await changes.record(entries[0]!, this.files, (isBeforeWanted, take) => {
        const options = { schema: this.schemaOf(name), isBeforeWanted }
        return tellChanges(judged, options, take)
      })
    const table = {
      runs: [...runs, ...records],
      floors: floor === undefined ? floors : [...floors, floor],
    }
    bootstrap.signal.throwIfAborted()
    const all = [...this.files, ...entries]
    const manifest = { ...this.#withTable(name, table), files: all, applying: undefined }
    return { manifest, entries }
  }

  /** Merges runs of a table into one. Returns false where there is nothing to merge. */
  async #merge(name: TableName, choose: typeof toMerge, signal?: AbortSignal): Promise<boolean> {
    const { tables, forgottenMs: beforeMs = Number.NEGATIVE_INFINITY } = this.manifest
    const { runs, floors } = tables[name]
    const wanted = floors.length > MOST_FLOORS ? runs : choose(runs, this.#sizes)
    if (wanted.length === 0) return false
    // The merge has a block of each run in memory, in place of the rows of a file.
    this.#memory.length = 0
    // A floor is compared with all rows of a key in the files before it.
    const merging = floors.length > 0 ? runs : wanted
    const rest = runs.filter(run => !merging.includes(run))
    const sequence = Math.max(...merging.map(run => run.sequence))
    // Another run may have an older row of a removed key.
    const forgottenMs = rest.length === 0 ? beforeMs : Number.NEGATIVE_INFINITY
    const schema = this.schemaOf(name)
    const written = await this.#orRemoved(async () => {
      const opened = await this.#files.opened(merging)
      // A name is never used again: a reader may have the manifest that an earlier run was in.
      const state = `${this.#sequence}-${this.nextMending}-${runs.length}`
      return this.#files.write(`${name}-merged-${state}.run`, true, writer =>
        compactRuns({ runs: opened, floors, schema, forgottenMs, signal }, writer),
      )
    })
    const merged = { ...written, sequence }
    const table = { runs: [...rest, merged], floors: rest.length === 0 ? [] : floors }
    await this.#replace(this.#withTable(name, table))
    await this.#removeOthers()
    return true
  }

  /** Returns the manifest with another table. */
  #withTable(name: TableName, table: TableRecord): Manifest {
    return { ...this.manifest, tables: { ...this.manifest.tables, [name]: table } }
  }

  /** After a failure the next owner of the folder finds the old manifest or the new one. */
  async #replace(manifest: Manifest): Promise<void> {
    const { files, folder } = this.#options
    const path = join(folder, MANIFEST)
    const more = manifest.files.slice(this.files.length)
    const ledger = await appendToLedger(files, path, this.manifest.ledger, more)
    // The names of the runs are durable before the manifest has them.
    await files.syncFolder(folder)
    const replaced = { ...manifest, ledger }
    await writeManifest(files, path, replaced)
    this.manifest = replaced
  }

  /** Does what no manifest tells of yet. After a failure its runs are removed. */
  #orRemoved<T>(work: () => Promise<T>): Promise<T> {
    return orUndo(work, () => this.#removeOthers())
  }

  /** Removes the runs that the manifest does not name, and a manifest that was being written. */
  #removeOthers(): Promise<void> {
    const { inState, saved } = runNames(this.manifest)
    return this.#files.removeOthers(new Set([...inState, ...saved]))
  }

  /** Forgets what is saved of files. */
  async #beginAnew(): Promise<void> {
    await this.#replace({ ...this.manifest, applying: undefined })
    await this.#removeOthers()
  }
}

// The rows of files that are applied together on their way into sorted runs.

/**
 * Writes the rows of files to runs, but for those that are saved.
 * @returns undefined where other rows were saved than the files have
 */
function sortFiles(
  files: readonly TargetFile[],
  options: SortedRunsOptions,
): Promise<readonly WrittenRun[] | undefined> {
  const runs = new SortedRuns(options)
  const sort = async () => {
    for (const file of files) {
      for await (const rows of file.rows()) {
        file.signal.throwIfAborted()
        const waits = runs.add(rows)
        if (waits !== undefined) await waits
      }
    }
    const written = await runs.end()
    return runs.isSame ? written : undefined
  }
  return orUndo(sort, () => runs.abort())
}

/** Tells whether files failed for a reason that is none of theirs: what is saved of them stays. */
function isInterruption(error: unknown, [file]: readonly TargetFile[]): boolean {
  return file!.signal.aborted || (FeedError.is(error) && error.code === 'STATE_IO')
}

/** Returns a text that is equal for equal files whose rows are read by equal rules. */
function textOf(files: readonly TargetFile[], own: RowRules | undefined): string {
  const whole = { depth: 9, maxArrayLength: null }
  return inspect([files.map(({ id, identity }) => ({ id, identity })), own], whole)
}
