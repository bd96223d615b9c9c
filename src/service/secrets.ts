// The texts that must not be shown: tokens and client secrets, each remembered from when it is known, and errors freed of them.
// Servers repeat what they were sent (an error message, a page, a link), and so may what a transport throws.

import { inspect } from 'node:util'
import { FeedError } from '../errors'

/** Forms of tokens remembered; older ones have expired long before. */
const MAX_FORMS = 192
const COVER = 'redacted'
/** Shorter texts are no secrets, and covering them would spoil every message. */
const MIN_CHARS = 4
/** The least beginning of a secret that is covered where a text was cut inside it. */
const MIN_CUT_CHARS = 6

export class Secrets {
  readonly #lasting = new Set<string>()
  /** The latest used last. */
  readonly #passing = new Set<string>()

  /** A secret that never changes, such as the client's. */
  rememberForGood(secret: string): void {
    for (const form of formsOf(secret)) this.#lasting.add(form)
  }

  /** A token. */
  remember(token: string): void {
    for (const form of formsOf(token)) {
      this.#passing.delete(form)
      this.#passing.add(form)
    }
    for (const form of this.#passing) {
      if (this.#passing.size <= MAX_FORMS) break
      this.#passing.delete(form)
    }
  }

  /** The text with every secret covered, and the beginning of one where the text was cut. */
  cover(text: string): string {
    let covered = text
    // Longest first: one secret may be part of another.
    for (const form of [...this.#lasting, ...this.#passing].sort((a, b) => b.length - a.length)) {
      covered = coverCutEnd(covered.replaceAll(form, COVER), form)
    }
    return covered
  }

  /** The error itself where nothing in it, its causes included, shows a secret; else one like it that shows none. */
  covered<E extends FeedError>(error: E): E {
    const message = this.cover(error.message)
    const context = this.#coverAll(error.context)
    const cause = FeedError.is(error.cause) ? this.covered(error.cause as FeedError) : this.#coveredForeign(error.cause)
    const same = message === error.message && JSON.stringify(context) === JSON.stringify(error.context) && cause === error.cause
    return same ? error : (new FeedError(error.code, message, context, { retryable: error.retryable, cause }) as E)
  }

  /** What others have thrown is shown whole or not at all. */
  #coveredForeign(cause: unknown): unknown {
    const shown = inspect(cause, { depth: 10, showHidden: true, maxStringLength: null, maxArrayLength: null, breakLength: Infinity })
    return this.cover(shown) === shown ? cause : undefined
  }

  #coverAll<T>(value: T): T {
    if (typeof value === 'string') return this.cover(value) as T
    if (Array.isArray(value)) return value.map(element => this.#coverAll(element)) as T
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.#coverAll(inner)])) as T
  }
}

/** In which a secret may appear: as it is, in a URL, in JSON. */
function formsOf(secret: string): string[] {
  if (secret.length < MIN_CHARS) return []
  return [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)]
}

/** Texts in errors are cut, some with a mark at their end: what is left of a secret there is covered too. */
function coverCutEnd(text: string, secret: string): string {
  const end = text.endsWith('…') ? text.length - 1 : text.length
  for (let length = Math.min(secret.length - 1, end); length >= MIN_CUT_CHARS; length--) {
    if (text.startsWith(secret.slice(0, length), end - length)) return `${text.slice(0, end - length)}${COVER}${text.slice(end)}`
  }
  return text
}
