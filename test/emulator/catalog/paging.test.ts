import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pageOf } from '../../../src/emulator/catalog/paging'

const URL_OF_LIST = 'http://shop.test:81/files?category_ids=7'
const entriesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => [Math.floor(i / 3) - 5, i % 3] as const)
const position = (entry: readonly number[]) => entry

function walk(entries: readonly (readonly number[])[], limit: number): number[][] {
  const seen: number[][] = []
  for (let url: string | undefined = URL_OF_LIST; url !== undefined; ) {
    const token: string | null = new URL(url).searchParams.get('continuation_token')
    const page: ReturnType<typeof pageOf<readonly number[]>> = pageOf(entries, position, {
      request: new Request(url),
      context: 'MKT_US',
      limit,
      token,
    })!
    seen.push(...page.entries.map(entry => [...entry]))
    url = page.next
  }
  return seen
}

test('the pages have every entry once and in order, for any size of a page', () => {
  fc.assert(
    fc.property(fc.nat(60), fc.integer({ min: 1, max: 70 }), (count, limit) => {
      expect(walk(entriesOf(count), limit)).toEqual(entriesOf(count).map(entry => [...entry]))
    }),
    { numRuns: 50 },
  )
})

test('links keep the address of the request', () => {
  const page = pageOf(entriesOf(5), position, {
    request: new Request(URL_OF_LIST),
    context: '',
    limit: 2,
    token: null,
  })!
  expect(page).toMatchObject({ href: URL_OF_LIST, total: 5 })
  expect(page.next).toMatch(
    /^http:\/\/shop\.test:81\/files\?category_ids=7&continuation_token=[\w%.-]+$/,
  )
})

test('only a token of the same list is accepted', () => {
  const list = { request: new Request(URL_OF_LIST), context: 'MKT_US', limit: 2 }
  const token = new URL(
    pageOf(entriesOf(5), position, { ...list, token: null })!.next!,
  ).searchParams.get('continuation_token')!
  expect(pageOf(entriesOf(5), position, { ...list, token })?.entries).toEqual(
    entriesOf(5).slice(2, 4),
  )
  expect(pageOf(entriesOf(5), position, { ...list, context: 'MKT_DE', token })).toBeUndefined()
  expect(
    pageOf(entriesOf(5), position, { ...list, request: new Request(`${URL_OF_LIST}8`), token }),
  ).toBeUndefined()
  const foreign = fc.oneof(
    fc.string(),
    fc.constantFrom('', '.', token.slice(0, -1), `${token}.x`, `x${token}`),
  )
  fc.assert(
    fc.property(foreign, text => {
      fc.pre(text !== token && !text.startsWith(`${token}.`))
      expect(pageOf(entriesOf(5), position, { ...list, token: text })).toBeUndefined()
    }),
  )
})
