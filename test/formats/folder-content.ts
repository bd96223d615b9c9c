// The files of a state folder as texts that can be compared: equal texts, equal bytes. What Brotli
// writes differs between its versions, so a page that it has compressed is compared as it was
// before. The numbers that follow from its bytes are masked, and so are the messages of a quarantine,
// which are for people.
//
//   bytes, checksum         of a compressed page, in the index of its run
//   offset, headOffset      of what stands behind such a page, there
//   bytes, checksum         of a run with such pages, in the manifest; and the checksum of its line
//   message                 of a record of a quarantine

import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { WrittenRun } from '../../src/state/index'
import type { RunIndex } from '../../src/state/runs/run-format'

const MASK = '(masked)'
const TAIL_BYTES = 8

/** Returns the text of each file by its path, the lines of a text as an array. */
export function folderContent(folder: string): Record<string, unknown> {
  const paths = filesUnder(folder)
  const compressed = new Set(paths.filter(path => isCompressed(join(folder, path))))
  return Object.fromEntries(paths.map(path => [path, contentOf(folder, path, compressed)]))
}

/** Returns the paths of the files in a folder, with slashes. */
export function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map(path => path.replaceAll('\\', '/'))
    .sort()
}

function contentOf(folder: string, path: string, compressed: ReadonlySet<string>): unknown {
  const bytes = readFileSync(join(folder, path))
  const siblings = [...compressed].filter(run => dirname(run) === dirname(path))
  if (path.endsWith('.run')) return runContent(bytes)
  if (path.startsWith('quarantine/')) return linesOf(bytes).map(withoutMessage)
  if (basename(path) === 'manifest.json' && siblings.length > 0)
    return manifestContent(bytes, new Set(siblings.map(run => basename(run))))
  return linesOf(bytes)
}

function linesOf(bytes: Buffer): string[] {
  return bytes.toString('latin1').split('\n')
}

function withoutMessage(line: string): string {
  return line.replace(/(?<=,"message":)"(?:[^"\\]|\\.)+"/, `"${MASK}"`)
}

function manifestContent(bytes: Buffer, compressed: ReadonlySet<string>): string[] {
  const [, json] = /^[\da-f]{8} (.*)\n$/s.exec(bytes.toString()) ?? []
  const manifest = JSON.parse(json!)
  for (const { runs } of Object.values<{ runs: Record<keyof WrittenRun, unknown>[] }>(
    manifest.tables,
  )) {
    for (const run of runs)
      if (compressed.has(String(run.name))) Object.assign(run, { bytes: MASK, checksum: MASK })
  }
  return [`${MASK} ${JSON.stringify(manifest)}`]
}

function indexOf(run: Buffer): { readonly start: number; readonly index: RunIndex } {
  const end = run.length - TAIL_BYTES
  const start = end - run.readUInt32LE(end)
  return { start, index: JSON.parse(run.toString('utf8', start, end)) }
}

function isCompressed(path: string): boolean {
  if (!path.endsWith('.run')) return false
  const { blocks } = indexOf(readFileSync(path)).index
  return blocks.some(({ pages }) => pages.some(({ rawBytes }) => rawBytes > 0))
}

/** The pages, the heads and the index. The reader of runs checks their checksums. */
function runContent(run: Buffer): unknown {
  const { start, index } = indexOf(run)
  let end = 0
  let isMasked = false
  const blocks = index.blocks.map(block => {
    let { offset } = block
    const place = isMasked ? { offset: MASK } : {}
    const pages = block.pages.map(page => {
      const bytes = run.subarray(offset, (offset += page.bytes))
      if (page.rawBytes === 0) return { page, lines: linesOf(bytes) }
      isMasked = true
      const masked = { ...page, bytes: MASK, checksum: MASK }
      return { page: masked, lines: linesOf(brotliDecompressSync(bytes)) }
    })
    const heads = run.subarray(block.headOffset, block.headOffset + block.headBytes)
    end = Math.max(end, offset, block.headOffset + block.headBytes)
    const headPlace = isMasked ? { headOffset: MASK } : {}
    const record = { ...block, ...place, pages: pages.map(({ page }) => page), ...headPlace }
    return { record, lines: pages.map(({ lines }) => lines), heads: heads.toString('hex') }
  })
  return {
    blocks: blocks.map(({ lines, heads }) => ({ lines, heads })),
    index: JSON.stringify({ ...index, blocks: blocks.map(({ record }) => record) }),
    bytesBetween: start - end,
  }
}
