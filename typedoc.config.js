// The API reference in src/api, which `npm run pages` makes of the public entries. The pages are part
// of the package and of the site, and Git does not keep them: it keeps test/api-report.txt.
// If a warning says that a type is not included: export it as a type, or name it below.

import { OptionDefaults } from 'typedoc'

export default {
  entryPoints: [
    'index',
    'bench',
    'inspect',
    'service',
    'emulator',
    'sync',
    'level',
    'queue',
    'duckdb',
    'opentelemetry',
    'postgres',
  ].map(name => `src/${name}.ts`),
  plugin: ['typedoc-plugin-markdown', './test/api-plugin.mjs'],
  out: 'src/api',
  tsconfig: 'tsconfig.json',
  // `@remedy` of an error code: see test/reference.mjs.
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
  // `tsc` checks the types.
  skipErrorChecking: true,
  treatWarningsAsErrors: true,
  intentionallyNotExported: [
    // Constants of which only the type is public.
    'FAULTS',
    'HEADER_FORMS',
    'HEADER_SPELLINGS',
    'COMPANIONS',
    'OPERATIONS',
    'itemColumns',
    'itemGroupColumns',
    'itemPriorityColumns',
    'itemSnapshotColumns',
    // The mark of a machine that has no output yet, which a stage of a caller never gives.
    'Pause',
    // Types that compute another one, or make a wrong call a compile error.
    'NameIn',
    'Unwritable',
    'AnyIterable',
    'AnyPipeline',
    'ItemOf',
    'AnyRow',
    // The data behind the places of an emulated world.
    'Department',
    'MarketplaceFacts',
    // An iterator, of which a caller knows the interface of the language.
    'ItemIterator',
  ],
}
