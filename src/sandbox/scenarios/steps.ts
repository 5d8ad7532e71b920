import { customerSteps } from './customer-steps.ts'
import { operatorSteps } from './operator-steps.ts'
import { railSteps } from './rail-steps.ts'
import type { Step } from './step.ts'

/** A partner creates it, with which every scenario begins. */
const create: Step = {}

const all = { create, ...customerSteps, ...operatorSteps, ...railSteps }

/** A word for something that happens in a scenario. */
export type StepWord = keyof typeof all

/** What every word of the catalog does: each has one meaning. */
export const steps: Readonly<Record<StepWord, Step>> = all
