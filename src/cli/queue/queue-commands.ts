// The commands over a queue: their options and help. Each command is loaded when it runs.

import {
  byteSize,
  CLOCK_OPTION,
  type Command,
  jsonOption,
  option,
  positive,
  several,
  type Values,
} from '../command-options'
import { CREDENTIAL_VARIABLES, SERVICE_OPTIONS } from '../service-settings'
import { QUEUE_OPTIONS, QUEUE_VARIABLES } from './queue-setting'

const QUEUE_CREDENTIALS: readonly (readonly [string, string])[] = [
  [QUEUE_VARIABLES.credentials, 'the file of --queue-credentials, which comes first'],
  [QUEUE_VARIABLES.password, 'password of the queue'],
]

const MARKETPLACE = ['--marketplace <id>', 'marketplace, e.g. MKT_US'] as const
const CATEGORY = ['--category <id>', 'top-level category; may be repeated'] as const

/** The option that has a command be about a feed of one's own in place of categories. */
export const SOURCE = ['--source <file>', 'a JSON file that describes a feed of your own'] as const
const SOURCES = [SOURCE[0], `${SOURCE[1]}; may be repeated`] as const

/** The options that say which categories a command is about. */
export const CATEGORY_OPTIONS = [
  option(...MARKETPLACE),
  option(...CATEGORY, { read: several }),
] as const

const UNSCHEDULE_OPTIONS = [
  ...QUEUE_OPTIONS,
  ...CATEGORY_OPTIONS,
  option(...SOURCES, { read: several, conflicts: ['marketplace', 'category'] }),
  jsonOption('print one line of JSON'),
] as const
export type UnscheduleCommand = Values<typeof UNSCHEDULE_OPTIONS>

const SCHEDULE_OPTIONS = [
  ...UNSCHEDULE_OPTIONS,
  option('--to <target>', 'the target of the rows; workers with another one leave the jobs'),
  option('--every <seconds>', 'time between two jobs of a category or a feed', {
    read: positive,
    default: 3_600,
  }),
  option('--attempts <count>', 'attempts of one job', { read: positive, default: 5 }),
] as const
export type ScheduleCommand = Values<typeof SCHEDULE_OPTIONS>

const WORKER_OPTIONS = [
  ...QUEUE_OPTIONS,
  option('--to <target>', 'the target of the rows', { required: true }),
  option(...SOURCES, {
    read: several,
    conflicts: ['now', 'requestsPerSecond', 'requestsPerDay'],
  }),
  option('--concurrency <count>', 'jobs at the same time', { read: positive, default: 1 }),
  option('--memory <size>', 'memory for each job that runs', {
    read: byteSize,
    default: 256 * 2 ** 20,
    defaultText: '256MiB',
  }),
  option('--requests-per-second <count>', 'limit of all workers together', { read: positive }),
  option('--requests-per-day <count>', 'limit of all workers together, from 0:00 UTC', {
    read: positive,
  }),
  jsonOption('print one line of JSON for each state of a job'),
  ...SERVICE_OPTIONS,
  CLOCK_OPTION,
] as const
export type WorkerCommand = Values<typeof WORKER_OPTIONS>

export function addQueueCommands(feedmill: Command): void {
  const schedule = feedmill
    .command('schedule')
    .description(
      'Schedule categories, or feeds of your own, for workers. Repeating it changes nothing, and ' +
        'other options replace those of the categories.',
    )
    .addOptions(SCHEDULE_OPTIONS)
    .examples(
      'schedule --queue redis://host --to … --marketplace MKT_US --category 220',
      'schedule --queue redis://host --to … --source feed.json --every 300',
    )
    .table('Credentials', QUEUE_CREDENTIALS)
    .needs('schedule')
    .action(async (options: ScheduleCommand) => {
      needCategories(schedule, options)
      await (await import('./schedule')).scheduleCommand(options)
    })
  const unschedule = feedmill
    .command('unschedule')
    .description('Remove categories or feeds from a queue. A job that is under way ends.')
    .addOptions(UNSCHEDULE_OPTIONS)
    .examples('unschedule --queue redis://host --marketplace MKT_US --category 220')
    .needs('unschedule')
    .action(async (options: UnscheduleCommand) => {
      needCategories(unschedule, options)
      await (await import('./schedule')).unscheduleCommand(options)
    })
  feedmill
    .command('worker')
    .description(
      'Run scheduled categories, or feeds of your own, until a signal comes. The file under way is ' +
        'rolled back then, and another worker continues.',
    )
    .addOptions(WORKER_OPTIONS)
    .examples(
      'worker --queue redis://host --to … --concurrency 4',
      'worker --queue redis://host --to … --source feed.json',
    )
    .table('Credentials', [...CREDENTIAL_VARIABLES, ...QUEUE_CREDENTIALS])
    .needs('worker')
    .action(async options => (await import('./worker')).workerCommand(options))
}

/** A command is about the categories of a marketplace, or about feeds. */
export function needCategories(
  command: Command,
  options: Values<typeof CATEGORY_OPTIONS> & { readonly source?: unknown },
): void {
  for (const name of ['marketplace', 'category'] as const)
    if (options.source === undefined && options[name] === undefined)
      command.error(`error: required option '--${name} <id>' not specified, nor --source <file>`)
}
