// The queue that a command uses. Its address is an argument, and its password comes from a file or
// from the environment, because every user of a machine can read the arguments of its processes.

import type { QueueOptions } from '../../queue'
import { option, type Values } from '../command-options'
import { given } from '../given'
import { secretJsonFile } from '../json-file'
import { usageError } from '../usage-error'

/** The environment variables for what the arguments of a command lack. */
export const QUEUE_VARIABLES = {
  credentials: 'FEEDMILL_QUEUE_CREDENTIALS',
  password: 'FEEDMILL_QUEUE_PASSWORD',
} as const

const ADDRESS = ['--queue <url>', 'address of the Redis server, without a password'] as const
const NAME_OPTIONS = [
  option('--queue-name <name>', 'name of the queue; feedmill by default'),
  option('--queue-credentials <file>', 'JSON file with password that only you can read', {
    env: QUEUE_VARIABLES.credentials,
  }),
] as const

/** The options that say where a queue is, for a command that may have none. */
export const QUEUE_PLACE_OPTIONS = [option(...ADDRESS), ...NAME_OPTIONS] as const
export const QUEUE_OPTIONS = [option(...ADDRESS, { required: true }), ...NAME_OPTIONS] as const
export type QueueSetting = Values<typeof QUEUE_OPTIONS>

/** @throws FeedError OPTION_INVALID, which never shows the password */
export function queueOf(
  { queue: url, queueName, queueCredentials }: QueueSetting,
  env = process.env,
): QueueOptions {
  const password =
    queueCredentials === undefined ? env[QUEUE_VARIABLES.password] : passwordIn(queueCredentials)
  return { url, ...given({ password, name: queueName }) }
}

function passwordIn(path: string): string {
  const { password } = secretJsonFile('queueCredentials', path) as { readonly password?: unknown }
  if (typeof password === 'string' && password !== '') return password
  const expected = `the field password in ${path}`
  const message = `--queue-credentials needs ${expected}`
  throw usageError('queueCredentials', expected, 'no text', message)
}
