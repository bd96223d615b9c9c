// The texts that must not be shown: tokens and client secrets, each remembered from when it is
// known, and errors freed of them. Servers repeat what they were sent (an error message, a page, a
// link), and so may what a transport throws.

import { inspect } from 'node:util'
import { FeedError } from '../errors'

/** Tokens remembered; older ones have expired long before. */
const MAX_TOKENS = 16
const COVER = 'redacted'
/** Shorter texts are no secrets, and covering them would spoil every message. */
const MIN_CHARS = 4
/**
 * A part of a secret, or of one of its forms, is covered from so many characters on, wherever it
 * stands.
 */
const SLICE_CHARS = 10
/** The least beginning of a secret that is covered where a text was cut inside it. */
const MIN_CUT_CHARS = 6
/** Texts in errors are shorter; what is beyond is dropped, unseen. */
const MAX_TEXT_CHARS = 64 * 1024

export class Secrets {
  readonly #lasting = new Set<string>()
  /** The latest used last. */
  readonly #passing = new Set<string>()
  #search: SecretSearch | undefined

  /** A secret that never changes, such as the client's. */
  rememberForGood(secret: string): void {
    if (secret.length < MIN_CHARS) return
    this.#lasting.add(secret)
    this.#search = undefined
  }

  /** A token. */
  remember(token: string): void {
    if (token.length < MIN_CHARS) return
    if (!this.#passing.delete(token)) this.#search = undefined
    this.#passing.add(token)
    for (const oldest of this.#passing) {
      if (this.#passing.size <= MAX_TOKENS) break
      this.#passing.delete(oldest)
    }
  }

  /**
   * The text with every secret covered: in any case, as Base64, Base64url, hexadecimal,
   * percent-encoded or in JSON, and any part of {@link SLICE_CHARS} characters of these. The cost
   * grows with the text alone. Texts above 64 KiB are cut.
   */
  cover(text: string): string {
    const cut = text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text
    this.#search ??= new SecretSearch([...this.#lasting, ...this.#passing])
    return this.#search.cover(cut)
  }

  /**
   * The error itself where nothing in it, its causes included, shows a secret; else one like it
   * that shows none.
   */
  covered<E extends FeedError>(error: E): E {
    const message = this.cover(error.message)
    const context = this.#coverAll(error.context)
    const cause = FeedError.is(error.cause)
      ? this.covered(error.cause as FeedError)
      : this.#coveredForeign(error.cause)
    const same =
      message === error.message &&
      JSON.stringify(context) === JSON.stringify(error.context) &&
      cause === error.cause
    return same
      ? error
      : (new FeedError(error.code, message, context, { retryable: error.retryable, cause }) as E)
  }

  /** What others have thrown is shown whole or not at all. */
  #coveredForeign(cause: unknown): unknown {
    const shown = inspect(cause, {
      depth: 10,
      showHidden: true,
      maxStringLength: null,
      maxArrayLength: null,
      breakLength: Infinity,
    })
    return shown.length <= MAX_TEXT_CHARS && this.cover(shown) === shown ? cause : undefined
  }

  #coverAll<T>(value: T): T {
    if (typeof value === 'string') return this.cover(value) as T
    if (Array.isArray(value)) return value.map(element => this.#coverAll(element)) as T
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, this.#coverAll(inner)]),
    ) as T
  }
}

/** Finds what is left of some secrets in texts. Everything is compared in lower case. */
class SecretSearch {
  /**
   * Slices of all forms by their length: forms that are shorter than a slice are searched as a
   * whole.
   */
  readonly #slices = new Map<number, Set<string>>()
  /** Beginnings of the forms that a cut text may end with. */
  readonly #beginnings = new Set<string>()

  constructor(secrets: readonly string[]) {
    for (const form of new Set(secrets.flatMap(formsOf))) {
      const length = Math.min(form.length, SLICE_CHARS)
      const slices = this.#slices.get(length) ?? new Set()
      this.#slices.set(length, slices)
      for (let at = 0; at + length <= form.length; at++) slices.add(form.slice(at, at + length))
      for (let cut = MIN_CUT_CHARS; cut < length; cut++) this.#beginnings.add(form.slice(0, cut))
    }
  }

  cover(text: string): string {
    const lower = lowerCase(text)
    let covered = ''
    let [from, start, end] = [0, -1, -1]
    const close = () => {
      covered += text.slice(from, start) + COVER
      from = end
    }
    for (let at = 0; at < text.length; at++) {
      const found = this.#endOfMatch(lower, at)
      if (found === undefined) continue
      if (at > end && start >= 0) close()
      if (at > end || start < 0) start = at
      end = Math.max(end, found)
    }
    if (start >= 0) close()
    return covered + text.slice(from)
  }

  #endOfMatch(lower: string, at: number): number | undefined {
    let end: number | undefined
    for (const [length, slices] of this.#slices) {
      if (at + length <= lower.length && slices.has(lower.slice(at, at + length)))
        end = Math.max(end ?? 0, at + length)
    }
    const textEnd = lower.endsWith('…') ? lower.length - 1 : lower.length
    const isNearEnd = textEnd - at >= MIN_CUT_CHARS && textEnd - at < SLICE_CHARS
    return (
      end ?? (isNearEnd && this.#beginnings.has(lower.slice(at, textEnd)) ? textEnd : undefined)
    )
  }
}

/** Returns the forms in which a secret may appear, in lower case: as it is, in a URL, in JSON, encoded. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  const encoded = [
    encodeURIComponent(secret.toWellFormed()),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
  ]
  const percent = bytes.toString('hex').replace(/../g, '%$&')
  return [secret, ...encoded, percent, ...base64FormsOf(bytes)].map(lowerCase)
}

/**
 * What stands for these bytes alone in the Base64 of a text that contains them: at each of three
 * places in a group of three bytes.
 */
function base64FormsOf(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap(before => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64url')
    const firstOwn = Math.ceil((before * 8) / 6)
    const own = whole.slice(firstOwn, Math.floor(((before + bytes.length) * 8) / 6))
    return own.length < MIN_CHARS ? [] : [own, own.replaceAll('-', '+').replaceAll('_', '/')]
  })
}

/** Character by character, so that places in the text stay the same. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, letters => letters.toLowerCase())
}
