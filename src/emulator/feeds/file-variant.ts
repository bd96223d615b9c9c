// Which of several files stands at an address. The world gives one; a fault on demand can put
// another in its place. Said beside the request, not in it: no client can say it.

export interface FileVariant {
  /**
   * How often the file was replaced. Each time it holds the same rows in other bytes and has
   * another Last-Modified.
   */
  readonly generation: number
  /** Bytes missing at its end. */
  readonly cutBytes: number
}

export const ORIGINAL: FileVariant = { generation: 0, cutBytes: 0 }

const variants = new WeakMap<Request, FileVariant>()

export function setVariant(request: Request, variant: FileVariant): void {
  variants.set(request, variant)
}

export function variantOf(request: Request): FileVariant {
  return variants.get(request) ?? ORIGINAL
}

/**
 * A gzip member without content (RFC 1952). Before a file it moves every byte and changes no row.
 */
const EMPTY_MEMBER: Uint8Array = Uint8Array.of(
  0x1f,
  0x8b,
  8,
  0,
  0,
  0,
  0,
  0,
  0,
  0xff,
  3,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0,
)

/** What stands before the original's bytes. */
export function variantPrefix({ generation }: FileVariant): Uint8Array {
  const prefix = new Uint8Array(EMPTY_MEMBER.length * generation)
  for (let i = 0; i < generation; i++) prefix.set(EMPTY_MEMBER, i * EMPTY_MEMBER.length)
  return prefix
}

/**
 * A second earlier each time: another date, and one that makes no row newer than a change that it
 * does not show.
 */
export function variantModified({ generation }: FileVariant, modified: Date): Date {
  return new Date(modified.getTime() - generation * 1000)
}
