import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exitCodeOf } from '../../../src/cli/exit-code'
import type { FileMetadata } from '../../../src/service'
import { cells, commanded, values } from './commanded'

const CATALOG = '/buy/feed/v1'
const CATEGORIES = ['220', '267']
const CONSTRAINTS = [{ marketplaceId: 'MKT_US', categoryIds: CATEGORIES }]
const WORLD = { seed: 5, items: 80, hours: 4, churn: 40, categories: [...CATEGORIES, '888'] }

let at: Awaited<ReturnType<typeof commanded>>
let files: readonly FileMetadata[]
beforeAll(async () => {
  at = await commanded({ world: WORLD, access: { constraints: CONSTRAINTS } })
  const { fileMetadata } = await at.body(`${CATALOG}/file?limit=100`)
  files = fileMetadata as FileMetadata[]
  expect(files.length).toBeGreaterThan(20)
})
afterAll(() => at.close())

const files_ = (...words: string[]) =>
  at.run('catalog', 'files', '--marketplace', 'MKT_US', ...words)
const ids = (list: readonly unknown[]) => (list as FileMetadata[]).map(({ fileId }) => fileId)

describe('catalog access', () => {
  test('prints the rules of the application, as a table and as the body of the service', async () => {
    const body = await at.body(`${CATALOG}/access`)
    expect(values(await at.run('catalog', 'access', '--json'))).toEqual([body])
    const [heading, , ...lines] = cells(await at.run('catalog', 'access'))
    expect(heading).toEqual(['feed type', 'marketplace', 'categories'])
    const accesses = body.accesses as { feedType: string }[]
    expect(lines).toEqual(accesses.map(({ feedType }) => [feedType, 'MKT_US', '220, 267']))
  })
})

describe('catalog feed-types', () => {
  test('prints every feed type, a line each', async () => {
    const { feedTypes } = (await at.body(`${CATALOG}/feed_type`)) as {
      feedTypes: { feedTypeId: string }[]
    }
    expect(feedTypes.length).toBeGreaterThan(1)
    expect(values(await at.run('catalog', 'feed-types', '--json'))).toEqual(feedTypes)
    const [, , ...lines] = cells(await at.run('catalog', 'feed-types'))
    expect(lines.map(([id, scope, status]) => [id, scope, status])).toEqual(
      feedTypes.map(({ feedTypeId }) => [feedTypeId, 'DAILY', 'ACTIVE']),
    )
    expect(values(await at.run('catalog', 'feed-types', '--json', '--limit', '1'))).toEqual(
      feedTypes.slice(0, 1),
    )
    const { feedTypeId } = feedTypes[0]!
    expect(values(await at.run('catalog', 'feed-type', feedTypeId, '--json'))).toEqual([
      await at.body(`${CATALOG}/feed_type/${feedTypeId}`),
    ])
    expect(cells(await at.run('catalog', 'feed-type', feedTypeId))[2]![0]).toBe(feedTypeId)
  })

  test('passes the filters on', async () => {
    const words = ['--marketplace', 'MKT_US', '--feed-scope', 'DAILY']
    expect(values(await at.run('catalog', 'feed-types', '--json', ...words))).toEqual(
      (await at.body(`${CATALOG}/feed_type?marketplace_ids=MKT_US&feed_scope=DAILY`)).feedTypes,
    )
  })
})

describe('catalog files', () => {
  test('prints all files of all pages', async () => {
    expect(values(await files_('--json'))).toEqual(files)
    const profile = join(at.folder, 'small-pages.json')
    writeFileSync(profile, JSON.stringify({ limits: { pageSizeMost: 20 } }))
    expect(values(await files_('--json', '--profile', profile))).toEqual(files)
    const [, , ...lines] = cells(await files_())
    expect(lines.map(([id, type, , date]) => [id, type, date])).toEqual(
      files.map(({ fileId, feedTypeId, feedDate }) => [fileId, feedTypeId, feedDate]),
    )
  })

  test('prints no more than --limit', async () => {
    expect(values(await files_('--json', '--limit', '3'))).toEqual(files.slice(0, 3))
    expect(cells(await files_('--limit', '2'))).toHaveLength(4)
  })

  test('passes the filters on', async () => {
    const feedType = files[0]!.feedTypeId!
    expect(ids(values(await files_('--json', '--feed-type', feedType)))).toEqual(
      ids(files.filter(({ feedTypeId }) => feedTypeId === feedType)),
    )
    const lookBack = ids(values(await files_('--json', '--look-back', '2880')))
    expect(lookBack).toEqual(
      ids(
        (await at.body(`${CATALOG}/file?limit=100&look_back=2880`)).fileMetadata as FileMetadata[],
      ),
    )
    expect(lookBack.length).toBeLessThan(files.length)
    expect(
      ids(values(await files_('--json', '--category', '220', '--feed-scope', 'DAILY'))),
    ).toEqual(ids(files.filter(({ dimensions }) => dimensions![0]!.values!.includes('220'))))
  })

  test('nothing to show is no output and no failure', async () => {
    const { out, exitCode, error } = await files_('--look-back', '1')
    expect([out, exitCode, error]).toEqual([[], undefined, undefined])
  })

  test('prints no size for people, because the sizes of the catalog are not reliable', async () => {
    const { fileId, size } = files.find(({ access }) => access === 'ALLOWED')!
    const one = ['catalog', 'file', fileId, '--marketplace', 'MKT_US']
    expect(values(await at.run(...one, '--json'))).toEqual([
      await at.body(`${CATALOG}/file/${fileId}`),
    ])
    const facts = Object.fromEntries(cells(await at.run(...one)))
    expect(facts).toMatchObject({
      file: fileId,
      categories: expect.stringMatching(/^(220|267)$/),
      access: 'ALLOWED',
    })
    expect(Object.values(facts)).not.toContain(String(size))
  })
})

describe('failures', () => {
  test('a refusal of the service has its documented code', async () => {
    const { error, out } = await at.run('catalog', 'feed-type', 'NO_SUCH_FEED')
    expect(error).toMatchObject({ code: 'HTTP_STATUS', context: { operation: 'getFeedType' } })
    expect([out, exitCodeOf(error)]).toEqual([[], 1])
  })

  test('a value that no request can have is wrong usage, told before a request', async () => {
    for (const words of [
      ['catalog', 'files', '--marketplace', 'us'],
      ['catalog', 'file', '..', '--marketplace', 'MKT_US'],
      ['catalog', 'feed-types', '--feed-scope', 'a b'],
    ])
      expect([words, exitCodeOf((await at.run(...words)).error)]).toEqual([words, 2])
  })
})
