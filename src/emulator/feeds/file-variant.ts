// Selects the file at an address. The world gives one file, and a fault can replace it. The
// selection travels beside the request, so that no client can make it.

export interface FileVariant {
  /**
   * The number of replacements. Each one has the same rows, other bytes and another Last-Modified.
   */
  readonly generation: number
  /** The number of bytes missing at the end. */
  readonly cutBytes: number
  /** True answers with the whole file, as a server that does not know the header Range. */
  readonly ignoresRange?: boolean
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

/** Returns the bytes before those of the original. */
export function variantPrefix({ generation }: FileVariant): Uint8Array {
  const prefix = new Uint8Array(EMPTY_MEMBER.length * generation)
  for (let i = 0; i < generation; i++) prefix.set(EMPTY_MEMBER, i * EMPTY_MEMBER.length)
  return prefix
}

/**
 * Each replacement is dated a second earlier, so that no row appears newer than a change that the
 * file lacks.
 */
export function variantModified({ generation }: FileVariant, modified: Date): Date {
  return new Date(modified.getTime() - generation * 1000)
}
