// `feedmill schedule` and `feedmill unschedule`: which categories a queue has.

import { scheduleCategories, unscheduleCategories } from '../../queue'
import { given } from '../given'
import { jsonText, print } from '../output'
import { targetOf } from '../sync/target-option'
import type { ScheduleCommand, UnscheduleCommand } from './queue-commands'
import { queueOf } from './queue-setting'

export async function scheduleCommand(options: ScheduleCommand): Promise<void> {
  const { marketplace, category: categories, to, every, attempts, json } = options
  const target = to === undefined ? undefined : (await targetOf(to)).name
  await scheduleCategories({
    queue: queueOf(options),
    marketplace,
    categories,
    attempts,
    everyMs: every * 1_000,
    ...given({ target }),
  })
  const text = `${marketplace} ${categories.join(', ')}: scheduled every ${every} s`
  await print(json ? jsonText({ marketplace, scheduled: categories }) : text)
}

export async function unscheduleCommand(options: UnscheduleCommand): Promise<void> {
  const { marketplace, category: categories, json } = options
  const removed = await unscheduleCategories({ queue: queueOf(options), marketplace, categories })
  const words = removed.length === 0 ? 'nothing was scheduled' : `${removed.join(', ')}: removed`
  await print(json ? jsonText({ marketplace, removed }) : `${marketplace} ${words}`)
}
