// The ledger of a category: a line for each applied file, in a file that only grows, so that one more
// file costs one line however many there are. The manifest has a mark of the lines that count. What a
// process that was killed has written behind them is overwritten.

import { dirname, join } from 'node:path'
import { closing, corruptState, crc32, type DurableFiles } from '../../engine/index'
import { checkedLine, readCheckedLines } from '../file/spool'
import { fileIdKey, readFileIdKey } from '../file-id'
import type { AppliedFile } from '../target/target'

/** A file of a folder of runs. */
export interface RunsEntry extends AppliedFile {
  /** The rows that the file's changes have; absent where they were not wanted. */
  readonly changeRows?: 'after' | 'both'
  /** Bytes of the log of the file's changes; absent where it has none. */
  readonly changeBytes?: number
}

/** How much of a ledger counts. */
export interface LedgerMark {
  readonly bytes: number
  /** The CRC-32 of these bytes. */
  readonly checksum: number
}

export const NO_LINES: LedgerMark = { bytes: 0, checksum: 0 }

const ledgerBeside = (manifest: string) => join(dirname(manifest), 'ledger.ndjson')

/** Makes entries durable behind those that count, and returns the mark of all of them. */
export async function appendToLedger(
  files: DurableFiles,
  manifest: string,
  { bytes, checksum }: LedgerMark,
  entries: readonly RunsEntry[],
): Promise<LedgerMark> {
  if (entries.length === 0) return { bytes, checksum }
  const lines = Buffer.concat(
    entries.map(({ id, ...entry }) => checkedLine({ file: fileIdKey(id), ...entry })),
  )
  await closing(await files.edit(ledgerBeside(manifest)), async file => {
    await file.write(bytes, lines)
    await file.sync()
  })
  return { bytes: bytes + lines.length, checksum: crc32(lines, checksum) }
}

/** @throws FeedError STATE_CORRUPT, STATE_IO */
export async function readLedger(
  files: DurableFiles,
  manifest: string,
  { bytes, checksum }: LedgerMark,
): Promise<RunsEntry[]> {
  if (bytes === 0) return []
  const path = ledgerBeside(manifest)
  const file = await files.open(path)
  const lines = await (file && closing(file, () => file.read(0, bytes)))
  if (lines?.length !== bytes || crc32(lines) !== checksum)
    throw corruptState(path, 'it is not the one of the manifest: a backup may have mixed two times')
  return readCheckedLines(lines).map(({ record }) => {
    const { file: key, ...entry } = record as unknown as StoredEntry
    const id = readFileIdKey(key)
    // Without the file its rows would be applied a second time.
    if (id === undefined) throw corruptState(path, `it has a file of the unknown name ${key}`)
    return { ...entry, id }
  })
}

type StoredEntry = Omit<RunsEntry, 'id'> & { readonly file: string }
