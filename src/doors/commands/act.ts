import {
  type Action,
  type ActionCommand,
  actionName,
  type By,
  type Field,
  type Input,
} from '../../exchange/actions/action.ts'
import { hintOf, inputOf, refuseWrongValues, withFieldNames } from '../../exchange/actions/input.ts'
import { operatorOf } from '../../exchange/actions/operator-of.ts'
import { withAction } from '../../exchange/audit/origin.ts'
import type { Ctx } from '../../exchange/context.ts'
import { readId } from '../../platform/lib/ids.ts'
import { namedProblem, refuseNow } from '../../platform/lib/refusal.ts'
import { type Answer, type Command, type Invocation, WrongUsage } from './command.ts'
import { layOut } from './layout.ts'
import { contentsOf, signOf, withActor } from './who.ts'

/** The commands of actions: usage, help and what they do follow from the action. */
export const commandsOf = (actions: readonly Action<unknown>[]): Command[] =>
  actions.flatMap((action) => commandsIn(action).map((command) => commandOf(action, command)))

const commandsIn = ({ commands, subject: { noun }, name }: Action<unknown>): readonly ActionCommand[] =>
  commands ?? [{ words: `${noun} ${name}` }]

const flagOf = ({ name, flag }: Pick<Field<unknown>, 'name' | 'flag'>): string => flag ?? name.replaceAll('_', '-')

/** What people type before a value, or call it. */
const spelled = (field: Field<never>): string =>
  field.isOfForms ? field.name : (field.argument ?? `--${flagOf(field)}`)

const saidOf = (message: string, field: Field<never>): string =>
  field.pairs ? message : namedProblem({ path: spelled(field), code: 'INVALID_VALUE', message }).message

/** What names the subject, as an argument. */
const argumentOf = ({ subject }: Action<unknown>, { argument = subject.argument }: ActionCommand) =>
  argument === undefined ? undefined : [argument]

/** The fields that a command takes. */
const fieldsOf = ({ fields }: Action<unknown>, { preset = {} }: ActionCommand): Field<unknown>[] =>
  fields.filter(({ name, isOfForms }) => !isOfForms && preset[name] === undefined)

function commandOf(action: Action<unknown>, command: ActionCommand): Command {
  const { details = action.details, does = action.does } = command
  const fields = fieldsOf(action, command)
  const clear =
    action.needsReason === 'clear' || action.needsReason === 'optional'
      ? ['The reason is stored unencrypted in the audit: leave out personal data.']
      : action.needsReason === 'sealed'
        ? ['The reason is stored encrypted.']
        : []
  return {
    usage: usageOf(action, command, fields),
    does,
    details: [
      ...(details === undefined ? [] : [details]),
      ...fields.flatMap((one) => {
        const hint = hintOf(one)
        return hint === undefined ? [] : [`${spelled(one)}: ${hint}`]
      }),
      ...clear,
    ].join('\n'),
    acts: true,
    run: (input) => withFieldNames(action.fields, () => perform(action, command, input), saidOf),
  }
}

const reasonFlags = { clear: ['--reason TEXT'], sealed: ['--reason TEXT'], optional: ['[--reason TEXT]'], none: [] }
const keyFlags = { required: ['--key FILE'], optional: ['[--key FILE]'], of_another: ['[--key FILE]'], none: [] }

function usageOf(action: Action<unknown>, command: ActionCommand, fields: readonly Field<unknown>[]): string {
  const { subject, needsReason, content, takesKey = content ? 'optional' : 'none' } = action
  const flags = fields
    .filter(({ argument }) => argument === undefined)
    .map((field) => {
      const flag = `--${flagOf(field)} ${field.isFile ? 'FILE' : field.kind.usage}`
      return field.isRequired ? flag : `[${flag}]`
    })
  return [
    command.words,
    ...(argumentOf(action, command) ?? []),
    ...fields.flatMap(({ argument }) => argument ?? []),
    ...(subject.flag === undefined ? [] : [`--${subject.flag} ID`]),
    ...reasonFlags[needsReason],
    ...flags,
    ...keyFlags[takesKey],
  ].join(' ')
}

async function perform(action: Action<unknown>, command: ActionCommand, input: Invocation): Promise<Answer> {
  const { subject, permission, byOperator, takesKey } = action
  const args = [...input.args]
  const flag = subject.flag === undefined ? undefined : input.flags[subject.flag]
  const named = argumentOf(action, command) ? args.shift() : undefined
  if (subject.flag !== undefined && readId(flag ?? '') === undefined)
    throw new WrongUsage(`--${subject.flag} needs an id of digits.`)
  if (subject.argument?.endsWith('ID') && readId(named ?? '') === undefined)
    throw new WrongUsage('This command needs an id of digits.')
  const about = [command.about, flag, named].filter((one) => one !== undefined).join(' ')
  const given = await givenIn(action, command, { ...input, args })
  refuseWrongValues(action, given)
  action.check?.(given)
  const sign = await signOf(input)
  // Somebody else's key countersigns, and does not say who acts.
  const { key: _, ...others } = input.flags
  const flagged = takesKey === 'of_another' ? { ...input, flags: others } : input
  const work = async (ctx: Ctx, by: By): Promise<Answer> => {
    if (byOperator) operatorOf(by)
    const found = await subject.find(ctx, about)
    refuseNow(await action.allowedNow?.(ctx, found, given))
    const { said, json, text, exitCode } = await withAction(actionName(action), () => action.run(ctx, found, given, by))
    return { json, text: text ?? `${layOut(json)}\n\n${said}`, ...(exitCode === undefined ? {} : { exitCode }) }
  }
  const patient = action.isPatient ? { ...flagged, exchange: flagged.patientExchange } : flagged
  return withActor(patient, permission, (ctx, actor, operator) => work(ctx, { actor, operator, sign }))
}

async function givenIn(action: Action<unknown>, command: ActionCommand, input: Invocation): Promise<Input> {
  const typed = new Map(Object.entries(command.preset ?? {}))
  const args = [...input.args]
  let pairs: Record<string, string> = {}
  for (const field of fieldsOf(action, command)) {
    const what = spelled(field)
    if (field.pairs) {
      pairs = await pairsIn(args, field.pairs)
      continue
    }
    const value = field.argument === undefined ? input.flags[flagOf(field)] : args.shift()
    // A script whose variable is not set must not mean something else.
    if (value?.trim() === '' && !field.mayBeEmpty) throw new WrongUsage(`${what} must not be empty.`)
    if (value !== undefined) typed.set(field.name, field.isFile ? await contentsOf(value, what) : value)
  }
  return inputOf({
    reason: reasonIn(action, input),
    text: (name) => (pairs[name] ?? typed.get(name))?.trim() || undefined,
    has: (name) => typed.has(name),
    pairs,
  })
}

/** Reads `name=value` arguments; the value of some names is a file's contents. */
async function pairsIn(args: readonly string[], { isFile }: NonNullable<Field<unknown>['pairs']>) {
  const pairs = new Map<string, string>()
  for (const arg of args) {
    const [, name = '', value = ''] = /^([a-z0-9_]+)=(.*)$/s.exec(arg) ?? []
    if (name === '') throw new WrongUsage(`"${arg}" is not of the form key=value.`)
    if (pairs.has(name)) throw new WrongUsage(`${name} is given twice.`)
    // As of a flag: nothing may be kept, or ended, because a script lacked a value.
    if (value.trim() === '') throw new WrongUsage(`${name} must not be empty.`)
    pairs.set(name, isFile(name) ? await contentsOf(value, name) : value)
  }
  return Object.fromEntries(pairs)
}

const reasonIn = ({ needsReason }: Pick<Action<unknown>, 'needsReason'>, input: Invocation): string =>
  needsReason === 'clear' || needsReason === 'sealed' ? reasonOf(input) : (input.flags.reason ?? '').trim()

/** Reads `--reason`, which must not be empty. */
function reasonOf({ flags }: Invocation): string {
  const reason = (flags.reason ?? '').trim()
  if (reason === '') throw new WrongUsage('--reason must not be empty.')
  return reason
}
