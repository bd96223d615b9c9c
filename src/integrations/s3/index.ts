// The door of the room s3: what the public entries and the other rooms use of it.

export type { BucketOptions } from './bucket-client'
export {
  type BucketFiles,
  type BucketFilesOptions,
  bucketFiles,
  bucketObject,
} from './bucket-files'
export { type BucketTargetOptions, bucketTarget } from './bucket-target'
export type { S3Credentials, S3CredentialsProvider } from './credentials'
