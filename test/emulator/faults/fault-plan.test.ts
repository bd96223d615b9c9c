import { describe, expect, test } from 'vitest'
import {
  FAULT_KINDS,
  type FaultOptions,
  faultSettings,
  faultText,
} from '../../../src/emulator/faults/fault'
import { FaultPlan } from '../../../src/emulator/faults/fault-plan'

const PATH = '/buy/feed/v1_beta/item?category_id=220'
const plan = (options: FaultOptions = {}) => new FaultPlan(faultSettings(['/buy/feed/*'], options))
const request = (range = 'bytes=0-9', headers: Record<string, string> = {}, path = PATH) =>
  new Request(`http://x${path}`, { headers: { range, ...headers } })
const decisions = (of: FaultPlan, count: number, ask: (i: number) => Request) =>
  Array.from({ length: count }, (_, i) => {
    const planned = of.decide(ask(i))
    return planned === undefined ? '' : `${faultText(planned.fault)} ${planned.place}`
  })
const ranges = (i: number) => request(`bytes=${i * 10}-${i * 10 + 9}`)

describe('fault plan', () => {
  test('the same seed gives the same decisions, and another seed gives others', () => {
    const options = { rate: 0.4, kinds: FAULT_KINDS }
    const first = decisions(plan({ ...options, seed: 3 }), 200, ranges)
    expect(decisions(plan({ ...options, seed: 3 }), 200, ranges)).toEqual(first)
    expect(decisions(plan({ ...options, seed: 4 }), 200, ranges)).not.toEqual(first)
  })

  test('a decision depends only on the earlier requests for the same range', () => {
    const kinds = FAULT_KINDS.filter(kind => kind !== 'replaced' && kind !== 'truncated')
    const inOrder = decisions(plan({ rate: 0.5, kinds }), 100, i => ranges(i % 50))
    const mixed = plan({ rate: 0.5, kinds })
    const reversed = decisions(mixed, 100, i => ranges(49 - (i % 50)))
    expect([...reversed.slice(0, 50).reverse(), ...reversed.slice(50).reverse()]).toEqual(inOrder)
    expect(inOrder.slice(0, 50)).not.toEqual(inOrder.slice(50))
  })

  test('the rate is the share of requests, and all kinds are drawn', () => {
    const drawn = decisions(plan({ rate: 0.2, seed: 9 }), 5_000, ranges).filter(text => text !== '')
    expect(Math.abs(drawn.length - 1_000)).toBeLessThan(120)
    expect(new Set(drawn.map(text => text.split(/[; ]/)[0])).size).toBe(9)
  })

  test('an address has its file replaced once by the rate', () => {
    const drawn = decisions(plan({ rate: 1, kinds: ['replaced'] }), 50, ranges)
    expect(drawn.filter(text => text !== '')).toHaveLength(1)
  })

  test('oncePerFile: a file meets each kind once, in any parts and repeats; the rest alone meets what needs a rest', () => {
    const kinds = ['reset', '503', 'range-ignored'] as const
    const one = plan({ rate: 1, kinds, oncePerFile: true })
    const kindsOf = (...asked: string[]) =>
      asked.map(range => one.decide(request(range))?.fault.kind)
    const whole = kindsOf(...Array.from({ length: 4 }, () => 'bytes=0-99999'))
    expect(whole.slice(0, 2).sort()).toEqual(['503', 'reset'])
    expect(whole.slice(2)).toEqual([undefined, undefined])
    expect(kindsOf('bytes=500-99999', 'bytes=600-99999')).toEqual(['range-ignored', undefined])
    const other = request('bytes=0-99999', {}, '/buy/feed/v1_beta/item?category_id=267')
    expect(one.decide(other)).toBeDefined()
  })

  test('oncePerFile: a request for a few bytes meets none, and uses none up', () => {
    const one = plan({ rate: 1, kinds: ['reset'], oncePerFile: true })
    const kinds = ['bytes=0-0', 'bytes=0-1022', 'bytes=0-1023'].map(
      range => one.decide(request(range))?.fault.kind,
    )
    expect(kinds).toEqual([undefined, undefined, 'reset'])
    const whole = plan({ rate: 1, kinds: ['reset'], oncePerFile: true })
    expect(whole.decide(new Request(`http://x${PATH}`))?.fault.kind).toBe('reset')
  })

  test('oncePerFile: a fault of ranges waits for a request with a Range', () => {
    const one = plan({ rate: 1, kinds: ['range-wrong'], oncePerFile: true })
    expect(one.decide(new Request(`http://x${PATH}`))).toBeUndefined()
    expect(one.decide(request('bytes=0-'))?.fault.kind).toBe('range-wrong')
  })

  test('a header decides alone; skip and times count the requests for its address', () => {
    const fault = { 'x-feedmill-fault': 'reset;skip=2;times=3' }
    const one = plan({ rules: [{ route: '*', fault: '503' }] })
    const met = Array.from(
      { length: 7 },
      (_, i) => one.decide(request(`bytes=${i}-${i}`, fault))?.source,
    )
    expect(met).toEqual([undefined, undefined, 'header', 'header', 'header', undefined, undefined])
    expect(one.decide(request('bytes=0-1', fault, '/buy/feed/v1_beta/item_group'))).toBeUndefined()
  })

  test('the first matching rule decides before the rate', () => {
    const rules = [
      { route: '/buy/feed/v1_beta/item', fault: 'stall;times=1' },
      { route: '*', fault: '503' },
    ]
    const one = plan({ rules, rate: 1, kinds: ['html'] })
    expect([one.decide(request())?.fault.kind, one.decide(request())?.fault.kind]).toEqual([
      'stall',
      undefined,
    ])
    expect(one.decide(request('bytes=0-1', {}, '/identity/token'))?.fault.kind).toBe('503')
  })

  test('a fault plan ignores a header with a documented error, and refuses an unknown word', () => {
    expect(
      plan({ rate: 1 }).decide(request('bytes=0-1', { 'x-feedmill-fault': 'error;code=13006' })),
    ).toBeUndefined()
    expect(() => plan().decide(request('bytes=0-1', { 'x-feedmill-fault': 'explode' }))).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }),
    )
  })

  test('everything happens again after a restart', () => {
    const one = plan({ rate: 0.5, kinds: FAULT_KINDS })
    const first = decisions(one, 60, ranges)
    one.restart()
    expect(decisions(one, 60, ranges)).toEqual(first)
  })
})
