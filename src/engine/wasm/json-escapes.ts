// The bytes that JSON escapes in a text: quotes, backslashes and control characters (RFC 8259, section
// 7).

/** Returns a bit for each byte that JSON escapes. */
export function escapedBytes(bytes: v128): u32 {
  const isQuote = i8x16.eq(bytes, i8x16.splat(0x22))
  const isBackslash = i8x16.eq(bytes, i8x16.splat(0x5c))
  const isControl = i8x16.lt_u(bytes, i8x16.splat(0x20))
  return <u32>i8x16.bitmask(v128.or(isControl, v128.or(isQuote, isBackslash)))
}
