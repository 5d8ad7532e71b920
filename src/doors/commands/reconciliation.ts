import { breakJson } from '../../exchange/actions/breaks.ts'
import { listBreaks, showBreak } from '../../exchange/reconciliation/breaks.ts'
import type { Answer, Invocation } from './command.ts'
import { layOut } from './layout.ts'
import { idOf } from './read-id.ts'

export const list = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const json = (await listBreaks(ctx, { open: input.flags.all === undefined })).map(breakJson)
    return { json, text: json.length === 0 ? 'There are no breaks.' : layOut(json) }
  })

export const show = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  return input.exchange(async (ctx) => ({ json: breakJson(await showBreak(ctx, id)) }))
}
