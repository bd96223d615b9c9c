// What no line of a command shows: the passwords, tokens and keys of the environment, of files of
// credentials, and of the addresses among the arguments.

import { Secrets } from '../index'

/** The secrets of this process. Standard output and standard error have none of them. */
export const commandSecrets = new Secrets()

/**
 * Values of parameters, which standard error does not show either. A result on standard output may
 * have the same words in its data.
 */
export const argumentValues = new Secrets()

const SECRET_NAME = /(?:secret|token|password)$/i
const PROXY_VARIABLE = /^(?:https?|all)_proxy$/i

/** Remembers the secrets of the environment and of the arguments. */
export function rememberSecrets(argv: readonly string[], env: NodeJS.ProcessEnv): void {
  rememberValues(env)
  for (const [name, value = ''] of Object.entries(env))
    if (PROXY_VARIABLE.test(name)) commandSecrets.rememberUrl(value)
  for (const word of argv)
    for (const address of word.match(/[a-z][a-z\d+.-]*:\/\/\S+/gi) ?? [])
      argumentValues.rememberUrl(address)
}

/** Remembers the values whose names are those of secrets. A shorter one would spoil every line. */
export function rememberValues(named: object): void {
  for (const [name, value] of Object.entries(named))
    if (SECRET_NAME.test(name) && typeof value === 'string' && value.length >= 6)
      commandSecrets.rememberForGood(value)
}
