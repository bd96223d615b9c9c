// Reads the XML of a store's answers: elements and text. What these answers never have, such as a
// document type or an entity of its own, is refused, so that no answer can refer to anything.

export interface XmlElement {
  readonly name: string
  /** The text in it, without that of the elements in it. */
  readonly text: string
  readonly children: readonly XmlElement[]
}

const TOKEN =
  /<(\/?)([A-Za-z_][\w.:-]*)(?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*(\/?)>|([^<]+)/y
const HEAD = /^\s*(?:<\?xml [^<>]*\?>\s*)?/
const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));|&/gi
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const MOST_LEVELS = 16

/** Returns the root element; undefined for what is no such document, or was cut. */
export function readXml(text: string): XmlElement | undefined {
  const root = { name: '', text: '', children: [] as XmlElement[] }
  const open = [root]
  const end = text.trimEnd().length
  TOKEN.lastIndex = HEAD.exec(text)![0].length
  while (TOKEN.lastIndex < end) {
    const [, closes, name, isEmpty, raw] = TOKEN.exec(text) ?? []
    const last = open.at(-1)!
    const plain = raw && decoded(raw)
    if (plain !== undefined && last !== root) last.text += plain
    else if (name === undefined || open.length > MOST_LEVELS) return undefined
    else if (closes) {
      if (open.pop()!.name !== name || isEmpty) return undefined
    } else {
      const element = { name, text: '', children: [] }
      last.children.push(element)
      if (!isEmpty) open.push(element)
    }
  }
  return open.length === 1 && root.children.length === 1 ? root.children[0] : undefined
}

/** Returns the text of the first element of that name in another one. */
export function textIn(element: XmlElement | undefined, name: string): string | undefined {
  return element?.children.find(child => child.name === name)?.text
}

export function xmlText(text: string): string {
  return text.replace(/[&<>"]/g, letter => `&#${letter.charCodeAt(0)};`)
}

/** Returns undefined where an entity is not one of XML itself. */
function decoded(text: string): string | undefined {
  let isKnown = true
  const plain = text.replace(ENTITY, (_, decimal?: string, hex?: string, name?: string) => {
    const code = decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16)
    if (code <= 0x10ffff) return String.fromCodePoint(code)
    const letter = name !== undefined && Object.hasOwn(NAMED, name) ? NAMED[name] : undefined
    isKnown &&= letter !== undefined
    return letter ?? ''
  })
  return isKnown ? plain : undefined
}
