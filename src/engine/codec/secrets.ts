// The texts that must not be shown: tokens and client secrets, each remembered from when it is
// known, and errors freed of them. Servers repeat what they were sent (an error message, a page, a
// link), and so may what a transport throws.

import { FeedError } from '../errors'
import { printableUrl, type RequestHeaders } from './range/request'

/**
 * The slices of the tokens that one search holds, some 20 MB. Two searches are kept, so that tokens
 * are forgotten long after they have expired.
 */
const MAX_SLICES = 250_000
/** No header is longer; what a longer secret has beyond is not searched. */
const MAX_SECRET_CHARS = 64 * 1024
/** Of a longer form only every tenth slice is kept, and the letters around a match are covered too. */
const DENSE_CHARS = 512
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
/** Shorter values of parameters and of other headers are names, such as that of a tenant. */
const LEAST_VALUE_CHARS = 6
/** Headers that have no secrets. Any other of the caller may have one, whatever its name. */
const PUBLIC_HEADERS =
  /^(?:accept.*|range|if-.*|user-agent|content-.*|host|connection|cache-control|date|from|referer|origin|te|.*marketplace.*)$/i

export class Secrets {
  readonly #lasting = new SecretSearch()
  /** The search of the newest tokens, and the one before it. */
  #passing: readonly [SecretSearch, SecretSearch] = [new SecretSearch(), new SecretSearch()]

  /** A secret that never changes, such as the client's. */
  rememberForGood(secret: string): void {
    this.#lasting.add(secret)
  }

  /** A token. */
  remember(token: string): void {
    const [newest] = this.#passing
    newest.add(token)
    if (newest.sliceCount > MAX_SLICES) this.#passing = [new SecretSearch(), newest]
  }

  /** Remembers the values of a request's headers, but for headers that have no secrets. */
  rememberHeaders(headers: RequestHeaders): void {
    for (const [name, value] of Object.entries(headers)) {
      if (PUBLIC_HEADERS.test(name)) continue
      if (/^(?:proxy-)?authorization$/i.test(name)) this.remember(value.replace(/^\S+\s+/, ''))
      else if (/^cookie$/i.test(name))
        for (const cookie of value.split(/;\s*/)) this.remember(cookie.replace(/^.*?=/, ''))
      else if (value.length >= LEAST_VALUE_CHARS) this.remember(value)
    }
  }

  /**
   * Remembers the password of an address and the values of its parameters: any of them may be a
   * credential, whatever its name. What its printable form shows is none.
   */
  rememberUrl(url: string | URL): void {
    if (!URL.canParse(String(url))) return
    const { password, searchParams } = new URL(url)
    const shown = printableUrl(url)
    if (password !== '') this.remember(percentDecoded(password))
    for (const [name, value] of searchParams) {
      const secret = value === '' ? name : value
      if (secret.length >= LEAST_VALUE_CHARS && !shown.includes(secret)) this.remember(secret)
    }
  }

  /**
   * The text with every secret covered: in any case, as Base64, Base64url, hexadecimal,
   * percent-encoded or in JSON, and any part of ten characters of these. The cost grows with the text
   * alone.
   */
  cover(text: string): string {
    return coverIn([this.#lasting, ...this.#passing], text)
  }

  #coverCut(text: string): string {
    return this.cover(text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text)
  }

  /**
   * The error itself where nothing in it, its causes included, shows a secret; else one like it
   * that shows none.
   */
  covered<E extends FeedError>(error: E): E {
    if (!FeedError.is(error)) return error
    const message = this.#coverCut(error.message)
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
    const texts = textsIn(cause)
    const shown = texts?.join('\n') ?? ''
    const isSafe = texts !== undefined && shown.length <= MAX_TEXT_CHARS
    return isSafe && this.cover(shown) === shown ? cause : undefined
  }

  #coverAll<T>(value: T): T {
    if (typeof value === 'string') return this.#coverCut(value) as T
    if (ArrayBuffer.isView(value)) {
      const text = latin1(value)
      return (this.cover(text) === text ? value : COVER) as T
    }
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

  /** Slices of forms above {@link DENSE_CHARS}. */
  readonly #sparse = new Set<string>()
  readonly #known = new Set<string>()
  sliceCount = 0

  add(whole: string): void {
    const secret = whole.slice(0, MAX_SECRET_CHARS)
    if (secret.length < MIN_CHARS || this.#known.has(secret)) return
    this.#known.add(secret)
    for (const form of new Set(formsOf(secret))) {
      const length = Math.min(form.length, SLICE_CHARS)
      const isSparse = form.length > DENSE_CHARS
      const slices = isSparse ? this.#sparse : (this.#slices.get(length) ?? new Set())
      if (!isSparse) this.#slices.set(length, slices)
      const step = isSparse ? SLICE_CHARS : 1
      for (let at = 0; at + length <= form.length; at += step)
        slices.add(form.slice(at, at + length))
      slices.add(form.slice(-length))
      this.sliceCount += Math.ceil(form.length / step)
      for (let cut = MIN_CUT_CHARS; cut < length; cut++) this.#beginnings.add(form.slice(0, cut))
    }
  }

  isSparseMatch(lower: string, at: number): boolean {
    return this.#sparse.size > 0 && this.#sparse.has(lower.slice(at, at + SLICE_CHARS))
  }

  /** Returns the end of the longest match at this place; undefined without one. */
  endOfMatch(lower: string, at: number): number | undefined {
    let end: number | undefined
    for (const [length, slices] of this.#slices) {
      if (at + length <= lower.length && slices.has(lower.slice(at, at + length)))
        end = Math.max(end ?? 0, at + length)
    }
    if (this.isSparseMatch(lower, at)) end = at + SLICE_CHARS + lettersFrom(lower, at + SLICE_CHARS)
    const textEnd = lower.endsWith('…') ? lower.length - 1 : lower.length
    const isNearEnd = textEnd - at >= MIN_CUT_CHARS && textEnd - at < SLICE_CHARS
    return (
      end ?? (isNearEnd && this.#beginnings.has(lower.slice(at, textEnd)) ? textEnd : undefined)
    )
  }
}

/** Covers what is left of the secrets of some searches. */
function coverIn(searches: readonly SecretSearch[], text: string): string {
  const lower = lowerCase(text)
  let covered = ''
  let [from, start, end] = [0, -1, -1]
  const close = () => {
    covered += text.slice(from, start) + COVER
    from = end
  }
  for (let at = 0; at < text.length; at++) {
    let found = -1
    for (const search of searches) found = Math.max(found, search.endOfMatch(lower, at) ?? -1)
    if (found < 0) continue
    const isSparse = searches.some(search => search.isSparseMatch(lower, at))
    const begin = isSparse ? at - lettersBefore(lower, at) : at
    if (begin > end && start >= 0) close()
    if (begin > end || start < 0) start = Math.max(begin, from)
    end = Math.max(end, found)
  }
  if (start >= 0) close()
  return covered + text.slice(from)
}

/** The letters of tokens behind a place, fewer than a slice has. */
function lettersFrom(lower: string, at: number): number {
  return /^[\w~+/.%-]{0,9}/.exec(lower.slice(at, at + SLICE_CHARS - 1))![0].length
}

function lettersBefore(lower: string, at: number): number {
  return /[\w~+/.%-]{0,9}$/.exec(lower.slice(Math.max(0, at - SLICE_CHARS + 1), at))![0].length
}

/** The most values of a foreign cause that are looked at. */
const MAX_VALUES = 10_000

/** Returns all texts in a value, bytes among them; undefined for one that is too large. */
function textsIn(value: unknown): string[] | undefined {
  const seen = new Set<unknown>()
  const open = [value]
  const texts: string[] = []
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string') texts.push(next)
    if (Object(next) !== next || seen.has(next)) continue
    seen.add(next)
    if (seen.size + open.length > MAX_VALUES) return undefined
    if (ArrayBuffer.isView(next)) texts.push(latin1(next))
    else if (next instanceof ArrayBuffer) texts.push(latin1(new Uint8Array(next)))
    else for (const part of partsOf(next as object)) open.push(part)
  }
  return texts
}

/** The names and values of an object, also hidden ones; no getter is called. */
function partsOf(object: object): unknown[] {
  const own = Reflect.ownKeys(object).flatMap(name => [
    typeof name === 'symbol' ? name.description : name,
    Reflect.getOwnPropertyDescriptor(object, name)?.value as unknown,
  ])
  const isListed =
    object instanceof Map ||
    object instanceof Set ||
    object instanceof Headers ||
    object instanceof URLSearchParams
  if (object instanceof URL) own.push(object.href)
  if (object instanceof Error) own.push(object.stack)
  return isListed ? [...own, ...[...object].flat()] : own
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function latin1({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString('latin1')
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
