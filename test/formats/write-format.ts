// Writes a stored format: what feedmill makes of its inputs now, and what readers see of that.

import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { closing } from '../../src/engine/disk/closing'
import { duckdbTarget } from '../../src/integrations/duckdb'
import { postgresTarget } from '../../src/integrations/postgres'
import { testDatabase } from '../integrations/postgres/test-database'
import { duckdbContent, postgresDump } from './database-content'
import { seenOfFeeds, seenOfService } from './seen-content'
import type { StoredFormat } from './stored-format'

/**
 * Writes a format.
 * @param last the format whose inputs it gets where it has none
 */
export async function writeFormat(format: StoredFormat, last: StoredFormat): Promise<void> {
  if (!existsSync(format.inputs)) cpSync(last.inputs, format.inputs, { recursive: true })
  for (const part of ['service', 'feeds'])
    rmSync(format.path(part), { recursive: true, force: true })
  await format.syncService(format.path('service'))
  await format.syncFeeds(format.path('feeds'))
  const service = await seenOfService(format.path('service'))
  writeJson(format.path('seen.json'), { service, feeds: await seenOfFeeds(format.path('feeds')) })
  await writeDuckdb(format)
  await writePostgres(format)
}

async function writeDuckdb(format: StoredFormat): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'feedmill-formats-'))
  try {
    const path = join(folder, 'items.duckdb')
    await format.syncInto(duckdbTarget(path))
    writeFileSync(format.path('items.duckdb.gz'), gzipSync(readFileSync(path), { level: 9 }))
    writeJson(format.path('items.duckdb.json'), await duckdbContent(path))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function writePostgres(format: StoredFormat): Promise<void> {
  const database = await testDatabase()
  await closing({ close: database.drop }, async () => {
    await format.syncInto(postgresTarget(database.url))
    writeFileSync(format.path('postgres.sql'), await postgresDump(database, 'feedmill'))
  })
}

function writeJson(path: string, value: object): void {
  writeFileSync(path, `${jsonOf(value, 3)}\n`)
}

/** @param levels those whose values have lines of their own, which makes differences readable */
function jsonOf(value: unknown, levels: number): string {
  if (levels === 0 || typeof value !== 'object' || value === null) return JSON.stringify(value)
  const indented = (each: unknown) => jsonOf(each, levels - 1).replaceAll('\n', '\n ')
  const parts = Array.isArray(value)
    ? value.map(indented)
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${indented(each)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return parts.length === 0 ? `${open}${close}` : `${open}\n ${parts.join(',\n ')}\n${close}`
}
