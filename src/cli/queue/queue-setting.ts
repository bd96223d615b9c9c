// The queue that a command uses. Its address is an argument, and its password comes from a file or
// from the environment, because every user of a machine can read the arguments of its processes.

import { FeedError } from '../../index'
import type { QueueOptions } from '../../queue/index'
import { secretJsonFile } from '../json-file'

export interface QueueSetting {
  /** The address of the Redis server, without a password. */
  readonly queue: string
  readonly queueName?: string
  /** A JSON file with `password`. */
  readonly queueCredentials?: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** The environment variables for what the arguments of a command lack. */
export const QUEUE_VARIABLES = {
  credentials: 'FEEDMILL_QUEUE_CREDENTIALS',
  password: 'FEEDMILL_QUEUE_PASSWORD',
} as const

/** @throws FeedError OPTION_INVALID, which never shows the password */
export function queueOf(
  { queue: url, queueName, queueCredentials }: QueueSetting,
  env: Environment = process.env,
): QueueOptions {
  if (URL.canParse(url) && new URL(url).password !== '') throw passwordRefused()
  const password =
    queueCredentials === undefined ? env[QUEUE_VARIABLES.password] : passwordIn(queueCredentials)
  return {
    url,
    ...(password !== undefined && { password }),
    ...(queueName !== undefined && { name: queueName }),
  }
}

function passwordIn(path: string): string {
  const { password } = secretJsonFile('queueCredentials', path) as { readonly password?: unknown }
  if (typeof password === 'string' && password !== '') return password
  const expected = `the field password in ${path}`
  const context = { option: 'queueCredentials', expected, received: 'no text' }
  throw new FeedError('OPTION_INVALID', `--queue-credentials needs ${expected}`, context)
}

function passwordRefused(): FeedError<'OPTION_INVALID'> {
  const expected = `an address without a password, which goes into ${QUEUE_VARIABLES.password} or the file of --queue-credentials`
  const context = { option: 'queue', expected, received: 'an address with a password' }
  const message = `--queue must be ${expected}: every user of the machine can read arguments`
  return new FeedError('OPTION_INVALID', message, context)
}
