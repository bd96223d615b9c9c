// `feedmill status --queue`: shows the scheduled categories of a queue, its jobs and its workers.

import { type QueueStatus, queueStatus } from '../../queue'
import { jsonText, print } from '../output'
import type { QueueSetting } from './queue-setting'
import { queueOf } from './queue-setting'

export async function queueStatusCommand(
  options: QueueSetting & { readonly json: boolean },
): Promise<void> {
  const status = await queueStatus(queueOf(options))
  await print(options.json ? jsonText(status) : statusLines(status))
}

export function statusLines(status: QueueStatus): string[] {
  const { queue, jobs, categories, failures, workers } = status
  const counts = Object.entries(jobs).map(([state, count]) => `${count} ${state}`)
  return [
    queue,
    `jobs: ${counts.join(', ')}`,
    `workers: ${workers.length === 0 ? 'none' : workers.join(', ')}`,
    ...categories.map(categoryLine),
    ...failures.map(
      ({ marketplace, categoryId, at, reason }) =>
        `failed: ${marketplace} ${categoryId}${at === undefined ? '' : ` at ${at.toISOString()}`}: ${reason}`,
    ),
  ]
}

function categoryLine(category: QueueStatus['categories'][number]): string {
  const { marketplace, categoryId, nextAt, worker } = category
  const running = worker === undefined ? '' : `, runs on ${worker}`
  const next = nextAt === undefined ? '' : `: due at ${nextAt.toISOString()}`
  return `category ${marketplace} ${categoryId}${next}${running}`
}
