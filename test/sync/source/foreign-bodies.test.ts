// Files of a feed of one's own that are no table: the state stays as it was. A table under the
// label of a page is read with `content: 'table'`.

import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { defineSchema, text } from '../../../src/index'
import { fetchTransport } from '../../../src/service/http/fetch-transport'
import { openState } from '../../../src/sync/read/open-state'
import { sync } from '../../../src/sync/run/sync'
import type { FeedSource } from '../../../src/sync/source/feed-source'
import { BROTLI, FOREIGN, UNPACKED } from '../../foreign-bodies'
import { hasZstd } from '../../zstd'
import { SimulatedMachine } from '../simulated-machine'
import { FOLDER } from '../small-run'

const schema = defineSchema({ name: 'stock', columns: { id: text(), title: text() } })
const GOOD = 'id\ttitle\n1\tLamp\n'

function sourceOf(bodies: readonly Uint8Array[], type: string, content?: 'table') {
  const transport = fetchTransport(async ({ url }) => {
    const body = bodies[Number(new URL(url).pathname.slice(1))]!
    return new Response(Uint8Array.from(body), {
      headers: { 'content-type': type, 'content-length': `${body.length}` },
    })
  })
  const source: FeedSource<typeof schema.columns> = {
    name: 'stock',
    schema,
    key: 'id',
    transport,
    ...(content && { content }),
    files: bodies.map((_, n) => ({
      id: `${n}`,
      from: `https://stock.test/${n}`,
      kind: 'full',
      time: new Date(Date.UTC(2026, 0, 1 + n)),
    })),
  }
  return source
}

type Source = FeedSource<typeof schema.columns>

/** The message of the file that could not be had, and the titles in the state afterwards. */
async function after(source: Source) {
  const machine = new SimulatedMachine(0)
  const options = { source, folder: FOLDER, environment: machine.start(), retry: { patienceMs: 0 } }
  const failure = await sync(options).summary.then(
    () => undefined,
    error => ({ code: error.code, message: error.message }),
  )
  const titles: unknown[] = []
  if (failure === undefined || !failure.message.includes('/full/0 ')) {
    const state = await openState(FOLDER, { environment: machine.start() })
    for await (const block of state.feed(source).rows())
      for (const row of block) titles.push(row.get('title'))
    await state.close()
  }
  return { titles, failure }
}

test('fault 136: a full file that is no table leaves the state as it was', async () => {
  const wrong = FOREIGN.filter(({ name }) => name !== 'gzip')
  for (const [n, { name, bytes, what }] of wrong.entries()) {
    const body = n % 2 === 0 && !UNPACKED.has(name) ? bytes : gzipSync(bytes)
    expect(await after(sourceOf([Buffer.from(GOOD), body], 'text/csv'))).toEqual({
      titles: ['Lamp'],
      failure: { code: 'SYNC_FILE_FAILED', message: expect.stringMatching(what) },
    })
  }
  const { titles, failure } = await after(sourceOf([Buffer.from(GOOD), BROTLI.bytes], 'text/csv'))
  expect([titles, failure?.code]).toEqual([['Lamp'], 'SYNC_FILE_FAILED'])
})

test('fault 169: files are unpacked by their first bytes, and an archive that is not read changes nothing', async () => {
  const bodyOf = (name: string) => FOREIGN.find(body => body.name === name)!.bytes
  expect(await after(sourceOf([Buffer.from(GOOD), bodyOf('zip')], 'text/csv'))).toEqual({
    titles: ['Lamp', 'Chair'],
    failure: undefined,
  })
  const zstd = await after(sourceOf([Buffer.from(GOOD), bodyOf('zstd')], 'application/gzip'))
  expect(zstd).toMatchObject(
    hasZstd
      ? { titles: ['Lamp', 'Chair'], failure: undefined }
      : { failure: { code: 'DEPENDENCY_UNSUPPORTED' } },
  )
  for (const [name, message] of [
    ['empty zip', /no file in it/],
    ['xlsx', /a second file/],
  ] as const)
    expect(await after(sourceOf([Buffer.from(GOOD), bodyOf(name)], 'text/csv'))).toEqual({
      titles: ['Lamp'],
      failure: { code: 'SYNC_FILE_FAILED', message: expect.stringMatching(message) },
    })
  const cut = bodyOf('zip').subarray(0, -1)
  expect(await after(sourceOf([Buffer.from(GOOD), cut], 'text/csv'))).toEqual({
    titles: ['Lamp'],
    failure: { code: 'SYNC_FILE_FAILED', message: expect.stringMatching(/cut off/) },
  })
})

test("a table under the label of a page is read with content: 'table'", async () => {
  const bodies = [Buffer.from(GOOD)]
  expect(await after(sourceOf(bodies, 'text/html', 'table'))).toEqual({
    titles: ['Lamp'],
    failure: undefined,
  })
  expect(await after(sourceOf(bodies, 'text/html'))).toMatchObject({
    failure: { code: 'SYNC_FILE_FAILED', message: expect.stringContaining("content: 'table'") },
  })
})
