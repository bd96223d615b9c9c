// The public entry of the subpath `feedmill/s3`, which needs no package.

export {
  type BucketFiles,
  type BucketFilesOptions,
  type BucketOptions,
  type BucketTargetOptions,
  bucketFiles,
  bucketObject,
  bucketTarget,
  type S3Credentials,
  type S3CredentialsProvider,
} from './integrations/s3/index'
