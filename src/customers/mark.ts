export { markChargeback } from './queries.ts'
