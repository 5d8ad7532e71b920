import type { Schema } from '../../platform/lib/schema.ts'
import type { Environment } from '../settings.ts'

/** What is wrong with a document. `path` is spelled `service.buy`; empty for the document as a whole. */
export type DocumentProblem = { path: string; message: string }

/** One kind of policy: the shape of its documents, what they mean, and the one that Cambio ships with. */
export type PolicyKind<Document, Rules> = {
  schema: Schema
  /** The document of version 1. */
  shipped(environment: Environment): Document
  /** What code applies: the document with every text parsed. Called once for each version. */
  read(document: Document): Rules
  /** What a document allows that its author may not have meant. */
  warnings?(document: Document): string[]
  /** What contradicts itself within a document that fits the schema. */
  contradictions(document: Document): DocumentProblem[]
}

/** No contradictions are possible in what the schema allows. */
export const noContradictions = (): DocumentProblem[] => []
