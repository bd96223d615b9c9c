// Signatures of the examples that the documentation of the interface works out ("Signature
// Calculations for the Authorization Header"). The store of the other tests checks every other one.

import { expect, test } from 'vitest'
import { signableQuery, signed, strictlyEncoded } from '../../../src/integrations/s3/sign'

const CREDENTIALS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const NOW = new Date('2013-05-24T00:00:00Z')
const HOST = 'https://examplebucket.s3.amazonaws.com'

test.each([
  [
    'an object by a range',
    { method: 'GET', url: `${HOST}/test.txt`, headers: { Range: 'bytes=0-9' }, body: '' },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'an object that is written',
    {
      method: 'PUT',
      url: `${HOST}/test%24file.text`,
      headers: {
        Date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      },
      body: 'Welcome to Amazon S3.',
    },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'a parameter without a value',
    { method: 'GET', url: `${HOST}/?lifecycle=`, headers: {}, body: '' },
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'a list',
    {
      method: 'GET',
      url: `${HOST}/?${signableQuery({ prefix: 'J', 'max-keys': '2' })}`,
      headers: {},
      body: '',
    },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
])('the documented example: %s', (_, { url, ...request }, signature) => {
  const headers = signed({ ...request, url: new URL(url) }, CREDENTIALS, 'us-east-1', NOW)
  expect(headers.Authorization).toMatch(new RegExp(`Signature=${signature}$`))
  expect(headers.Authorization).toContain(
    'Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=',
  )
})

test('all but letters, digits and four signs is encoded', () => {
  expect(strictlyEncoded("aZ09-._~ !'()*+&=/%ü")).toBe(
    'aZ09-._~%20%21%27%28%29%2A%2B%26%3D%2F%25%C3%BC',
  )
})
