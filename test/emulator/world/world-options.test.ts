import { describe, expect, test } from 'vitest'
import { createWorld } from '../../../src/emulator/world/world'
import { completeWorldOptions, type WorldOptions } from '../../../src/emulator/world/world-options'

describe('world options', () => {
  test('options that are left out have their defaults', () => {
    expect(completeWorldOptions({ seed: 1, items: 2 })).toMatchObject({
      shape: 'plain',
      marketplaces: ['MKT_US'],
      categories: ['220'],
      hours: 24,
      churn: 1,
      quotedTitles: 0.02,
      endings: 0.3,
    })
  })

  const wrong: [option: keyof WorldOptions, value: unknown, named?: string][] = [
    ['seed', 1.5],
    ['items', -1],
    ['shape', 'round'],
    ['items', 60_000_000],
    ['marketplaces', []],
    ['categories', ['toys']],
    ['start', new Date('2026-03-01T00:30:00Z')],
    ['start', new Date(Number.NaN)],
    ['marketplaces', ['MKT_JP']],
    ['hours', 0],
    ['churn', 0],
    ['quotedTitles', 1.5],
    ['endings', -0.1],
    ['orphans', { groupsWithoutItems: 2 }, 'orphans.groupsWithoutItems'],
    ['orphans', { group: 2 }, 'group'],
  ]
  test.each(wrong)('%s = %j is refused at construction', (option, value, named = option) => {
    const make = () => createWorld({ seed: 1, items: 1, [option]: value } as WorldOptions)
    expect(make).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option: named }),
      }),
    )
  })
})
