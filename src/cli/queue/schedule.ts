// `feedmill schedule` and `feedmill unschedule`: which categories and feeds a queue has.

import { scheduleCategories, unscheduleCategories } from '../../queue'
import { given } from '../given'
import { jsonText, print } from '../output'
import { feedsOf } from '../sync/feed-of'
import { targetOf } from '../sync/target-option'
import type { ScheduleCommand, UnscheduleCommand } from './queue-commands'
import { queueOf } from './queue-setting'

export async function scheduleCommand(options: ScheduleCommand): Promise<void> {
  const { to, every, attempts, json } = options
  const { marketplace, categories, sources } = await chosenOf(options)
  const target = to === undefined ? undefined : (await targetOf(to)).name
  const shared = {
    queue: queueOf(options),
    attempts,
    everyMs: every * 1_000,
    ...given({ target }),
  }
  if (sources) await scheduleCategories({ ...shared, sources })
  else await scheduleCategories({ ...shared, marketplace, categories })
  const text = `${marketplace} ${categories.join(', ')}: scheduled every ${every} s`
  await print(json ? jsonText({ marketplace, scheduled: categories }) : text)
}

export async function unscheduleCommand(options: UnscheduleCommand): Promise<void> {
  const { marketplace, categories, sources } = await chosenOf(options)
  const queue = queueOf(options)
  const removed = sources
    ? await unscheduleCategories({ queue, sources })
    : await unscheduleCategories({ queue, marketplace, categories })
  const words = removed.length === 0 ? 'nothing was scheduled' : `${removed.join(', ')}: removed`
  await print(options.json ? jsonText({ marketplace, removed }) : `${marketplace} ${words}`)
}

/** Returns what a command is about. A feed is the category of its name, of the marketplace `own`. */
async function chosenOf({ marketplace = 'own', category = [], source }: UnscheduleCommand) {
  const sources = await feedsOf(source, false)
  return { marketplace, categories: sources?.map(({ name }) => name) ?? category, sources }
}
