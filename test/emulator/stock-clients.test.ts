// Runs curl, wget and aria2c with the emulator on a socket, in the header form of RFC 9110. A
// client that is not installed is left out. FEEDMILL_STOCK_MB sets the size of the downloaded file
// (default 6), for a run with a larger one.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmulator } from '../../src/emulator'
import { runsWith, type Tool } from '../tools'
import { token } from './emulator-client'

const MEGABYTES = Number(process.env.FEEDMILL_STOCK_MB ?? 6)
/**
 * Stored without compression a row takes about 670 bytes, and nine items in ten are in the
 * bootstrap.
 */
const ITEMS = Math.ceil((MEGABYTES * 1_000_000) / 590)
const COMMAND_LIMIT_MS = 120_000

// A rule with a wait of 0 records every request in the log.
const emulator = createEmulator({
  world: { seed: 7, items: ITEMS },
  format: { gzipLevel: 0 },
  headerForm: 'rfc9110',
  faults: { rules: [{ route: '*/item', fault: 'latency;ms=0' }] },
})
const folder = mkdtempSync(join(tmpdir(), 'stock-clients-'))
const target = (name: string) => join(folder, name)
let url = ''
let headers: string[] = []
let expected = ''
let totalBytes = 0

beforeAll(async () => {
  const server = await emulator.listen()
  url = `${server.url}${emulator.feedBasePath}/item?feed_scope=ALL_ACTIVE&category_id=220`
  headers = [`Authorization: Bearer ${await token(emulator)}`, 'X-MKT-C-MARKETPLACE-ID: MKT_US']
  const named = Object.fromEntries(headers.map(header => header.split(': ') as [string, string]))
  writeFileSync(
    target('whole'),
    Buffer.from(await (await emulator.fetch(url, { headers: named })).arrayBuffer()),
  )
  totalBytes = readFileSync(target('whole')).length
  expected = sha256('whole')
  expect(totalBytes).toBeGreaterThan(MEGABYTES * 1_000_000)
  emulator.faults.restart()
}, COMMAND_LIMIT_MS)

afterAll(async () => {
  await emulator.close()
  rmSync(folder, { recursive: true })
})

function run(command: string, ...args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { timeout: COMMAND_LIMIT_MS, cwd: folder }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${command} ${args.join(' ')}: ${error.code}\n${stdout}\n${stderr}`))
    })
  })
}

/** Declares a test that needs these clients. */
const testWith = (...tools: Tool[]) => test.runIf(tools.every(runsWith))

const headerArguments = () => headers.flatMap(header => ['-H', header])
const curl = (...args: string[]) =>
  run('curl', '--silent', '--show-error', '--fail', ...headerArguments(), ...args, url)
const wget = (...args: string[]) =>
  run('wget', '--no-verbose', ...headers.map(header => `--header=${header}`), ...args, url)
const aria2c = (...args: string[]) =>
  run(
    'aria2c',
    '--quiet',
    ...headers.map(header => `--header=${header}`),
    '--file-allocation=none',
    ...args,
    url,
  )

function sha256(name: string): string {
  return createHash('sha256')
    .update(readFileSync(target(name)))
    .digest('hex')
}

/** The partial file of a download that was stopped. */
function interrupted(name: string, bytes: number): void {
  writeFileSync(target(name), readFileSync(target('whole')))
  truncateSync(target(name), bytes)
}

testWith('curl', 'wget')('curl and wget without a range: the file', async () => {
  await Promise.all([curl('-o', target('plain-curl')), wget('-O', target('plain-wget'))])
  expect([sha256('plain-curl'), sha256('plain-wget')]).toEqual([expected, expected])
})

testWith('curl')('curl -r: four ranges in parallel make the file', async () => {
  const step = Math.ceil(totalBytes / 4)
  const ends = [step - 1, 2 * step - 1, 3 * step - 1, undefined]
  await Promise.all(
    ends.map((end, i) => curl('-r', `${i * step}-${end ?? ''}`, '-o', target(`part${i}`))),
  )
  writeFileSync(
    target('joined'),
    Buffer.concat(ends.map((_, i) => readFileSync(target(`part${i}`)))),
  )
  expect(sha256('joined')).toBe(expected)
})

testWith('curl')('curl -r with a suffix range', async () => {
  await curl('-r', '-1000', '-o', target('suffix'))
  expect(
    readFileSync(target('suffix')).equals(readFileSync(target('whole')).subarray(-1_000)),
  ).toBe(true)
})

testWith('curl')(
  'curl -C -: resumes where it stopped, and has nothing to do with a whole file',
  async () => {
    interrupted('curl', Math.floor(totalBytes / 3))
    await curl('-C', '-', '-o', target('curl'))
    expect(sha256('curl')).toBe(expected)
    await curl('-C', '-', '-o', target('curl')).catch(() => {})
    expect(sha256('curl')).toBe(expected)
  },
)

testWith('curl')('curl --head: the headers of a GET', async () => {
  const text = await curl('--head')
  expect(text).toMatch(new RegExp(`^HTTP/1.1 200 [^]*content-length: ${totalBytes}\r\n`, 'i'))
})

testWith('wget')('wget -c: from nothing, from a part, and with the whole file', async () => {
  await wget('-c', '-O', target('wget'))
  expect(sha256('wget')).toBe(expected)
  interrupted('wget', Math.floor(totalBytes / 2))
  await wget('-c', '-O', target('wget'))
  expect(sha256('wget')).toBe(expected)
  await wget('-c', '-O', target('wget'))
  expect(sha256('wget')).toBe(expected)
})

testWith('aria2c')('aria2c -x4: several connections at once make the file', async () => {
  emulator.faults.restart()
  await aria2c('-x4', '-s4', '--min-split-size=1M', '--dir', folder, '--out', 'aria2c')
  expect(sha256('aria2c')).toBe(expected)
  expect(new Set(emulator.faults.log.map(({ range }) => range)).size).toBeGreaterThanOrEqual(4)
})

testWith('aria2c')('aria2c -c: resumes what another client began', async () => {
  interrupted('aria2c-resumed', Math.floor(totalBytes / 4))
  await aria2c('-c', '-x4', '--min-split-size=1M', '--dir', folder, '--out', 'aria2c-resumed')
  expect(sha256('aria2c-resumed')).toBe(expected)
})

testWith('curl')('curl goes on where a broken connection left it', async () => {
  interrupted('broken', Math.floor(totalBytes / 2))
  await run(
    'curl',
    '--silent',
    ...headerArguments(),
    '-H',
    'x-feedmill-fault: reset;after=100000',
    '-C',
    '-',
    '-o',
    target('broken'),
    url,
  ).catch(() => {})
  expect(readFileSync(target('broken')).length).toBeLessThan(totalBytes)
  await curl('-C', '-', '-o', target('broken'))
  expect(sha256('broken')).toBe(expected)
})
