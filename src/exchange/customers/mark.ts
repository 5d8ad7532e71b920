export { markChargeback } from './customers.sql.ts'
