import { describe, expect, test } from 'vitest'
import { campaignChanges, campaignPayload } from '../../../src/emulator/world/campaigns'
import { dayStart } from '../../../src/emulator/world/file-day'
import { mix } from '../../../src/emulator/world/hash'

describe('campaigns', () => {
  test('the changes of each day explain the difference to the payload of the next', () => {
    const seen = new Set<string>()
    for (let i = 0; i < 1_500; i++) {
      const key = mix(99, i)
      for (let day = 20_500; day < 20_512; day++) {
        const before = campaignPayload(key, dayStart(day) - 1)
        const after = campaignPayload(key, dayStart(day + 1) - 1)
        const [kind, ...more] = campaignChanges(key, day, dayStart(day + 1))
        expect(more).toEqual([])
        if (kind === undefined) expect(after).toBe(before)
        if (kind === 'REMOVED_FROM_CAMPAIGN') expect([before === '', after]).toEqual([false, ''])
        if (kind === 'ADDED_TO_CAMPAIGN') expect([before, after === '']).toEqual(['', false])
        if (kind === 'TRACKING_PAYLOAD_REFRESHED')
          expect([before === '', after === '', before === after]).toEqual([false, false, false])
        if (kind !== undefined) seen.add(kind)
      }
    }
    expect(seen.size).toBe(3)
  })
})
