// Writes an object of a bucket in a process of its own, which a test kills.

import { byteSink, pipeline } from '../../../src/index'
import { BucketClient } from '../../../src/integrations/s3/bucket-client'
import { BucketUpload } from '../../../src/integrations/s3/bucket-upload'
import { CREDENTIALS } from './test-bucket'

const [, , address = '', endpoint = '', partBytes, content = ''] = process.argv
const client = new BucketClient(address, { endpoint, credentials: CREDENTIALS })
const openDestination = () => new BucketUpload(client, Number(partBytes)).open()
await pipeline([Buffer.from(content)]).run(byteSink({ address, openDestination }))
process.exit()
