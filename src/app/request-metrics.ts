import type { Gauge } from '../doors/api/admin.ts'
import type { Ctx } from '../exchange/context.ts'
import { securityEventKinds } from '../platform/lib/security-events.ts'

/** What this process has answered and refused since its start. */
export const requestMetrics = ({ security, requests }: Pick<Ctx, 'security' | 'requests'>): Gauge[] => [
  {
    name: 'security_events_total',
    help: 'Security events that this process has seen since its start, by kind.',
    labels: ['kind'],
    isCounter: true,
    read: () => securityEventKinds.map((kind) => ({ labels: [kind], value: security.count(kind) })),
  },
  {
    name: 'http_requests_total',
    help: 'HTTP requests that this process has answered since its start, by route and status.',
    labels: ['route', 'status'],
    isCounter: true,
    read: () => requests.all().map(({ route, status, count }) => ({ labels: [route, status], value: count })),
  },
]
