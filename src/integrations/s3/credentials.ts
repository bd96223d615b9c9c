// The credentials of a store: what the caller gives, or else the environment, or else the shared file
// of AWS's tools. They are asked for again before they end, and once where a server says that they
// have ended.

import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { excerpt, FeedError, is, messageOf, optionInvalid } from '../../engine/index'

/** The keys of an account or a role. HMAC keys of Google Cloud Storage are such a pair too. */
export interface S3Credentials {
  /** The name of the key, which requests show. */
  readonly accessKeyId: string
  /** The key, which signs requests and is never sent. */
  readonly secretAccessKey: string
  /** The token of credentials that end. Default: none. */
  readonly sessionToken?: string
  /** When they end. A function that gave them is asked again a minute before. Default: never. */
  readonly expiration?: Date
}

/** Returns credentials. It is called again before they end, and where a server says that they did. */
export type S3CredentialsProvider = () => S3Credentials | Promise<S3Credentials>

const RENEWED_BEFORE_MS = 60_000
const ADVICE =
  'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or the option credentials'

type Environment = Readonly<Record<string, string | undefined>>

export class CredentialsSource {
  readonly #ask: S3CredentialsProvider
  /** The newest ones, which all requests of a moment wait for together. */
  #newest: Promise<S3Credentials> | undefined

  /** @throws FeedError OPTION_INVALID */
  constructor(given: S3Credentials | S3CredentialsProvider | undefined) {
    const checked = typeof given === 'object' ? checkedCredentials('credentials', given) : given
    this.#ask = typeof checked === 'object' ? () => checked : (checked ?? environmentCredentials)
    if (typeof this.#ask !== 'function')
      throw optionInvalid('credentials', 'an object with keys, or a function that gives one', given)
  }

  /** @throws FeedError TOKEN_REFUSED, OPTION_INVALID */
  async current(): Promise<S3Credentials> {
    const known = await (this.#newest ?? this.#askAgain())
    const isEnding = Number(known.expiration ?? Infinity) - Date.now() < RENEWED_BEFORE_MS
    return isEnding ? this.renewed(known) : known
  }

  /** Returns the credentials that came behind those; the same ones where nothing gives others. */
  async renewed(ended: S3Credentials): Promise<S3Credentials> {
    const newest = this.#newest
    const isNewest = (await newest) === ended && this.#newest === newest
    return isNewest || this.#newest === undefined ? this.#askAgain() : this.#newest
  }

  #askAgain(): Promise<S3Credentials> {
    const asked = this.#asked()
    asked.catch(() => {
      if (this.#newest === asked) this.#newest = undefined
    })
    this.#newest = asked
    return asked
  }

  async #asked(): Promise<S3Credentials> {
    const ask = this.#ask
    try {
      return checkedCredentials('credentials()', await ask())
    } catch (cause) {
      if (FeedError.is(cause)) throw cause
      throw refused(`credentials() failed: ${excerpt(messageOf(cause))}`, cause)
    }
  }
}

function checkedCredentials(option: string, given: S3Credentials): S3Credentials {
  is.anObject(option, given)
  is.filledText(`${option}.accessKeyId`, given.accessKeyId)
  is.secretText(`${option}.secretAccessKey`, given.secretAccessKey)
  if (given.sessionToken !== undefined) is.secretText(`${option}.sessionToken`, given.sessionToken)
  if (given.expiration !== undefined) is.validDate(`${option}.expiration`, given.expiration)
  return given
}

/** The credentials of the environment, or of the shared file. @throws FeedError TOKEN_REFUSED */
async function environmentCredentials(env: Environment = process.env): Promise<S3Credentials> {
  const named = credentialsOf({
    aws_access_key_id: env.AWS_ACCESS_KEY_ID,
    aws_secret_access_key: env.AWS_SECRET_ACCESS_KEY,
    aws_session_token: env.AWS_SESSION_TOKEN,
  })
  if (named !== undefined) return named
  const path = env.AWS_SHARED_CREDENTIALS_FILE || join(homedir(), '.aws', 'credentials')
  const profile = env.AWS_PROFILE || 'default'
  const text = await readFile(path, 'utf8').catch(cause => {
    throw refused(`the environment has none, and ${path} cannot be read: ${ADVICE}`, cause)
  })
  const found = credentialsOf(sectionOf(text, profile))
  if (found !== undefined) return found
  throw refused(`the environment has none, nor has the profile ${profile} of ${path}: ${ADVICE}`)
}

function credentialsOf(named: Environment): S3Credentials | undefined {
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey } = named
  const { aws_session_token: sessionToken } = named
  if (!accessKeyId || !secretAccessKey) return undefined
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
}

/** Returns the lines `name = value` below `[section]`. */
function sectionOf(text: string, section: string): Environment {
  const [, ...parts] = text.split(/^\s*\[/m)
  const part = parts.find(each => each.split(']', 1)[0]!.trim() === section) ?? ''
  return Object.fromEntries(
    Array.from(part.matchAll(/^\s*(\w+)\s*=\s*(.*?)\s*$/gm), ([, name, value]) => [name, value]),
  )
}

function refused(reason: string, cause?: unknown): FeedError<'TOKEN_REFUSED'> {
  const message = `no credentials for the bucket: ${reason}`
  return new FeedError('TOKEN_REFUSED', message, { reason }, { cause })
}
