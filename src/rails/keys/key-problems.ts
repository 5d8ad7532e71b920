import { resolve } from 'node:path'

import type { CheckPlace, SettingProblem } from '../kind.ts'
import { keystoreProblem } from './keystore.ts'

/** What is wrong with a keystore that an entry names. */
export function keyProblems(
  { keys }: { keys?: { file: string } },
  { folder, hasSigner, withKeystores }: Pick<CheckPlace, 'folder' | 'hasSigner' | 'withKeystores'>,
): SettingProblem[] {
  if (!keys) return []
  const cannotOpen = withKeystores ? keystoreProblem(resolve(folder, keys.file)) : undefined
  return [
    ...(hasSigner ? [{ path: 'keys', message: 'are held by custody.signer: remove one of them' }] : []),
    ...(cannotOpen === undefined ? [] : [{ path: 'keys.file', message: cannotOpen }]),
  ]
}
