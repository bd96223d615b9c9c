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
    page.contents = page.contents.replace(/^# (.*)$/m, (_, name) =>
      page.url === 'README.md' ? '# API reference' : `# ${entryOf(name)}`,
    )
  })
}

function isRepeated(owner, member) {
  if (member.flags.isInherited || member.inheritedFrom !== undefined) return true
  if (owner.kind === ReflectionKind.Interface) return false
  if (member.flags.isProtected && !BASES.has(owner.name)) return true
  const documented = member.hasComment() || member.signatures?.some(each => each.hasComment())
  const overridden = member.overwrites ?? member.signatures?.some(each => each.overwrites)
  const isAccessor = member.kind === ReflectionKind.Accessor
  return isAccessor
    ? member.getSignature?.overwrites !== undefined && !member.getSignature.hasComment()
    : overridden !== undefined && overridden !== false && !documented && member.name !== 'constructor'
}

function entryOf(name) {
  return name === 'feedmill' ? name : `feedmill/${name}`
}
