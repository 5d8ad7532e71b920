export { holdsCardNumber, isCardNumber } from '../lib/card-number.ts'
