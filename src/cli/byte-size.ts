// Amounts of memory and disk as people write and read them: `256MB`, `1.5 GiB`.

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
}

/**
 * Returns the bytes that a text names, such as `256MB` (decimal), `256MiB` (binary) or `1000`;
 * Returns undefined for any other text and for less than one byte.
 */
export function readByteSize(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? []
  const factor = UNITS[unit.toLowerCase()]
  const bytes =
    amount === undefined || factor === undefined ? 0 : Math.floor(Number(amount) * factor)
  return bytes >= 1 && Number.isSafeInteger(bytes) ? bytes : undefined
}

/** Returns a size in decimal units with three digits: `1.23 MB`. */
export function byteSizeText(bytes: number): string {
  const unit = ['TB', 'GB', 'MB', 'kB'].find(name => bytes >= UNITS[name.toLowerCase()]!)
  return unit === undefined
    ? `${bytes} B`
    : `${Number((bytes / UNITS[unit.toLowerCase()]!).toPrecision(3))} ${unit}`
}
