// Objects of buckets as what commands read and write.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { run } from '../../src/cli/program'
import { CREDENTIALS, TestBucket } from '../integrations/s3/test-bucket'
import { runsWithService } from '../services'
import { outcomeOf } from './served'

const runs = await runsWithService('s3')
const command = (...words: string[]) => outcomeOf(() => run(['node', 'feedmill', ...words]))
const TSV = 'sku\ttitle\nA-1\tlamp\nA-2\t\n'

test('an address with a question mark is refused, and not shown', async () => {
  const { err, exitCode } = await command('inspect', 's3://shop/stock?sig=4711-0815')
  expect([err.join(), exitCode]).toEqual([
    expect.stringContaining('the address must be s3://bucket/key without parameters'),
    2,
  ])
  expect(err.join()).not.toContain('4711')
})

describe.skipIf(!runs)('in a bucket', () => {
  let bucket: TestBucket
  let folder: string
  beforeAll(async () => {
    bucket = await TestBucket.made()
    folder = mkdtempSync(join(tmpdir(), 'feedmill-buckets-'))
  })
  afterAll(async () => {
    await bucket.drop()
    rmSync(folder, { recursive: true })
  })
  beforeEach(async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_S3', bucket.options.endpoint as string)
    vi.stubEnv('AWS_ACCESS_KEY_ID', CREDENTIALS.accessKeyId)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', CREDENTIALS.secretAccessKey)
    await bucket.put('stock.tsv.gz', gzipSync(TSV))
  })
  afterEach(() => vi.unstubAllEnvs())
  const at = (key: string) => bucket.addressOf(key)

  test.each(['ndjson', 'csv', 'arrow', 'parquet'])('convert reads and writes %s', async form => {
    const to = at(`out.${form}`)
    const { err, exitCode } = await command('convert', at('stock.tsv.gz'), to, '--infer')
    expect([err, exitCode]).toEqual([['2 rows written'], undefined])
    const content = await bucket.get(`out.${form}`)
    if (form === 'csv') expect(content).toBe('sku,title\r\nA-1,lamp\r\nA-2,\r\n')
    else expect(content).toMatch(/^(?:\{"sku":"A-1"|ARROW1|PAR1)/)
  })

  test('convert compresses by the name of the object', async () => {
    const path = join(folder, 'stock.csv')
    writeFileSync(path, 'sku\nA-1\n')
    await command('convert', path, at('stock.ndjson.gz'))
    const { out } = await command('convert', at('stock.ndjson.gz'), '-', '--format', 'ndjson')
    expect(out).toEqual(['{"sku":"A-1"}'])
  })

  test('a database is no object', async () => {
    const { exitCode } = await command('convert', at('stock.tsv.gz'), at('stock.sqlite'))
    expect(exitCode).toBe(2)
  })

  test('inspect reads an object, and names it', async () => {
    const { out, exitCode } = await command('inspect', at('stock.tsv.gz'), '--json')
    const report = JSON.parse(out.join(''))
    expect([report.source, report.rows, exitCode]).toEqual([at('stock.tsv.gz'), 2, undefined])
  })

  test('diff reads two objects', async () => {
    await bucket.put('later.tsv', `${TSV}A-3\tdesk\n`)
    const words = ['diff', at('stock.tsv.gz'), at('later.tsv'), '--key', 'sku', '--json']
    const { out, exitCode } = await command(...words)
    expect([out.length, exitCode]).toEqual([1, 1])
    expect(out[0]).toContain('A-3')
  })

  test('sync follows a bucket, and export writes into it', async () => {
    await bucket.put('exports/full-1.tsv', TSV)
    const feed = join(folder, 'feed.json')
    const columns = { sku: { type: 'text' }, title: { type: 'text' } }
    const files = { bucket: at('exports/'), full: 'full-*' }
    writeFileSync(feed, JSON.stringify({ name: 'stock', columns, key: 'sku', files }))
    const state = join(folder, 'state')
    expect((await command('sync', '--source', feed, '--state', state)).exitCode).toBeUndefined()
    const out = at('all.ndjson')
    await command('export', '--source', feed, '--state', state, '--out', out)
    const lines = (await bucket.get('all.ndjson'))!.trim().split('\n')
    expect(lines.map(line => JSON.parse(line).sku).sort()).toEqual(['A-1', 'A-2'])
    expect(await bucket.uploads()).toEqual([])
  })

  test('a refusal says what to do, and nothing of the key', async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another-secret-key')
    const { err, exitCode } = await command('convert', at('stock.tsv.gz'), at('x.csv'))
    expect(exitCode).not.toBeUndefined()
    expect(err.join()).toContain('check the secret access key and the endpoint')
    expect(err.join()).not.toContain('another-secret-key')
  })
})
