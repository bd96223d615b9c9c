// Markup, made by one template that escapes everything that is not markup already.

import { printableText } from '../../engine/index'

/** Markup that may stand in a page. Text is never of this class, so that it is escaped. */
export class Markup {
  readonly #markup: string

  /** @param markup made by this project or its packages, never text of a file */
  constructor(markup: string) {
    this.#markup = markup
  }

  toString(): string {
    return this.#markup
  }
}

/** Lists are joined, and nothing stands for null, undefined and false. */
export type Content = Markup | string | number | false | null | undefined | readonly Content[]

/**
 * The tag of a template whose own text is markup, and whose values are contents of elements or of
 * attributes in double quotes.
 */
export function html(markup: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(String.raw({ raw: markup }, ...contents.map(markupOf)))
}

function markupOf(content: Content): string {
  if (Array.isArray(content)) return content.map(markupOf).join('')
  if (content instanceof Markup) return content.toString()
  return content === null || content === undefined || content === false
    ? ''
    : escaped(String(content))
}

/** Control characters have no place in HTML; a line end in a cell stays visible. */
function escaped(text: string): string {
  return printableText(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
