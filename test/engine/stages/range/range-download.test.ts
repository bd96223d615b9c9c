import { expect, test } from 'vitest'
import type { Piece } from '../../../../src/engine/codec/range/reorder-buffer'
import { FeedError } from '../../../../src/engine/errors'
import { RangeDownload } from '../../../../src/engine/stages/range/range-download'
import { rangeSettings } from '../../../../src/engine/stages/range/range-settings'
import { DATED, type Script, ScriptedTransport, sampleFile } from '../scripted-transport'

const file = sampleFile(100)

function downloadOver(script?: Script, patienceMs = 4) {
  const transport: ScriptedTransport = new ScriptedTransport(file, script)
  const abort = new AbortController()
  const options = {
    url: 'http://feed.test/file',
    transport,
    chunkBytes: 20,
    windowBytes: 60,
    concurrency: 2,
    retry: { backoffBaseMs: 0, patienceMs },
  }
  return { download: new RangeDownload(rangeSettings(options), abort.signal), transport, abort }
}

test('pieces are the parts as they were received, one range at once', async () => {
  const { download } = downloadOver()
  const pieces: Piece[] = []
  for await (const piece of download.pieces()) {
    expect(piece.bytes).toEqual(file.slice(piece.offset, piece.offset + piece.bytes.length))
    pieces.push(piece)
  }
  expect(pieces.slice(0, 3).map(piece => [piece.offset, piece.bytes.length])).toEqual([
    [0, 7],
    [7, 7],
    [14, 6],
  ])
  expect(pieces.reduce((sum, piece) => sum + piece.bytes.length, 0)).toBe(100)
  expect(download.identity.totalBytes).toBe(100)
})

test('no piece comes before its range is complete', async () => {
  const { download, abort } = downloadOver(({ index }) =>
    index === 0
      ? {
          status: 206,
          headers: { 'content-range': '0-19/100', ...DATED },
          body: [file.slice(0, 19), 'stall'],
        }
      : 'stall',
  )
  const first = download.pieces().next()
  const outcome = await Promise.race([
    first,
    new Promise(resolve => setTimeout(resolve, 20, 'nothing yet')),
  ])
  expect(outcome).toBe('nothing yet')
  expect(download.heldBytes).toBe(19)
  const reason = new FeedError('STAGE_DESTROYED', 'over', { stage: 'test' })
  abort.abort(reason)
  await expect(first).rejects.toBe(reason)
})

test('fault 19: with a single attempt an over-long body is named as the cause', async () => {
  const { download } = downloadOver(
    () => ({
      status: 206,
      headers: { 'content-range': '0-19/100', ...DATED },
      body: [file.slice(0, 21)],
    }),
    0,
  )
  await expect(download.pieces().next()).rejects.toMatchObject({
    code: 'RANGE_RETRIES_EXHAUSTED',
    cause: { code: 'RANGE_BODY_TOO_LONG' },
  })
  expect(download.heldBytes).toBe(0)
})

test('a reader that stops early discards the body of a streamed file', async () => {
  const { download, transport } = downloadOver(() => transport.whole())
  for await (const piece of download.pieces()) if (piece.offset > 0) break
  expect(transport.open).toBe(0)
})
