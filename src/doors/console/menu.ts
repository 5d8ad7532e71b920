import type { Permission } from '../../exchange/operators/roles.ts'

/** The pages that the menu leads to; each is shown to those who may open it. */
export const menu: readonly { path: string; name: string; needs: Permission }[] = [
  { path: '/console', name: 'Now', needs: 'orders.view' },
  { path: '/console/orders', name: 'Orders', needs: 'orders.view' },
  { path: '/console/customers', name: 'Customers', needs: 'customers.view' },
  { path: '/console/partners', name: 'Partners', needs: 'partners.view' },
  { path: '/console/money', name: 'Money', needs: 'money.view' },
  { path: '/console/prices', name: 'Prices', needs: 'prices.view' },
  { path: '/console/reports', name: 'Reports', needs: 'reports.view' },
  { path: '/console/audit', name: 'Audit', needs: 'audit.view' },
  { path: '/console/system', name: 'System', needs: 'system.view' },
  { path: '/console/team', name: 'Team', needs: 'team.view' },
]
