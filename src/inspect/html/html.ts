// Markup, made by one template that escapes everything that is not markup already; the style of the
// report, and the policy that lets the page have this style and nothing else. The style is light
// and dark by the setting of the reader, and wide parts scroll on a narrow screen.

import { createHash } from 'node:crypto'
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

const STYLE = `
:root { color-scheme: light dark; --fg: #1f2328; --bg: #fff; --soft: #59636e; --line: #d1d9e0; --box: #f6f8fa; --breaks: #b42318; --notice: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --fg: #e6edf3; --bg: #0d1117; --soft: #9198a1; --line: #30363d; --box: #161b22; --breaks: #ff7b72; --notice: #e3b341; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px 16px 64px; max-width: 1120px; background: var(--bg); color: var(--fg); font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; }
h1 { font-size: 20px; overflow-wrap: anywhere; margin: 0 0 16px; }
h2 { font-size: 16px; margin: 32px 0 8px; }
h3 { font-size: 14px; margin: 16px 0 4px; color: var(--soft); }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 8px; margin: 0; }
dl div { background: var(--box); border: 1px solid var(--line); border-radius: 6px; padding: 8px 12px; min-width: 0; }
dt { color: var(--soft); font-size: 12px; }
dd { margin: 0; overflow-wrap: anywhere; }
.wide, .plot { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; vertical-align: top; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
td { max-width: 320px; }
td:not(.n):not(:first-child) { min-width: 112px; }
td:last-child { overflow-wrap: anywhere; min-width: 160px; max-width: none; }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
code { font: 12px ui-monospace, SFMono-Regular, Menlo, monospace; background: var(--box); border-radius: 4px; padding: 1px 4px; }
small { color: var(--soft); }
.breaks { color: var(--breaks); }
.notice { color: var(--notice); }
p.breaks { border: 1px solid var(--breaks); border-radius: 6px; padding: 8px 12px; }
svg { display: block; }
`

export const PAGE_STYLE = new Markup(STYLE)

/** No script runs in the page and nothing is loaded, whatever stands in it. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`
