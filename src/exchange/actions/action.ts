import type { Content } from '../approvals/content.ts'
import type { Sign } from '../approvals/signature.ts'
import type { Ctx } from '../context.ts'
import type { Operator } from '../operators/operator.ts'
import type { Permission } from '../operators/roles.ts'
import type { Schema } from '../../platform/lib/schema.ts'
import type { PortalRole } from '../partners/portal-users.ts'
import type { Kind, Typed } from './values.ts'

/** What programs get. No bigint and no Date fits in it: ids and amounts are texts, times are ISO 8601. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** Something that is typed for an action: a field of its form, a flag or an argument of its command. */
export type Field<Subject> = {
  /** The name in forms; in commands the flag, with hyphens. */
  name: string
  label: string
  /** What may be typed, and what it means. */
  kind: Kind<unknown>
  /** What the amount of a field is in, next to the label. */
  unit?(subject: Subject): string
  help?: string
  isRequired?: boolean
  /** What a form has at first. */
  initial?(subject: Subject): string | undefined
  /** The heading that it is below, with others that have the same. */
  group?: string
  /** It is a JSON document: a form has a field for each of its values, as its schema says. What is typed is the whole. */
  document?: { schema(subject: Subject): Schema; of(subject: Subject): unknown }
  /** The argument of the command; without it the field is a flag. */
  argument?: string
  /** The flag, where it is not the name. */
  flag?: string
  /** The flag may be empty, which means that there is none. */
  mayBeEmpty?: true
  /** The flag or argument names a file that holds it. */
  isFile?: true
  /** The argument repeats, as name=value; `isFile` tells whose value names a file. What is typed is in `Input.pairs`. */
  pairs?: { isFile(name: string): boolean }
  /** What refusals of the verb call it, as the API does, where that is not the name. */
  refusedAs?: string
  /** Only commands take it, or only forms. */
  isOfCommands?: true
  isOfForms?: true
}

/** What the audit and the documentation call an action: `payout.approve`. */
export const actionName = ({ subject, name }: Pick<Action<never>, 'name'> & { subject: { noun: string } }): string =>
  `${subject.noun}.${name}`

/** What an action is about: how a command names it, and how it is found. */
export type SubjectKind<Subject> = {
  /** The noun of the commands. */
  noun: string
  /** The argument of the commands; undefined where an action is about nothing, or a flag names it. */
  argument?: string
  /** The flag of the commands, which takes an id. */
  flag?: string
  /** The hidden field of forms that names it; undefined where the page's path does. Several have one part of the name each. */
  field?: string | readonly string[]
  /** Throws NOT_FOUND. */
  find(ctx: Ctx, text: string): Promise<Subject> | Subject
}

/** Who acts. `operator`: who is signed in or has given a token; undefined for this machine's user. */
export type By = { actor: string; operator: Operator | undefined; sign?: Sign | undefined }

/** What was typed, by the names of the fields, and the reason. */
export type Input = {
  reason: string
  text(name: string): string | undefined
  /** What a field's text means. */
  value<Value>(field: Typed<Value>): Value | undefined
  /** Whether the form has the field, or the command the flag: an empty one is meant then. */
  has(name: string): boolean
  /** Values by names that the action does not list: of an argument with `pairs`. */
  pairs: Readonly<Record<string, string>>
}

/** What an action has done: a sentence for people, the values for programs. */
export type ActionResult = {
  said: string
  json: Json
  /** What a command prints for people instead of the values. */
  text?: string
  /** What is shown this once. */
  secrets?: readonly (readonly [name: string, text: string])[]
  /** What a form downloads. */
  file?: { name: string; type: string; body: string }
  /** The command's exit code, unless it is 0. */
  exitCode?: number
  /** Nothing is done: a form is shown again with what was said. */
  isRefused?: true
}

/** A command that does an action. */
export type ActionCommand = {
  /** `feature on`. */
  words: string
  /** Fields that it does not take, and what they have. */
  preset?: Readonly<Record<string, string>>
  /** The first part of the subject's name, which the command does not take. */
  about?: string
  /** Its argument that names the subject, where others of the subject have none. */
  argument?: string
  does?: string
  details?: string
}

/**
 * Something that an operator does, as data. The form on the console's pages, the command with its usage, help and `--json`, the
 * permission and the page of the documentation follow from it. The rules of when it is possible belong to the verb that `run` calls;
 * `allowedNow` asks the same rules before.
 */
export type Action<Subject> = {
  subject: SubjectKind<Subject>
  /** The verb: the form's `action`, and the command's second part. */
  name: string
  /** What its button says. */
  title: string
  /** What it does, in a sentence. */
  does: string
  /** What people should know before, in the form and in the help of the command. */
  details?: string
  permission: Permission
  /** Who of a partner's own people may do it too, in the portal: everybody, or its administrators. */
  atPortal?: PortalRole
  /** `clear`: the reason is in the audit, in clear text, so that it names nobody; so is an `optional` one. `sealed`: it is encrypted. */
  needsReason: 'clear' | 'sealed' | 'optional' | 'none'
  fields: readonly Field<Subject>[]
  /** Only an operator may, not this machine's user. */
  byOperator?: true
  /** How many different operators must do it before it happens. */
  approvals?: number | '1, in live mode 2' | '1, with --left 2'
  /** What is approved: a form asks for a passkey's signature, or for a code of the second factor. */
  content?(subject: Subject): Content
  /** The command gives each statement an hour. */
  isPatient?: true
  /** Why there is no form. */
  noForm?: string
  /** The command takes `--key`: what is done is, or may be, signed; by the key of who acts, or of somebody else. */
  takesKey?: 'optional' | 'required' | 'of_another'
  /** Its commands; without them one, of the noun and the name. None: another one does the same. */
  commands?: readonly ActionCommand[]
  /** Refuses what was typed, whatever it is about. */
  check?(given: Input): void
  /** Why it is not possible now; undefined: it is. `given`: what was typed, where that says what is meant. */
  allowedNow?(ctx: Ctx, subject: Subject, given?: Input): Promise<string | undefined> | string | undefined
  /** What it would do now, in sentences. */
  preview?(ctx: Ctx, subject: Subject): Promise<readonly string[]> | readonly string[]
  run(ctx: Ctx, subject: Subject, given: Input, by: By): Promise<ActionResult>
}
