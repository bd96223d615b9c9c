// A checkpoint as bytes for the store: a position inside a file that is being applied. It is
// written in one step with the rows before it, and the next run continues there. Damaged bytes, or
// those of another version of this program, count as no checkpoint.
//
//   magic · crc32 of the rest · length of the JSON │ JSON │ inflate engine │ unread bytes

import { crc32 } from '../../codec/gzip/crc32'
import type { GzipMembersState } from '../../codec/gzip/members'
import type { TsvParserState } from '../../codec/tsv/parser'
import type { InflationState } from '../../stages/inflation'

const MAGIC = 0x3243_4d46 // `FMC2`
const HEAD_BYTES = 12
const CHECKED_FROM = 8

export interface Checkpoint {
  /** The file, by the sequence of its ledger entry. */
  readonly sequence: number
  readonly inflater: InflationState
  readonly parser: TsvParserState
}

interface CheckpointText {
  readonly sequence: number
  readonly members: GzipMembersState
  readonly parser: Omit<TsvParserState, 'rest'>
  readonly engineBytes: number
}

export function writeCheckpoint({
  sequence,
  inflater,
  parser: { rest, ...parser },
}: Checkpoint): Uint8Array {
  const text: CheckpointText = {
    sequence,
    members: inflater.members,
    parser,
    engineBytes: inflater.engine.length,
  }
  const json = Buffer.from(JSON.stringify(text))
  const bytes = Buffer.concat([Buffer.alloc(HEAD_BYTES), json, inflater.engine, rest])
  bytes.writeUInt32LE(MAGIC, 0)
  bytes.writeUInt32LE(json.length, 8)
  bytes.writeUInt32LE(crc32(bytes.subarray(CHECKED_FROM)), 4)
  return bytes
}

/** Reads bytes that {@link writeCheckpoint} made. Returns undefined for any other bytes. */
export function readCheckpoint(bytes: Uint8Array): Checkpoint | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.length < HEAD_BYTES || buffer.readUInt32LE(0) !== MAGIC) return undefined
  if (buffer.readUInt32LE(4) !== crc32(buffer.subarray(CHECKED_FROM))) return undefined
  const engineAt = HEAD_BYTES + buffer.readUInt32LE(8)
  const { sequence, members, parser, engineBytes } = JSON.parse(
    buffer.toString('utf8', HEAD_BYTES, engineAt),
  ) as CheckpointText
  const restAt = engineAt + engineBytes
  return {
    sequence,
    inflater: { members, engine: buffer.subarray(engineAt, restAt) },
    parser: { ...parser, rest: buffer.subarray(restAt) },
  }
}
