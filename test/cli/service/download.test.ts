import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exitCodeOf } from '../../../src/cli/exit-code'
import { downloadCommand } from '../../../src/cli/service/download'
import { PASSING_FAULTS } from '../../../src/emulator'
import type { FaultKind } from '../../../src/emulator/index'
import type { FileMetadata } from '../../../src/service'
import { outcomeOf } from '../served'
import { commanded, values } from './commanded'

const CATALOG = '/buy/feed/v1'
const DOWNLOADS = `${CATALOG}/file/*/download`

let at: Awaited<ReturnType<typeof commanded>>
let files: readonly string[]
beforeAll(async () => {
  at = await commanded()
  const { fileMetadata } = await at.body(`${CATALOG}/file`)
  files = (fileMetadata as FileMetadata[]).map(({ fileId }) => fileId)
})
afterAll(() => at.close())

let count = 0
function freshFolder(): string {
  const path = join(at.folder, `out-${count++}`)
  mkdirSync(path)
  return path
}

const truth = (fileId: string, stand = at) => stand.bytes(`${CATALOG}/file/${fileId}/download`)
const words = (ids: readonly string[], out: string) => [
  ...['catalog', 'download', ...ids],
  ...['--marketplace', 'MKT_US', '--out', out],
]

test('files go to a folder under their names, byte by byte as the service has them', async () => {
  const folder = freshFolder()
  const outcome = await at.run(...words(files.slice(0, 3), folder), '--json')
  const facts = values(outcome) as { fileId: string; path: string; bytes: number }[]
  expect(facts.map(({ fileId }) => fileId)).toEqual(files.slice(0, 3))
  for (const { fileId, path, bytes } of facts) {
    expect(path).toBe(join(folder, `downloadFile.MKT_US.${fileId}.tsv.gz`))
    const expected = await truth(fileId)
    expect(expected.length).toBeGreaterThan(100)
    expect([readFileSync(path).equals(expected), bytes]).toEqual([true, expected.length])
  }
  expect(readdirSync(folder)).toHaveLength(3)
})

test('one file goes to the path that was named, in place of an earlier file', async () => {
  const path = join(freshFolder(), 'items.tsv.gz')
  writeFileSync(path, 'before')
  const { out, error } = await at.run(...words([files[0]!], path))
  expect([error, out]).toEqual([undefined, [expect.stringMatching(/items\.tsv\.gz {2}\S+ k?B$/)]])
  expect(readFileSync(path).equals(await truth(files[0]!))).toBe(true)
})

test.each(PASSING_FAULTS)('the file is the same where an answer has the fault %s', async kind => {
  const parameters: Partial<Record<FaultKind, string>> = {
    ...{ reset: ';after=100', short: ';after=100', stall: ';ms=1', latency: ';ms=1' },
    ...{ 429: ';retry-after=0', 503: ';retry-after=0' },
  }
  const fault = `${kind}${parameters[kind] ?? ''};times=1`
  const stand = await commanded({ faults: { rules: [{ route: DOWNLOADS, fault }] } })
  try {
    const path = join(stand.folder, 'items.tsv.gz')
    const { error } = await stand.run(...words([files[0]!], path))
    expect([error, stand.emulator.faults.log.length]).toEqual([undefined, 1])
    expect(readFileSync(path).equals(await truth(files[0]!))).toBe(true)
  } finally {
    await stand.close()
  }
})

test('a damaged file does not appear, and an earlier one stays', async () => {
  const stand = await commanded({
    faults: { rules: [{ route: DOWNLOADS, fault: 'bit-flip;after=500' }] },
  })
  try {
    const path = join(freshFolder(), 'items.tsv.gz')
    writeFileSync(path, 'before')
    const { error, out } = await stand.run(...words([files[0]!], path))
    expect(error).toMatchObject({ code: expect.stringMatching(/^GZIP_/) })
    expect([out, exitCodeOf(error)]).toEqual([[], 1])
    expect(readFileSync(path, 'utf8')).toBe('before')
    expect(readdirSync(join(path, '..'))).toEqual(['items.tsv.gz'])
  } finally {
    await stand.close()
  }
})

test('a file that the service does not have is its documented error, and leaves no file', async () => {
  const folder = freshFolder()
  const { error } = await at.run(...words([files[0]!, 'no-such-file'], folder))
  expect(error).toMatchObject({
    code: 'HTTP_STATUS',
    context: { operation: 'downloadFile', status: 404, errorId: 14004 },
  })
  expect(readdirSync(folder)).toEqual([`downloadFile.MKT_US.${files[0]}.tsv.gz`])
})

test.each<[string, readonly string[], string[]]>([
  ['several files at one path', ['a', 'b'], ['--out', 'some/file']],
  ['several files on standard output', ['a', 'b'], ['--out', '-']],
  ['JSON beside a file on standard output', ['a'], ['--out', '-', '--json']],
])('%s: wrong usage', async (_, ids, more) => {
  const { error } = await at.run(...words(ids, '.'), ...more)
  expect(error).toMatchObject({ code: 'OPTION_INVALID', context: { option: 'out' } })
  expect(exitCodeOf(error)).toBe(2)
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends it with %i, and the file does not appear', async (name, code) => {
  const stand = await commanded({
    faults: { rules: [{ route: DOWNLOADS, fault: 'stall;after=100' }] },
  })
  try {
    const [, baseUrl, , tokenUrl, , scopeBase, , credentials] = stand.service
    const out = freshFolder()
    const { exitCode, error } = await outcomeOf(async () => {
      const running = downloadCommand([files[0]!], {
        ...{ baseUrl: baseUrl!, tokenUrl: tokenUrl!, scopeBase: scopeBase! },
        ...{ credentials: credentials!, marketplace: 'MKT_US', out, json: false },
      })
      while (stand.emulator.faults.log.length === 0)
        await new Promise(resolve => setTimeout(resolve, 5))
      process.emit(name, name)
      await running
    })
    expect([exitCode, error, readdirSync(out)]).toEqual([code, undefined, []])
  } finally {
    await stand.close()
  }
})
