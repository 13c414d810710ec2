/** Types of the parts that we use, because the package has none. */
declare module '@20minutes/s3rver' {
  import type { RequestListener } from 'node:http'

  export default class S3rver {
    constructor(options: {
      directory: string
      silent: boolean
      configureBuckets: { name: string; configs: string[] }[]
    })
    configureBuckets(): Promise<unknown>
    callback(): RequestListener
    store: { getResourcePath(bucket: string, key: string | undefined, resource: string): string }
  }
}
