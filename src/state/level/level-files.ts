// Checks the files of a closed LevelDB for damage. LevelDB has a checksum for every block but
// compares it only in a mode that classic-level does not offer. Without this check a changed byte
// would give a wrong row or lose a key. The formats are those of LevelDB's doc/table_format.md and
// doc/log_format.md. What a crash leaves (files that the manifest does not name, a last record that
// is cut) is no damage.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { corruptState, crcOf, onDisk, unlessMissing } from '../../engine/index'
import { LevelCursor } from './level-cursor'

const crc32c = crcOf(0x82f63b78)
/**
 * LevelDB masks its stored checksums with this number, because some of the summed data contains
 * checksums.
 */
const MASK_DELTA = 0xa282ead8

const FOOTER_BYTES = 48
const TABLE_MAGIC = 0xdb4775248b80fb57n
/** A block is followed by one byte for its compression and four for its checksum. */
const BLOCK_TRAILER_BYTES = 5

const LOG_BLOCK_BYTES = 32_768
/** Checksum, length, type. */
const RECORD_HEADER_BYTES = 7
const FULL = 1
const FIRST = 2
const LAST = 4

/** @throws FeedError STATE_CORRUPT, STATE_IO */
export async function checkLevelFiles(folder: string): Promise<void> {
  const names = await onDisk(folder, 'read', () => readdir(folder))
  // A database that a crash interrupted while it was made has no data yet.
  if (!names.includes('CURRENT')) return
  const manifest = await manifestOf(folder)
  for (const name of names) {
    const [, number, kind] = /^(\d+)\.(log|ldb|sst)$/.exec(name) ?? []
    const path = join(folder, name)
    if (kind === 'log' && Number(number) >= manifest.firstLog) recordsOf(await bytesOf(path), path)
    if (kind === 'ldb' || kind === 'sst')
      await checkLiveTable(path, manifest.tables.get(Number(number)))
  }
}

async function checkLiveTable(path: string, tableBytes: number | undefined): Promise<void> {
  if (tableBytes === undefined) return
  const bytes = await bytesOf(path)
  if (bytes.length !== tableBytes)
    throw corruptState(path, `${bytes.length} bytes of ${tableBytes}`)
  checkTable(bytes, path)
}

/**
 * Returns the names of the live tables of an index.
 * @param folder folder of the manifest
 * @param tables folder of the tables
 * @throws FeedError STATE_CORRUPT, STATE_IO
 */
export async function liveTables(folder: string, tables: string): Promise<readonly string[]> {
  const { tables: live } = await manifestOf(folder)
  return (await onDisk(tables, 'read', () => readdir(tables))).filter(name =>
    live.has(Number(/^(\d+)\.(?:ldb|sst)$/.exec(name)?.[1])),
  )
}

interface Manifest {
  /** Bytes of each table that is in use, by its number. */
  readonly tables: Map<number, number>
  /** Logs with lower numbers are in tables already. */
  firstLog: number
}

async function manifestOf(folder: string): Promise<Manifest> {
  const current = (await bytesOf(join(folder, 'CURRENT'))).toString('latin1')
  if (!/^MANIFEST-\d+\n$/.test(current))
    throw corruptState(join(folder, 'CURRENT'), 'it names no manifest')
  const path = join(folder, current.trimEnd())
  const manifest: Manifest = { tables: new Map(), firstLog: 0 }
  for (const record of recordsOf(await bytesOf(path), path))
    applyEdit(new LevelCursor(record, path), manifest, path)
  return manifest
}

/** One change of the set of tables (LevelDB, VersionEdit). */
function applyEdit(edit: LevelCursor, manifest: Manifest, path: string): void {
  while (!edit.isAtEnd) {
    switch (edit.varint()) {
      case 1: // comparator
        edit.skipText()
        break
      case 2:
        manifest.firstLog = edit.varint()
        break
      case 3: // next file
      case 4: // last sequence
      case 9: // previous log
        edit.varint()
        break
      case 5: // where a level is compacted next
        edit.varint()
        edit.skipText()
        break
      case 6:
        edit.varint()
        manifest.tables.delete(edit.varint())
        break
      case 7:
        edit.varint()
        manifest.tables.set(edit.varint(), edit.varint())
        edit.skipText()
        edit.skipText()
        break
      default:
        throw corruptState(path, 'a change of an unknown kind')
    }
  }
}

/**
 * The records of a log. Whatever follows the last whole one was being written when a crash came,
 * unless another begins there: that one was written after, so what is before it was damaged later.
 */
function recordsOf(bytes: Buffer, path: string): Buffer[] {
  const records: Buffer[] = []
  let parts: Buffer[] = []
  let damagedAt: number | undefined
  for (const { at, type, data, intact } of fragmentsOf(bytes)) {
    if (!intact) damagedAt ??= at
    else if (type === FULL || type === FIRST) {
      if (damagedAt !== undefined)
        throw corruptState(path, `the record at byte ${damagedAt} is not what was written`)
      parts = []
    }
    if (!intact || damagedAt !== undefined) continue
    parts.push(data)
    if (type === FULL || type === LAST) records.push(Buffer.concat(parts))
  }
  return records
}

interface Fragment {
  readonly at: number
  readonly type: number
  readonly data: Buffer
  readonly intact: boolean
}

function* fragmentsOf(bytes: Buffer): Generator<Fragment, void, void> {
  for (let block = 0; block < bytes.length; block += LOG_BLOCK_BYTES) {
    const end = Math.min(block + LOG_BLOCK_BYTES, bytes.length)
    for (let at = block; at + RECORD_HEADER_BYTES <= end; ) {
      const length = bytes.readUInt16LE(at + 4)
      const type = bytes[at + 6]!
      // Zeros are room that was reserved and not written.
      if (type === 0 && length === 0) break
      const to = at + RECORD_HEADER_BYTES + length
      const intact = to <= end && isIntact(bytes.subarray(at + 6, to), bytes.readUInt32LE(at))
      yield { at, type, data: bytes.subarray(at + RECORD_HEADER_BYTES, to), intact }
      if (!intact) break
      at = to
    }
  }
}

function checkTable(bytes: Buffer, path: string): void {
  if (bytes.length < FOOTER_BYTES || bytes.readBigUInt64LE(bytes.length - 8) !== TABLE_MAGIC)
    throw corruptState(path, 'it is no table')
  const footer = new LevelCursor(bytes.subarray(bytes.length - FOOTER_BYTES), path)
  const metaIndex = checkedBlock(bytes, footer, path)
  const index = checkedBlock(bytes, footer, path)
  for (const block of [metaIndex, index])
    for (const handle of valuesOf(block, path)) checkedBlock(bytes, handle, path)
}

/** @param handle at what says where the block stands */
function checkedBlock(table: Buffer, handle: LevelCursor, path: string): Buffer {
  const [offset, length] = [handle.varint(), handle.varint()]
  const end = offset + length + BLOCK_TRAILER_BYTES
  if (end > table.length || !isIntact(table.subarray(offset, end - 4), table.readUInt32LE(end - 4)))
    throw corruptState(path, `the block at byte ${offset} is not what was written`)
  return table.subarray(offset, offset + length)
}

/** The values of a block that has its keys written as what differs from the key before. */
function* valuesOf(block: Buffer, path: string): Generator<LevelCursor, void, void> {
  const restarts = block.readUInt32LE(block.length - 4)
  const entries = new LevelCursor(block.subarray(0, block.length - 4 * (restarts + 1)), path)
  while (!entries.isAtEnd) {
    entries.varint()
    const [keyBytes, valueBytes] = [entries.varint(), entries.varint()]
    entries.take(keyBytes)
    yield new LevelCursor(entries.take(valueBytes), path)
  }
}

function isIntact(bytes: Uint8Array, stored: number): boolean {
  const crc = crc32c(bytes)
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0 === stored
}

async function bytesOf(path: string): Promise<Buffer> {
  const bytes = await onDisk(path, 'read', () => unlessMissing(readFile(path)))
  if (bytes === undefined) throw corruptState(path, 'it is missing')
  return bytes
}
