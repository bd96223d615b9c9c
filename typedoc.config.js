// The API reference in src/api, which test/from-sources.mjs makes of the public entries. The pages
// are part of the package and of the site, and Git does not keep them: it keeps test/api-report.txt.

import { OptionDefaults } from 'typedoc'

export default {
  plugin: ['typedoc-plugin-markdown', './test/api-plugin.mjs'],
  out: 'src/api',
  tsconfig: 'tsconfig.json',
  // `@remedy` of an error code: see test/reference/errors-page.mjs.
  blockTags: [...OptionDefaults.blockTags, '@remedy'],
  // One page an entry, which test/api-pages.mjs divides where it is large.
  outputFileStrategy: 'modules',
  readme: 'none',
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  disableSources: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  githubPages: false,
  expandObjects: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  typeDeclarationFormat: 'table',
  tableColumnSettings: { hideInherited: true, hideOverrides: true },
  typeDeclarationVisibility: 'compact',
  treatWarningsAsErrors: true,
  // Types that nobody has to write are not exported: a part of a report, a result that is inferred.
  validation: { notExported: false, invalidLink: true, rewrittenLink: true },
}
