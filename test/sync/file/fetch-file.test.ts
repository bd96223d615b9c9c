// What stays of a file in its spool when a run ends in the middle of it.

import { expect, test } from 'vitest'
import { FeedError, type RangeInfo, Retries, retryPolicy } from '../../../src/engine/index'
import { fetchFile } from '../../../src/sync/file/fetch-file'
import { Spool } from '../../../src/sync/file/spool'
import type { FileDownload, SnapshotId } from '../../../src/sync/file-id'
import type { SyncSource } from '../../../src/sync/source/sync-source'
import { SimulatedMachine } from '../simulated-machine'

const ID: SnapshotId = {
  marketplace: 'm',
  categoryId: '1',
  feed: 'item_snapshot',
  hour: '2026-03-01T07:00:00.000Z',
}
const FIRST: RangeInfo = { totalBytes: 9, etag: '"a"', empty: false }
const text = (bytes: string) => Buffer.from(bytes)

type Step = RangeInfo | Uint8Array | 'killed' | 'broken'

/** Fetches a file from a server that gives these steps at each request, and tells what was asked. */
async function fetched(machine: SimulatedMachine, ...answers: readonly (readonly Step[])[]) {
  const spool = await Spool.open({
    files: machine.start().files,
    folder: '/spool/a',
    key: 'a',
    pieceBytes: 2,
  })
  const asked: unknown[] = []
  const stop = new AbortController()
  const compressed: FileDownload['compressed'] = ({ resume, onInfo } = {}) => {
    const steps = answers[asked.push(resume) - 1] ?? []
    async function* batches() {
      for (const step of steps) {
        if (step === 'killed') return stop.abort(new Error('killed'))
        if (step === 'broken') throw new FeedError('HTTP_TRANSPORT', 'broken', { url: '' })
        if (step instanceof Uint8Array) yield step
        else onInfo?.(step)
      }
    }
    return { batches } as ReturnType<FileDownload['compressed']>
  }
  const source = { download: () => ({ compressed }) } as unknown as SyncSource
  const retry = retryPolicy('retry', { backoffBaseMs: 0 })
  const outcome = await fetchFile(ID, spool, {
    source,
    retry,
    spoilt: new Retries(retry, stop.signal),
    ranges: {},
    now: () => 0,
    signal: stop.signal,
  })
  return { asked, outcome, spool }
}

test('fault 131: a file that goes on under another validator is resumed from where the first one ended', async () => {
  const machine = new SimulatedMachine(0)
  const { etag: _, ...unproven } = FIRST
  const first = await fetched(machine, [FIRST, text('abcd'), unproven, text('EFG'), 'killed'])
  await first.spool.close()
  const second = await fetched(machine, [FIRST, text('efghi')])
  const { empty: __, ...identity } = FIRST
  expect(second.asked).toEqual([{ offset: 4, identity }])
  expect(second.outcome.kind).toBe('whole')
  const data = await machine.start().files.open('/spool/a/data')
  expect(Buffer.from(await data!.read(0, 20)).toString()).toBe('abcdefghi')
})

test('fault 131: a repeat in the same run begins anew where it went on under another validator', async () => {
  const { etag: _, ...unproven } = FIRST
  const { asked, outcome, spool } = await fetched(
    new SimulatedMachine(0),
    [FIRST, text('abcd'), unproven, text('EFG'), 'broken'],
    [FIRST, text('abcdefghi')],
  )
  expect([asked, outcome.kind, spool.length]).toEqual([[undefined, undefined], 'whole', 9])
})
