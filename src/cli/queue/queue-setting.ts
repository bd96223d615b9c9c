// The queue that a command uses. Its address is an argument, and its password comes from a file or
// from the environment, because every user of a machine can read the arguments of its processes.

import type { QueueOptions } from '../../queue'
import { given } from '../given'
import { secretJsonFile } from '../json-file'
import { usageError } from '../usage-error'
import type { QueueSetting } from './queue-commands'

/** The environment variables for what the arguments of a command lack. */
export const QUEUE_VARIABLES = {
  credentials: 'FEEDMILL_QUEUE_CREDENTIALS',
  password: 'FEEDMILL_QUEUE_PASSWORD',
} as const

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
