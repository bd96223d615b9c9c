// A plugin of TypeDoc for the reference in src/api. It leaves out what a page would only repeat,
// and gives the pages the names of the package's entries.

import { ReflectionKind } from 'typedoc'
import { MarkdownPageEvent } from 'typedoc-plugin-markdown'
import { dividePages, headingsOf } from './api-pages.mjs'

/** Classes whose protected members a caller implements or calls. */
const BASES = new Set(['Stage', 'Source'])

/** Names of the entries' pages, by what TypeDoc calls the modules. */
const PAGES = { index: 'feedmill' }

export function load(app) {
  app.converter.on('resolveBegin', ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module))
      module.name = PAGES[module.name] ?? module.name
    const classes = ReflectionKind.Class | ReflectionKind.Interface
    const owners = project.getReflectionsByKind(classes)
    const names = new Set(owners.map(({ name }) => name))
    const stage = owners.find(({ kind, name }) => kind === ReflectionKind.Class && name === 'Stage')
    const ofStage = new Map(stage.children.map(member => [member.name, describedIn(member)]))
    for (const owner of owners) {
      const isHidden = member => isRepeated(owner, member, names, ofStage)
      for (const member of (owner.children ?? []).filter(isHidden)) project.removeReflection(member)
    }
    const calls = ReflectionKind.FunctionOrMethod | ReflectionKind.Constructor
    for (const { signatures = [] } of project.getReflectionsByKind(calls))
      for (const overload of signatures.slice(1))
        if (summaryOf(overload) === summaryOf(signatures[0])) overload.comment = undefined
  })
  app.renderer.on(MarkdownPageEvent.END, page => {
    page.contents = page.url === 'README.md' ? indexPage(page.contents) : entryPage(page.contents)
  })
  app.renderer.postRenderAsyncJobs.push(async ({ outputDirectory }) => dividePages(outputDirectory))
}

function indexPage(contents) {
  const list = contents.match(/^- .*$/gm).map(line => line.replace(/\w+/, entryOf))
  return `# API reference

\`npm run pages\` makes these pages of the comments in the code, for each entry of the package.
An entry with many names has a page for each kind of them: classes, functions, options, other interfaces, and types.
In the examples, \`// given:\` names values that are there already.
\`// =>\` says what the code prints.

${list.sort().join('\n')}
`
}

function entryPage(contents) {
  const text = contents
    .replace(/^# (.*)$/m, (_, name) => `# ${entryOf(name)}\n\n[All entries](README.md)`)
    .replace(/^#+ (?:Overrides|Implementation of|Inherited from)\n\n.*\n+/gm, '')
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

/**
 * @param names the documented classes and interfaces
 * @param ofStage the descriptions of the members of Stage, by name
 */
function isRepeated(owner, member, names, ofStage) {
  const isClass = owner.kind === ReflectionKind.Class
  const inherited = firstOf(member, 'inheritedFrom')
  if (inherited !== undefined) {
    const isOfStage = isClass && ofStage.has(member.name)
    return isOfStage || isForeign(inherited) || names.has(inherited.name.replace(/\..*/, ''))
  }
  if (!isClass || member.name === 'constructor') return false
  if (member.flags.isProtected && !BASES.has(owner.name)) return true
  const replaced = firstOf(member, 'overwrites')
  if (replaced === undefined) return false
  const described = describedIn(member)
  const isSame = owner.name !== 'Stage' && described === ofStage.get(member.name)
  return isForeign(replaced) || described === undefined || isSame
}

const callsOf = member =>
  [...(member.signatures ?? []), member.getSignature, member].filter(Boolean)
const firstOf = (member, property) => callsOf(member).map(call => call[property]).find(Boolean)
const describedIn = member => callsOf(member).map(summaryOf).find(Boolean)
const isForeign = origin => origin.package !== undefined && origin.package !== 'feedmill'

function summaryOf({ comment }) {
  return comment?.summary.map(({ text }) => text).join('')
}

function entryOf(name) {
  return name === 'feedmill' ? name : `feedmill/${name}`
}
