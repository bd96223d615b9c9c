// A plugin of TypeDoc for the reference in src/api. It leaves out what a page would only repeat,
// and gives the pages the names of the package's entries.

import { ReflectionKind } from 'typedoc'
import { MarkdownPageEvent } from 'typedoc-plugin-markdown'

/** Classes whose protected members a caller implements or calls. */
const BASES = new Set(['Stage', 'Source'])

/** Names of the entries' pages, by what TypeDoc calls the modules. */
const PAGES = { index: 'feedmill', state: 'level' }

export function load(app) {
  app.converter.on('resolveBegin', ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module))
      module.name = PAGES[module.name] ?? module.name
    const classes = ReflectionKind.Class | ReflectionKind.Interface
    for (const owner of project.getReflectionsByKind(classes)) {
      const hidden = (owner.children ?? []).filter(member => isRepeated(owner, member))
      for (const member of hidden) project.removeReflection(member)
    }
    const calls = ReflectionKind.FunctionOrMethod | ReflectionKind.Constructor
    for (const { signatures = [] } of project.getReflectionsByKind(calls))
      for (const overload of signatures.slice(1))
        if (summaryOf(overload) === summaryOf(signatures[0])) overload.comment = undefined
  })
  app.renderer.on(MarkdownPageEvent.END, page => {
    page.contents = page.url === 'README.md' ? indexPage(page.contents) : entryPage(page.contents)
  })
}

function indexPage(contents) {
  const list = contents.match(/^- .*$/gm).map(line => line.replace(/\w+/, entryOf))
  return `# API reference

\`npm run api\` makes these pages of the comments in the code, one page for each entry of the package.
In the examples, \`// given:\` names the values that are there already, and \`// =>\` says what a call prints.

${list.sort().join('\n')}
`
}

function entryPage(contents) {
  const text = contents
    .replace(/^# (.*)$/m, (_, name) => `# ${entryOf(name)}\n\n[All entries](README.md)`)
    .replace(/^#+ (?:Overrides|Implementation of)\n\n.*\n+/gm, '')
    .replace(/^### .+\n+Re-exports (.+)\n+(?:\*\*\*\n+)?/gm, '- $1\n')
    // What a call returns stands in its signature already.
    .replace(/^#+ Returns\n\n[^\n]+\n+(?=#|\*\*\*|$(?![^]))/gm, '')
  const headings = headingsOf(text)
  const anchors = new Set(headings.map(({ anchor }) => anchor))
  const namesIn = group => {
    const rest = headings.slice(headings.findIndex(each => each.line === group) + 1)
    const end = rest.findIndex(({ line }) => line.startsWith('## '))
    const names = rest.slice(0, end < 0 ? undefined : end).filter(({ line }) => /^### /.test(line))
    return names.map(({ line, anchor }) => `[${line.slice(4)}](#${anchor})`).join(' · ')
  }
  return `${text
    // TypeDoc numbers some anchors where no heading before them has the same words.
    .replace(/\]\(#([\w-]+)-\d+\)/g, (link, name) =>
      anchors.has(link.slice(3, -1)) || !anchors.has(name) ? link : `](#${name})`,
    )
    .replace(/^## (?!References).*$/gm, group => `${group}\n\n${namesIn(group)}`)
    .trimEnd()}\n`
}

/** The headings with their anchors on GitHub, where a repeated one gets a number. */
function headingsOf(text) {
  const counts = new Map()
  const lines = text.replace(/^ *```.*?^ *```$/gms, '').match(/^#+ .+$/gm)
  return lines.map(line => {
    const words = line.replace(/^#+ /, '').toLowerCase()
    const slug = words.replace(/[^\w\s-]/g, '').replace(/\s/g, '-')
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    return { line, anchor: count === 0 ? slug : `${slug}-${count}` }
  })
}

function isRepeated(owner, member) {
  if (member.flags.isInherited || member.inheritedFrom !== undefined) return true
  if (owner.kind === ReflectionKind.Interface || member.name === 'constructor') return false
  if (member.flags.isProtected && !BASES.has(owner.name)) return true
  const calls = [...(member.signatures ?? []), member.getSignature, member].filter(Boolean)
  const replaced = calls.map(call => call.overwrites).find(Boolean)
  if (replaced === undefined) return false
  // A member of another package has its documentation there.
  return replaced.reflection === undefined || !calls.some(call => call.hasComment())
}

function summaryOf({ comment }) {
  return comment?.summary.map(({ text }) => text).join('')
}

function entryOf(name) {
  return name === 'feedmill' ? name : `feedmill/${name}`
}
