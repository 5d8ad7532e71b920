import { accountPage } from './account.tsx'
import { auditPage } from './audit.tsx'
import { customerPage } from './customer.tsx'
import { customersPage } from './customers.tsx'
import { homePage } from './home.tsx'
import { keysPage } from './passkeys.tsx'
import { moneyPage } from './money.tsx'
import { orderPage } from './order.tsx'
import { ordersCsv, ordersPage } from './orders.tsx'
import type { Page } from './page.ts'
import { partnerPage, partnersPage } from './partners.tsx'
import { policyPage } from './policy.tsx'
import { pricesPage } from './prices.tsx'
import { journalFile, reportsCsv, reportsPage } from './reports.tsx'
import { systemPage } from './system.tsx'
import { teamPage } from './team.tsx'

/** Every page of the console. */
export const pages: readonly Page[] = [
  homePage,
  ordersPage,
  ordersCsv,
  orderPage,
  customersPage,
  customerPage,
  partnersPage,
  partnerPage,
  moneyPage,
  pricesPage,
  policyPage,
  reportsPage,
  reportsCsv,
  journalFile,
  auditPage,
  systemPage,
  teamPage,
  accountPage,
  keysPage,
]
