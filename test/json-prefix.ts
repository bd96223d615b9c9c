// Tells by recursive descent whether a text is the beginning of JSON (RFC 8259) whose value is an
// object or an array, or of several such values on lines of their own. It is the oracle of
// engine/codec/body-kind.ts, which does it by regular expressions.

const END = new RangeError('the text ends')
const OTHER = new TypeError('this is no JSON')

export function isJsonPrefix(text: string): boolean {
  const reader = new Reader(text)
  try {
    for (;;) {
      reader.space()
      if (!reader.isAt(/[[{]/)) return false
      reader.value()
      if (!reader.space().includes('\n')) return reader.isAtEnd
      if (reader.isAtEnd) return true
    }
  } catch (error) {
    if (error !== END && error !== OTHER) throw error
    return error === END
  }
}

class Reader {
  #at = 0

  constructor(private readonly text: string) {}

  get isAtEnd(): boolean {
    return this.#at === this.text.length
  }

  isAt(what: RegExp): boolean {
    return !this.isAtEnd && what.test(this.text[this.#at]!)
  }

  space(): string {
    const from = this.#at
    while (this.isAt(/[ \t\r\n]/)) this.#at++
    return this.text.slice(from, this.#at)
  }

  value(): void {
    this.space()
    if (this.isAtEnd) throw END
    if (this.isAt(/"/)) this.#text()
    else if (this.isAt(/\{/)) this.#list('}', () => this.#member())
    else if (this.isAt(/\[/)) this.#list(']', () => this.value())
    else if (this.isAt(/[-\d]/)) this.#number()
    else for (const letter of this.#word()) this.#take(new RegExp(letter))
  }

  #word(): string {
    const word = ['true', 'false', 'null'].find(([first]) => first === this.text[this.#at])
    if (word === undefined) throw OTHER
    return word
  }

  #list(close: string, item: () => void): void {
    this.#at++
    this.space()
    if (this.text[this.#at] === close) this.#at++
    else {
      for (;;) {
        item()
        this.space()
        const mark = this.#take(/[,\]}]/)
        if (mark === close) return
        if (mark !== ',') throw OTHER
      }
    }
  }

  #member(): void {
    this.space()
    if (this.isAtEnd) throw END
    if (!this.isAt(/"/)) throw OTHER
    this.#text()
    this.space()
    this.#take(/:/)
    this.value()
  }

  #text(): void {
    this.#at++
    for (let char = ''; char !== '"'; ) {
      char = this.#take(/[^\n\t]/)
      if (char === '\\' && this.#take(/["\\/bfnrtu]/) === 'u')
        for (let n = 0; n < 4; n++) this.#take(/[\da-fA-F]/)
    }
  }

  #number(): void {
    if (this.isAt(/-/)) this.#at++
    if (this.#take(/\d/) !== '0') this.#digits()
    if (this.isAt(/\./)) this.#fraction()
    if (!this.isAt(/[eE]/)) return
    this.#at++
    if (this.isAt(/[+-]/)) this.#at++
    this.#take(/\d/)
    this.#digits()
  }

  #fraction(): void {
    this.#at++
    this.#take(/\d/)
    this.#digits()
  }

  #digits(): void {
    while (this.isAt(/\d/)) this.#at++
  }

  #take(what: RegExp): string {
    if (this.isAtEnd) throw END
    if (!this.isAt(what)) throw OTHER
    return this.text[this.#at++]!
  }
}
