import { geno, german } from './germany.ts'
import { abn, ing } from './netherlands.ts'
import { centrolink, nordea } from './north.ts'
import { postfinance, wise } from './others.ts'
import type { BankShape } from './shape.ts'

/** The shapes of eight banks, by the name of the rail that a test gives them. */
export const bankShapes = { abn, ing, nordea, geno, german, postfinance, wise, centrolink } as const satisfies Record<
  string,
  BankShape
>
