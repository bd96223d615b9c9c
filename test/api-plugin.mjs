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
  })
  app.renderer.on(MarkdownPageEvent.END, page => {
    const isIndex = page.url === 'README.md'
    page.contents = page.contents
      .replace(/^# (.*)$/m, (_, name) => `# ${isIndex ? 'API reference' : entryOf(name)}`)
      .replace(/^#+ (?:Overrides|Implementation of)\n\n.*\n+/gm, '')
      // What a call returns stands in its signature already.
      .replace(/^#+ Returns\n\n[^\n]+\n+(?=#|\*\*\*|$(?![^]))/gm, '')
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

function entryOf(name) {
  return name === 'feedmill' ? name : `feedmill/${name}`
}
