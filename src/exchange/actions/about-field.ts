import { fieldRefusal, Refusal, type RefusalCode } from '../../platform/lib/refusal.ts'

/** Does what refuses with this code only because of one field, whose name it does not know. */
export async function aboutField<Result>(
  path: string,
  code: RefusalCode,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== code || error.problems.length > 0) throw error
    throw fieldRefusal(code, path, error.message)
  }
}
