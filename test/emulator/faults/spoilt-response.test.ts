import { expect, test } from 'vitest'
import type { Fault } from '../../../src/emulator/faults/fault'
import { spoiltResponse } from '../../../src/emulator/faults/spoilt-response'

const strikes = { stall: async () => {}, reset: async () => {} }
const spoil = (response: Response, fault: Fault) => spoiltResponse(response, fault, strikes)
const part = (contentRange?: string) =>
  new Response('0123456789', {
    status: 206,
    headers: {
      'content-length': '10',
      ...(contentRange === undefined ? {} : { 'content-range': contentRange }),
    },
  })

test.each([
  new Response(null, { status: 204 }),
  new Response('{}', { status: 400 }),
  new Response(null),
])('a fault leaves an answer without content unchanged', response => {
  expect(spoil(response, { kind: 'short' })).toBeUndefined()
})

test('a missing Content-range stays missing', () => {
  for (const kind of ['range-wrong', 'range-missing', 'range-repeated'] as const)
    expect(spoil(part(), { kind })).toBeUndefined()
})

test.each(['10-19/100', 'bytes 10-19/100'])('%s keeps its form', async contentRange => {
  const wrong = spoil(part(contentRange), { kind: 'range-wrong', bytes: 3 })!
  expect(wrong.headers.get('content-range')).toBe(contentRange.replace('10-19', '13-22'))
  expect(await wrong.text()).toBe('3456789')
  expect(spoil(part(contentRange), { kind: 'range-repeated' })!.headers.get('content-range')).toBe(
    `${contentRange}, ${contentRange}`,
  )
})

test('a body with another length loses its length header, and other bodies keep it', () => {
  const told = (fault: Fault) => spoil(part('0-9/10'), fault)!.headers.get('content-length')
  expect([
    told({ kind: 'short' }),
    told({ kind: 'extra' }),
    told({ kind: 'reset', after: 3 }),
    told({ kind: 'bit-flip' }),
  ]).toEqual([null, null, '10', '10'])
})
