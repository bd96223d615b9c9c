// What proves that two answers are of one file, case by case: the table in file-identity.ts.

import { createHash, randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { DATED, type Reply, reset, ScriptedTransport, sampleFile } from '../scripted-transport'
import { bytesOf, failureOf, fetcherOver, file } from './scripted-fetcher'

const other = file.map((byte, n) => (n < 2 ? byte : byte ^ 1))
const without = (reply: Reply, ...names: string[]): Reply => {
  const kept = Object.entries(reply.headers ?? {}).filter(([name]) => !names.includes(name))
  return { ...reply, headers: Object.fromEntries(kept) }
}
const unproven = (reply: Reply) => without(reply, 'last-modified', 'date')
const PLAIN = { signature: null }

test('“A broken connection is resumed at the exact byte, and a file that is replaced meanwhile is read again from its start”', async () => {
  const broken: ScriptedTransport = new ScriptedTransport(file, asked =>
    asked.index === 0 ? { ...broken.honest(asked), body: [file.slice(0, 11), reset()] } : undefined,
  )
  expect(await bytesOf(fetcherOver(broken))).toEqual(file)
  expect(broken.requests.filter(({ start }) => start === 11).length).toBe(1)
  const replaced: ScriptedTransport = new ScriptedTransport(file, asked => {
    if (asked.index === 0) return { ...replaced.honest(asked), body: [file.slice(0, 11), reset()] }
    replaced.file = other
    const reply = replaced.honest(asked)
    return {
      ...reply,
      headers: { ...reply.headers, 'last-modified': 'Sun, 06 Nov 1994 09:00:00 GMT' },
    }
  })
  expect(await bytesOf(fetcherOver(replaced))).toEqual(other)
})

test('fault 13: a farm with another strong ETag on each machine is served by one request without a range', async () => {
  const transport: ScriptedTransport = new ScriptedTransport(file, asked => {
    const reply = asked.whole ? transport.whole() : transport.honest(asked)
    return { ...reply, headers: { ...reply.headers, etag: `"machine ${asked.index % 3}"` } }
  })
  expect(await bytesOf(fetcherOver(transport))).toEqual(file)
  expect(transport.requests.filter(({ whole }) => whole).length).toBe(1)
})

test('fault 131: a plain file without validators is one request without a range, compared where it is repeated', async () => {
  for (const [later, isSame] of [
    [file, true],
    [other, false],
  ] as const) {
    const transport: ScriptedTransport = new ScriptedTransport(file, asked => {
      if (!asked.whole) return unproven(transport.honest(asked))
      const reply = unproven(transport.whole())
      if (asked.index === 1) return { ...reply, body: [...transport.parts(0, 63), reset()] }
      transport.file = Uint8Array.from(later)
      return unproven(transport.whole())
    })
    if (isSame) expect(await bytesOf(fetcherOver(transport, PLAIN))).toEqual(file)
    else {
      const { context } = await failureOf(fetcherOver(transport, PLAIN), 'RANGE_FILE_REPLACED')
      expect(context).toMatchObject({ what: 'bytes', byteOffset: 63 })
    }
    expect(transport.requests.map(({ whole }) => whole)).toEqual([false, true, true])
  }
})

test('fault 131: ranges of a gzip file without validators overlap, one at a time, up to the end of a member', async () => {
  const member = gzipSync(randomBytes(500))
  const served = (bytes: Uint8Array) => {
    const transport: ScriptedTransport = new ScriptedTransport(bytes, asked =>
      unproven(asked.whole ? transport.whole() : transport.honest(asked)),
    )
    return transport
  }
  const sizes = { chunkBytes: 200, windowBytes: 600 }
  const one = served(member)
  expect(await bytesOf(fetcherOver(one, sizes), 600)).toEqual(Uint8Array.from(member))
  expect(one.requests.map(({ start }) => start)).toEqual([0, 0, 0])
  expect(one.requests.some(({ whole }) => whole)).toBe(false)
  const two = served(Buffer.concat([member, member]))
  expect(await bytesOf(fetcherOver(two, sizes), 600)).toEqual(Uint8Array.from(two.file))
  expect(two.requests.at(-1)).toMatchObject({ whole: true })
})

test('fault 131: a server that refuses a request without a range is told from one that replaced the file', async () => {
  const transport: ScriptedTransport = new ScriptedTransport(file, asked =>
    asked.whole ? { status: 400 } : unproven(transport.honest(asked)),
  )
  const error = await failureOf(fetcherOver(transport, PLAIN), 'RANGE_FILE_REPLACED')
  expect(error.context).toMatchObject({ what: 'proof' })
  expect(error.message).toContain('`expected`')
})

test('fault 131: a size and a SHA-256 that the caller names prove the file, whatever the server states', async () => {
  const sha256 = createHash('sha256').update(file).digest('hex').toUpperCase()
  const options = { ...PLAIN, expected: { totalBytes: file.length, sha256 } }
  const farm = (bytes: Uint8Array) => {
    const transport: ScriptedTransport = new ScriptedTransport(bytes, asked => {
      const reply = unproven(transport.honest(asked))
      return { ...reply, headers: { ...reply.headers, etag: `W/"${asked.index}"` } }
    })
    return transport
  }
  const good = farm(file)
  expect(await bytesOf(fetcherOver(good, options))).toEqual(file)
  expect(good.requests.length).toBe(5)
  const failure = await failureOf(fetcherOver(farm(other), options), 'RANGE_FILE_REPLACED')
  expect(failure.context).toMatchObject({ what: 'sha256', before: sha256.toLowerCase() })
  for (const wrong of [
    { totalBytes: -1, sha256 },
    { totalBytes: 1, sha256: 'abc' },
  ])
    expect(() => fetcherOver(good, { expected: wrong })).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    )
})

test('fault 158: a body whose end nothing proves is not taken as whole', async () => {
  const unframed = () =>
    new ScriptedTransport(file, () => ({ status: 200, headers: DATED, body: [file] }))
  const error = await failureOf(fetcherOver(unframed()), 'HTTP_CONTENT_LENGTH')
  expect(error.message).toMatch(/`expected`.*`acceptUnknownEnd`/)
  expect(await bytesOf(fetcherOver(unframed(), { acceptUnknownEnd: true }))).toEqual(file)
  const sha256 = createHash('sha256').update(file).digest('hex')
  const expected = { totalBytes: file.length, sha256 }
  expect(await bytesOf(fetcherOver(unframed(), { expected }))).toEqual(file)
  const chunked = new ScriptedTransport(file, () => ({
    status: 200,
    headers: { 'transfer-encoding': 'chunked' },
    body: [file],
  }))
  expect(await bytesOf(fetcherOver(chunked))).toEqual(file)
})

test('fault 131: an earlier download is gone on with only where its identity proves the file', async () => {
  const transport = new ScriptedTransport(sampleFile(100))
  const resumed = (identity: object) => fetcherOver(transport, { resume: { offset: 40, identity } })
  const lastModified = DATED['last-modified']
  const parts: Uint8Array[] = []
  for await (const { bytes } of resumed({ totalBytes: 100, lastModified, isDateStrong: true }))
    parts.push(bytes)
  expect(Uint8Array.from(Buffer.concat(parts))).toEqual(file.slice(40))
  for (const identity of [{}, { lastModified }, { totalBytes: 100 }]) {
    const reading = (async () => {
      for await (const _ of resumed(identity));
    })()
    await expect(reading).rejects.toMatchObject({ code: 'RANGE_FILE_REPLACED' })
  }
})

test('a part in answer to a request without a range is no whole file where its total is unknown', async () => {
  const transport: ScriptedTransport = new ScriptedTransport(file, () => ({
    status: 206,
    headers: { 'content-range': 'bytes 0-19/*' },
    body: [file.slice(0, 20)],
  }))
  await failureOf(fetcherOver(transport, PLAIN), 'RANGE_HEADER_INVALID')
})
