// The commands over a queue: their options and help. Each command is loaded when it runs.

import {
  byteSize,
  type Command,
  clockOption,
  examples,
  Option,
  positive,
  serviceOptions,
  several,
  table,
} from '../command-options'
import { needPackages } from '../needed-packages'
import { CREDENTIAL_VARIABLES } from '../service-settings'
import { QUEUE_VARIABLES } from './queue-setting'

const QUEUE_CREDENTIALS: readonly (readonly [string, string])[] = [
  [QUEUE_VARIABLES.credentials, 'the file of --queue-credentials, which comes first'],
  [QUEUE_VARIABLES.password, 'password of the queue'],
]

/** The options that say where a queue is. */
export function queueOptions(): Option[] {
  return [
    new Option('--queue <url>', 'address of the Redis server, without a password'),
    new Option('--queue-name <name>', 'name of the queue; feedmill by default'),
    new Option('--queue-credentials <file>', 'JSON file with password that only you can read').env(
      QUEUE_VARIABLES.credentials,
    ),
  ]
}

export function addQueueCommands(feedmill: Command): void {
  const schedule = addCategoryCommand(feedmill, 'schedule')
    .description(
      'Schedule categories for workers. Repeating it changes nothing, and other options replace ' +
        'those of the categories.',
    )
    .option('--to <target>', 'the target of the rows; workers with another one refuse the jobs')
    .option('--every <seconds>', 'time between two jobs of a category', positive, 3_600)
    .option('--attempts <count>', 'attempts of one job', positive, 5)
  schedule
    .addHelpText(
      'after',
      examples('schedule --queue redis://host --to … --marketplace MKT_US --category 220'),
    )
    .addHelpText('after', table('Credentials', QUEUE_CREDENTIALS))
    .action(async options => {
      needPackages('schedule')
      await (await import('./schedule')).scheduleCommand(options)
    })
  addCategoryCommand(feedmill, 'unschedule')
    .description('Remove categories from a queue. A job that is under way ends.')
    .addHelpText(
      'after',
      examples('unschedule --queue redis://host --marketplace MKT_US --category 220'),
    )
    .action(async options => {
      needPackages('unschedule')
      await (await import('./schedule')).unscheduleCommand(options)
    })
  addWorkerCommand(feedmill)
}

function addCategoryCommand(feedmill: Command, name: string): Command {
  const command = withQueue(feedmill.command(name))
  return command
    .requiredOption('--marketplace <id>', 'marketplace, e.g. MKT_US')
    .requiredOption('--category <id>', 'top-level category; may be repeated', several)
    .option('--json', 'print one line of JSON', false)
}

function addWorkerCommand(feedmill: Command): void {
  const worker = withQueue(feedmill.command('worker'))
    .description(
      'Run scheduled categories until a signal comes. The file under way is rolled back then, and ' +
        'another worker continues.',
    )
    .requiredOption('--to <target>', 'the target of the rows')
    .option('--concurrency <count>', 'categories at the same time', positive, 1)
    .addOption(
      new Option('--memory <size>', 'memory for each category that runs')
        .argParser(byteSize)
        .default(256 * 2 ** 20, '256MiB'),
    )
    .option('--requests-per-second <count>', 'limit of all workers together', positive)
    .option('--requests-per-day <count>', 'limit of all workers together, from 0:00 UTC', positive)
    .option('--json', 'print one line of JSON for each state of a job', false)
  for (const option of [...serviceOptions(), clockOption()]) worker.addOption(option)
  worker
    .addHelpText('after', examples('worker --queue redis://host --to … --concurrency 4'))
    .addHelpText('after', table('Credentials', [...CREDENTIAL_VARIABLES, ...QUEUE_CREDENTIALS]))
    .action(async options => {
      needPackages('worker')
      await (await import('./worker')).workerCommand(options)
    })
}

function withQueue(command: Command): Command {
  const [address, ...others] = queueOptions()
  command.addOption(address!.makeOptionMandatory())
  for (const option of others) command.addOption(option)
  return command
}
