import { customerSteps } from './customer-steps.ts'
import { operatorSteps } from './operator-steps.ts'
import { railSteps } from './rail-steps.ts'
import type { Step } from './step.ts'

/** A partner creates it, with which every scenario begins. */
const create: Step = {}

const all = { create, ...customerSteps, ...operatorSteps, ...railSteps }

/** The name of something that happens in a scenario. */
export type StepName = keyof typeof all

/** What every step of the catalog does. */
export const steps: Readonly<Record<StepName, Step>> = all
