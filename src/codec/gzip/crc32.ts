// CRC-32 as gzip uses it (RFC 1952 section 8), with the reflected polynomial 0xEDB88320. Node has
// it natively from 20.15 and 22.2 on; older versions get the implementation with a table.

import * as zlib from 'node:zlib'
import { type Crc, crcOf } from '../crc-table'

/** The CRC-32 in plain JavaScript, with the contract of {@link crc32}. */
export const tableCrc32: Crc = crcOf(0xedb88320)

/**
 * The CRC-32 of `bytes`, as an unsigned 32-bit number.
 *
 * @param seed the CRC of all bytes before these; 0 at the start
 */
export const crc32: Crc = 'crc32' in zlib ? zlib.crc32 : tableCrc32
