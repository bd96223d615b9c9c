// The options that say where a queue is, checked. The address in messages and channels has no
// credentials.

import {
  durationMs,
  filledText,
  knownOptions,
  type OptionNames,
  optionInvalid,
  secretText,
} from '../../engine/index'

/** Where a queue is. */
export interface QueueOptions {
  /**
   * The address of the Redis server: `redis://host:6379/0`, or `rediss://` for TLS. Keys begin with
   * `feedmill:` and the name of the queue.
   */
  readonly url: string
  /** The password, where `url` has none. Default: none. */
  readonly password?: string
  /** The name of the queue: letters, digits, `-` and `_`. Default: `feedmill`. */
  readonly name?: string
  /**
   * The limit of a connection that is being made or made again, and of each operation, in
   * milliseconds. Default: 30,000.
   */
  readonly timeoutMs?: number
}

const NAMES: OptionNames<QueueOptions> = { url: true, password: true, name: true, timeoutMs: true }

export interface QueueSettings {
  readonly url: string
  readonly password: string | undefined
  readonly name: string
  readonly timeoutMs: number
  /** The address and the name of the queue, without credentials. */
  readonly shown: string
}

/** What all keys in Redis begin with; the name of the queue follows. */
export const KEY_PREFIX = 'feedmill'

/** @throws FeedError OPTION_INVALID, without the address, which may have a password */
export function queueSettings(options: QueueOptions): QueueSettings {
  const {
    url,
    password,
    name = 'feedmill',
    timeoutMs = 30_000,
  } = knownOptions(options, NAMES, 'queue')
  const address = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined
  if (address === undefined || !/^rediss?:\/\//i.test(url))
    throw optionInvalid('queue.url', 'an address such as redis://host:6379', undefined)
  if (!/^[\w-]{1,100}$/.test(filledText('queue.name', name)))
    throw optionInvalid('queue.name', 'letters, digits, - and _, at most 100', name)
  return {
    url,
    password: password === undefined ? undefined : secretText('queue.password', password),
    name,
    timeoutMs: durationMs('queue.timeoutMs', timeoutMs),
    shown: `${address.protocol}//${address.host}${address.pathname} ${name}`,
  }
}

/** The identifier of a category's scheduler, which is the name of the category in the queue. */
export function schedulerId(marketplace: string, categoryId: string): string {
  return `${marketplace}/${categoryId}`
}

/** @throws FeedError OPTION_INVALID */
export function checkedCategories(
  marketplace: string,
  categories: readonly string[],
): readonly string[] {
  const isId = (value: unknown) => typeof value === 'string' && /^[\w.-]{1,100}$/.test(value)
  const expected = 'letters, digits, -, . and _'
  if (!isId(marketplace)) throw optionInvalid('marketplace', expected, marketplace)
  if (!Array.isArray(categories) || categories.length === 0)
    throw optionInvalid('categories', 'an array of one category or more', categories)
  const wrong = categories.find(category => !isId(category))
  if (wrong !== undefined) throw optionInvalid('categories', expected, wrong)
  return [...new Set(categories)]
}
