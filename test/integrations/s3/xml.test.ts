// The reader of XML, beside documents that are made from trees.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readXml, type XmlElement, xmlText } from '../../../src/integrations/s3/xml'

const name = fc.constantFrom('Key', 'Contents', 'a', 'B.c', '_x-1')
/** Every character that XML can say; a store says the others as references all the same. */
const text = fc.string({ unit: 'binary', maxLength: 12 }).map(each => each.replace(/\r/g, ''))
const { tree } = fc.letrec<{ tree: XmlElement }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.record({ name, text, children: fc.constant([]) }),
    fc.record({ name, text: fc.constant(''), children: fc.array(tie('tree'), { maxLength: 4 }) }),
  ),
}))
const written = ({ name, text, children }: XmlElement): string =>
  children.length === 0 && text === ''
    ? `<${name}  a="'>" />`
    : `<${name} xmlns='http://a/b'>${references(text)}${children.map(written).join('')}</${name} >`
const references = (text: string) =>
  xmlText(text).replace(/\p{Cc}/gu, letter => `&#x${letter.charCodeAt(0).toString(16)};`)

test('a written tree is read again, and no beginning of it is one', () => {
  fc.assert(
    fc.property(tree, fc.boolean(), fc.nat(), (root, hasHead, cut) => {
      const document = `${hasHead ? ' <?xml version="1.0" encoding="UTF-8"?>\n' : ''}${written(root)}`
      expect(readXml(`${document}\n`)).toEqual(root)
      expect(readXml(document.slice(0, cut % document.length))).toBeUndefined()
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['nothing', ''],
  ['text', 'hello'],
  ['a type of its own', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
  ['an entity of its own', '<a>&b;</a>'],
  ['an entity of another world', '<a>&constructor;</a>'],
  ['a bare &', '<a>b & c</a>'],
  ['a character that is none', '<a>&#x110000;</a>'],
  ['a section', '<a><![CDATA[b]]></a>'],
  ['an instruction', '<a><?b?></a>'],
  ['a remark', '<a><!-- b --></a>'],
  ['two roots', '<a></a><b></b>'],
  ['text behind the root', '<a></a>b'],
  ['another end', '<a><b></a></b>'],
  ['an end alone', '</a>'],
  ['too many levels', '<a>'.repeat(17) + '</a>'.repeat(17)],
  ['a < in an attribute', '<a b="<"></a>'],
])('%s is refused', (_, document) => expect(readXml(document)).toBeUndefined())

test('every entity of XML itself is read', () =>
  expect(readXml('<a>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;</a>')?.text).toBe('<>&"\'A😀'))
