// Divides the pages of TypeDoc: an entry with many names gets a page for each kind of them, and its
// own page lists them. A link follows its heading to the page that has it.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** An entry whose page has no more characters stays in one piece. */
const WHOLE_PAGE = 20_000
/** A kind with more characters has several pages, which makes about 150 kB of HTML each at most. */
const KIND_PAGE = 26_000

const isOptions = name => /Options\b/.test(name)
const KINDS = [
  { end: 'classes', title: 'Classes', has: ({ group }) => group === 'Classes' },
  { end: 'functions', title: 'Functions', has: ({ group }) => group === 'Functions' },
  { end: 'options', title: 'Options', has: ({ group, name }) => group === 'Interfaces' && isOptions(name) },
  { end: 'interfaces', title: 'Interfaces', has: ({ group, name }) => group === 'Interfaces' && !isOptions(name) },
  { end: 'types', title: 'Types and constants', has: ({ group }) => ['Type Aliases', 'Variables'].includes(group) },
]

/** Types whose members the reference describes. Their other page leads there. */
const ELSEWHERE = {
  ErrorContexts: 'The codes and the fields of their contexts: [Error codes](../reference/errors.md).',
  DiagnosticsMessages: 'The channels and the fields of their messages: [Events](../reference/events.md).',
}

/** @param folder that of the pages */
export function dividePages(folder) {
  const names = readdirSync(folder).filter(name => name.endsWith('.md') && name !== 'README.md')
  const pages = names.flatMap(name => divided(name, readFileSync(join(folder, name), 'utf8')))
  const places = new Map(pages.flatMap(placesOf))
  for (const { from, to, parts } of pages) {
    const follow = (link, page = from, anchor) => {
      const [file, there] = places.get(`${page}#${anchor}`) ?? [page, anchor]
      return `](${file === to ? '' : file}#${there})`
    }
    const text = parts.map(part => part.text).join('')
    writeFileSync(join(folder, to), `${text.replace(/\]\(([\w-]+\.md)?#([\w-]+)\)/g, follow).trimEnd()}\n`)
  }
}

/** The pages that the page of an entry becomes, each of parts. */
function divided(from, page) {
  const parts = partsOf(page)
  if (page.length <= WHOLE_PAGE) return [{ from, to: from, parts }]
  const [opening] = parts
  const [, entry] = /^# (.*)$/m.exec(opening.text)
  const kinds = KINDS.map(kind => ({ ...kind, members: parts.filter(kind.has) })).filter(({ members }) => members.length > 0)
  const addressOf = ({ end }) => from.replace('.md', `-${end}.md`)
  const lists = kinds.map(kind => textPart(`## ${kind.title}\n\n${listOf(kind, from)}\n\n`))
  return [
    { from, to: from, parts: [opening, ...lists, ...parts.filter(({ group }) => group === 'References')] },
    ...kinds.flatMap(kind =>
      inPages(kind.members).map((members, n) => {
        const [title, to] = n === 0 ? [kind.title, addressOf(kind)] : [`${kind.title} (${n + 1})`, addressOf({ end: `${kind.end}-${n + 1}` })]
        const head = `# ${title} of ${entry}\n\n[All names of ${entry}](${from})\n\n${listOf({ members }, from)}\n\n`
        return { from, to, parts: [textPart(head), ...members] }
      }),
    ),
  ]
}

/** The members in their order, in pages of about the same length. */
function inPages(members) {
  const lengthOf = parts => parts.reduce((sum, { text }) => sum + text.length, 0)
  const share = lengthOf(members) / Math.ceil(lengthOf(members) / KIND_PAGE)
  const pages = new Map()
  let before = 0
  for (const member of members) {
    const page = Math.floor(before / share)
    pages.set(page, [...(pages.get(page) ?? []), member])
    before += member.text.length
  }
  return [...pages.values()]
}

const textPart = text => ({ text, anchors: [] })

/** Links to the page as it was, which then follow the members. */
function listOf({ members }, from) {
  return members.map(({ name, anchors: [anchor] }) => `[${name}](${from}#${anchor})`).join(' · ')
}

/** The opening, the groups and their members, each with the anchors of its headings on the page. */
function partsOf(page) {
  const anchors = headingsOf(page).map(({ anchor }) => anchor)
  let group
  return page.split(/^(?=##{1,2} )/m).map(text => {
    const [, level, name] = /^(#+) (.*)$/m.exec(text)
    if (level === '##') group = name
    const part = { text, anchors: anchors.splice(0, headingsOf(text).length) }
    if (level === '##' && name === 'References') return { ...part, group }
    if (level !== '###') return part
    const described = ELSEWHERE[name]
    if (described !== undefined) part.text = `${text.split('#### Properties')[0]}${described}\n\n***\n\n`
    return { ...part, group, name }
  })
}

/** The old place of each heading and mark of a page, with the new one. */
function placesOf({ from, to, parts }) {
  const headings = headingsOf(parts.map(({ text }) => text).join(''))
  return parts.flatMap(({ text, anchors }) => {
    const here = headings.splice(0, headingsOf(text).length)
    const marks = [...text.matchAll(/<a id="([\w-]+)">/g)].map(([, id]) => [`${from}#${id}`, [to, id]])
    const moved = here.map(({ anchor }, n) => [`${from}#${anchors[n]}`, [to, anchor]])
    return [...marks, ...moved]
  })
}

/** The headings with their anchors on GitHub, where a repeated one gets a number. */
export function headingsOf(text) {
  const counts = new Map()
  const lines = text.replace(/^ *```.*?^ *```$/gms, '').match(/^#+ .+$/gm) ?? []
  return lines.map(line => {
    const words = line.replace(/^#+ /, '').toLowerCase()
    const slug = words.replace(/[^\w\s-]/g, '').replace(/\s/g, '-')
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    return { line, anchor: count === 0 ? slug : `${slug}-${count}` }
  })
}
