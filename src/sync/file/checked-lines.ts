// Records as lines of text, each with the CRC32 of its JSON. A reader finds the whole records of a
// file that was cut anywhere.
//
//   crc32 as 8 hexadecimal digits · space · JSON · line end

import { crc32 } from '../../engine/index'

const LINE_END = 0x0a
/** The checksum and the space. */
const HEAD = 9

export interface CheckedLine {
  readonly record: Readonly<Record<string, unknown>>
  /** Offset of the byte behind the line. */
  readonly end: number
}

export function checkedLine(record: object): Uint8Array {
  const json = Buffer.from(JSON.stringify(record))
  return Buffer.from(`${checksum(json)} ${json}\n`)
}

/** Returns the records up to the first line that is not whole. */
export function readCheckedLines(bytes: Uint8Array): CheckedLine[] {
  const lines: CheckedLine[] = []
  for (let start = 0; ; ) {
    const end = bytes.indexOf(LINE_END, start)
    const record = end < 0 ? undefined : readLine(bytes.subarray(start, end))
    if (record === undefined) return lines
    start = end + 1
    lines.push({ record, end: start })
  }
}

function readLine(line: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  const json = line.subarray(HEAD)
  if (Buffer.from(line.subarray(0, HEAD)).toString('latin1') !== `${checksum(json)} `)
    return undefined
  return JSON.parse(Buffer.from(json).toString()) as Readonly<Record<string, unknown>>
}

function checksum(bytes: Uint8Array): string {
  return crc32(bytes).toString(16).padStart(8, '0')
}
