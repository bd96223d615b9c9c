// The rows of a fetched file, as a target takes them: good rows, with their keys and versions. One
// reading gives the rows and verifies the file: the checksums and sizes in it, the end of the
// file, and its header line. So rows are unconfirmed until the reading has ended by itself.

import { join } from 'node:path'
import {
  type Columns,
  Decompress,
  type DurableFile,
  type DurableFiles,
  excerpt,
  FeedError,
  Gunzip,
  leftOutRow,
  optionInvalid,
  pipeline,
  QuarantineWriter,
  type Row,
  type RowBatch,
  type RowQuarantine,
  rowsWithBadCells,
  TsvRowParser,
} from '../../engine/index'
import { keyedRows, newHeads } from '../../state/index'
import { type FileId, feedFileOf, fileIdKey, fullTimeOf, isOwn, localNameOf } from '../file-id'
import { answerOf } from '../source/place-blocks'
import type { SyncOptions } from '../sync-options'
import type { AppliedFile, BadCellCount, TargetFile, TargetRows } from '../target/target'
import { isDamage, type WholeFile } from './fetch-file'
import { refuseBadRows, refuseRemoval } from './removal-check'
import { type RowRules, rowRulesOf } from './row-rules'

const READ_BYTES = 256 * 1024
/** Behind the name of a quarantine whose file is being read. */
const PARTIAL = '.partial'

export interface FileRowsOptions {
  /** Opens the compressed bytes of the file. */
  open(id: FileId): Promise<DurableFile>
  readonly maxRemovedShare: number
  /** The share of bad rows that a full file of one's own may have. Default: 1, which allows all. */
  readonly maxBadShare?: number
  /** What the rows of a feed of one's own are. */
  readonly own?: RowRules | undefined
  readonly accept?: SyncOptions['accept'] | undefined
  readonly signal: AbortSignal
  /** The file in messages. Default: its key. */
  readonly name?: string
  /** Called with the number of rows that were read, negative where they are to be read again. */
  readonly onRows?: (rows: number) => void
  /** Called when the file was read to its end for the first time. */
  readonly onProven?: (id: FileId) => void
  /** The folder for the rows that the target does not get, and its files. */
  readonly quarantine?: { readonly files: DurableFiles; readonly folder: string } | undefined
}

export class FileRows implements TargetFile {
  readonly id: FileId
  readonly identity: WholeFile['identity']
  readonly generated: Date | undefined
  readonly #options: FileRowsOptions
  readonly #rules: RowRules
  /** Rows without a key or a version. */
  #unmerged = 0
  /** Those of them that do not keep their keys. */
  #keyless = 0
  #unreadable = 0
  #rowsRead = 0
  #rowsGiven = 0
  rawBytes = 0
  /** Why the file could not be read to its end. */
  damage: FeedError | undefined
  /** True when the target has asked whether it may apply the file. */
  isAsked = false
  #isProven = false
  #cells: BadCellCount = {}
  /** The keys and versions of one batch after the other. */
  readonly #heads = newHeads(0, 0)

  constructor({ id, identity }: WholeFile, options: FileRowsOptions) {
    this.id = id
    this.identity = identity
    this.generated = fullTimeOf(id)
    this.#options = options
    this.#rules = rowRulesOf(id, options.own)
  }

  get #name(): string {
    return this.#options.name ?? fileIdKey(this.id)
  }

  get signal(): AbortSignal {
    return this.#options.signal
  }

  get badRows(): number {
    return this.#unmerged + this.#unreadable
  }

  get keylessRows(): number {
    return this.#keyless + this.#unreadable
  }

  /** What the last reading has counted. */
  get counts(): Pick<AppliedFile, 'rowsRead' | keyof BadCellCount> {
    return { rowsRead: this.#rowsRead, ...this.#cells }
  }

  async *rows(): AsyncGenerator<TargetRows, void, void> {
    this.#takeBack()
    this.#unmerged = 0
    this.#keyless = 0
    this.#unreadable = 0
    if (!this.#isProvenEmpty) yield* this.#read()
    if (!this.#isProven) this.#options.onProven?.(this.id)
    this.#isProven = true
  }

  async *#read(): AsyncGenerator<TargetRows, void, void> {
    const { open, onRows, maxBadShare = 1 } = this.#options
    const quarantine = this.#newQuarantine()
    this.#cells = {}
    const data = await open(this.id)
    const unpacking = { worker: false }
    const unpacked = isOwn(this.id) ? new Decompress(unpacking) : new Gunzip(unpacking)
    const blocks = blocksOf(data, this.identity.totalBytes, unpacked.borrowsInputs)
    const { schema, dialect, content, stored } = this.#rules
    const parser = new TsvRowParser<Columns>({
      schema,
      ...(dialect && { dialect }),
      ...(content && { content }),
      // A name of JSON that is not stored makes no bad row.
      ...(stored && dialect?.quoting === 'json-lines' && { columns: Object.keys(schema.columns) }),
      file: feedFileOf(this.id, this.identity.lastModified),
      onBadRow: quarantine?.writer ?? 'skip',
    })
    try {
      await quarantine?.writer.cut()
      for await (const batch of pipeline(blocks).to(unpacked).to(parser).batches()) {
        this.signal.throwIfAborted()
        const rows = this.#rowsOf(stored?.(batch) ?? batch, quarantine?.writer)
        yield rows
        this.#rowsGiven += rows.length
        onRows?.(rows.length)
      }
      this.#unreadable = parser.badRows
      const rowsRead = parser.counters.rowsOut + parser.badRows
      if (isOwn(this.id) && this.generated !== undefined)
        refuseBadRows(this.#name, { rowsRead, badRows: this.badRows, maxBadShare })
      await quarantine?.writer.replace(quarantine.path)
    } catch (error) {
      if (FeedError.is(error) && isDamage(error)) this.damage = error
      this.#takeBack()
      throw error
    } finally {
      this.#unreadable = parser.badRows
      this.#rowsRead = parser.counters.rowsOut + parser.badRows
      this.rawBytes = unpacked.counters.bytesOut || this.identity.totalBytes
      await data.close()
    }
  }

  /** Removes the quarantine of a file that is damaged, or that the target has refused. */
  async discard(): Promise<void> {
    const { quarantine } = this.#options
    if (quarantine === undefined) return
    const path = this.#quarantinePath(quarantine)
    for (const each of [path, path + PARTIAL]) await quarantine.files.remove(each)
  }

  /** The quarantine appears whole before the target commits the rows; a second reading replaces it. */
  #newQuarantine() {
    const { quarantine } = this.#options
    if (quarantine === undefined) return undefined
    const path = this.#quarantinePath(quarantine)
    const partial = { files: quarantine.files, path: path + PARTIAL, length: 0 }
    return { path, writer: new QuarantineWriter({ ...partial, name: fileIdKey(this.id) }) }
  }

  #quarantinePath({ folder }: NonNullable<FileRowsOptions['quarantine']>): string {
    return join(folder, `${localNameOf(this.id)}.quarantine.ndjson`)
  }

  #takeBack(): void {
    if (this.#rowsGiven > 0) this.#options.onRows?.(-this.#rowsGiven)
    this.#rowsGiven = 0
  }

  checkRemoval(rowsBefore: number, rowsRemoved: number): void {
    const { maxRemovedShare } = this.#options
    const removal = { rowsBefore, rowsRemoved, maxRemovedShare }
    if (!this.#isProvenEmpty) refuseRemoval(this.id, this.#name, removal)
  }

  async accept(entry: AppliedFile, applied: readonly AppliedFile[]): Promise<void> {
    this.isAsked = true
    const { accept, signal } = this.#options
    if (accept === undefined) return
    const answer = await answerOf(
      'accept',
      () => accept({ ...this.counts, ...entry }, applied),
      signal,
    )
    if (answer === true) return
    if (typeof answer !== 'string' && answer !== false)
      throw optionInvalid('accept()', 'true, false or a text', answer)
    const file = this.#name
    const reason = excerpt(answer || 'it gave false', 300)
    const message = `${file} was refused by accept: ${reason}; nothing of it was applied`
    throw new FeedError('SYNC_FILE_REFUSED', message, { file, reason })
  }

  /** Only the service proves that a file is empty. */
  get #isProvenEmpty(): boolean {
    return this.identity.totalBytes === 0 && !isOwn(this.id)
  }

  #rowsOf(batch: RowBatch<Columns>, quarantine: RowQuarantine | undefined): TargetRows {
    const counted = new Set<number>()
    const leaveOut = (row: Row<Columns>, error: FeedError) => {
      this.#unmerged++
      counted.add(row.slot)
      quarantine?.take(leftOutRow(row, error))
    }
    const rows = keyedRows(batch, this.#rules, leaveOut, this.#heads)
    this.#keyless += batch.length - rows.length
    this.#countBadCells(rows.batch, counted, quarantine)
    return rows
  }

  /** @param counted the places of rows that are counted and in quarantine already */
  #countBadCells(
    batch: RowBatch<Columns>,
    counted: ReadonlySet<number>,
    quarantine: RowQuarantine | undefined,
  ): void {
    for (const { row, error, count } of rowsWithBadCells(batch)) {
      if (counted.has(row.slot)) continue
      quarantine?.take(leftOutRow(row, error))
      const { badCells = 0, firstBadCell = placeOf(row.text(this.#rules.key), error) } = this.#cells
      this.#cells = { badCells: badCells + count, firstBadCell }
    }
  }
}

/** @param isCopied true where a block may be overwritten once the next one is asked for */
async function* blocksOf(
  file: DurableFile,
  totalBytes: number,
  isCopied: boolean,
): AsyncGenerator<Uint8Array, void, void> {
  const bytes = Math.min(READ_BYTES, totalBytes)
  // New memory for each block would stay until V8 collects it.
  const memory = isCopied ? Buffer.allocUnsafeSlow(bytes) : undefined
  for (let at = 0; ; ) {
    const block = await file.read(at, bytes, memory)
    if (block.length === 0) return
    at += block.length
    yield block
  }
}

function placeOf(
  key: string,
  { context }: FeedError<'CELL_INVALID'>,
): BadCellCount['firstBadCell'] {
  const { row = 0, column = '', excerpt = '' } = context
  return { key, row, column, excerpt }
}
