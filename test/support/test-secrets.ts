import { deriveSecrets } from '../../src/platform/privacy/master-key.ts'

/** The secrets of tests that have no folder with a key. */
export const testSecrets = deriveSecrets(Buffer.alloc(32, 7))
