import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

import { Cluster } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Cluster'
import { ScheduledBackup } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/ScheduledBackup'
import { validate as validateDeployment } from 'kubernetes-models/_schemas/IoK8sApiAppsV1Deployment'
import { validate as validateJob } from 'kubernetes-models/_schemas/IoK8sApiBatchV1Job'
import { validate as validateClaim } from 'kubernetes-models/_schemas/IoK8sApiCoreV1PersistentVolumeClaim'
import { validate as validateNamespace } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Namespace'
import { validate as validateService } from 'kubernetes-models/_schemas/IoK8sApiCoreV1Service'
import { validate as validateIngress } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1Ingress'
import { validate as validateNetworkPolicy } from 'kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy'
import { validate as validateBudget } from 'kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget'
import { parse, parseAllDocuments } from 'yaml'

import { settings } from '../src/app/config/config.ts'
import { filesBelow, projectFolder } from './support/source.ts'

type Manifest = { apiVersion: string; kind: string }
/** A published schema, as code that checks a manifest. */
type Validate = ((manifest: unknown) => boolean) & { errors?: unknown }

const schemas = new Map<string, Validate>([
  ['Deployment', validateDeployment],
  ['Ingress', validateIngress],
  ['Job', validateJob],
  ['Namespace', validateNamespace],
  ['NetworkPolicy', validateNetworkPolicy],
  ['PersistentVolumeClaim', validateClaim],
  ['PodDisruptionBudget', validateBudget],
  ['Service', validateService],
])

const read = (path: string): string => readFileSync(join(projectFolder, 'deploy', path), 'utf8')
const folder = 'deploy/kubernetes'
const { resources } = parse(read('kubernetes/kustomization.yaml')) as { resources: string[] }
const manifests = resources.flatMap((name) =>
  parseAllDocuments(read(`kubernetes/${name}`)).map((one) => one.toJSON() as Manifest),
)

/** A copy of a value that notes which keys of its objects are read: a schema reads those that it knows. */
function watched<T>(value: T, path: string, unread: Set<string>): T {
  if (typeof value !== 'object' || value === null) return value
  const copy = (Array.isArray(value) ? [] : {}) as Record<string, unknown>
  for (const [key, inner] of Object.entries(value)) {
    const place = `${path}/${key}`
    const kept: unknown = watched(inner as unknown, place, unread)
    if (!Array.isArray(value)) unread.add(place)
    const get = (): unknown => {
      unread.delete(place)
      return kept
    }
    Object.defineProperty(copy, key, { enumerable: true, get })
  }
  return copy as T
}

/** Names that people choose: labels, annotations, selectors, parameters, items of ConfigMaps. */
const chosen = /\/(labels|annotations|matchLabels|selector|parameters|requests|limits)\/[^/]+$/

describe('the manifests of Kubernetes', () => {
  const custom = ['Cluster', 'ScheduledBackup', 'PodMonitor']
  for (const manifest of manifests.filter(({ kind }) => !custom.includes(kind))) {
    it(`has a ${manifest.kind} that its published schema accepts, without a field that the schema does not know`, () => {
      const validate = schemas.get(manifest.kind)
      assert(validate, manifest.kind)
      const unread = new Set<string>()
      assert(validate(watched(manifest, '', unread)), JSON.stringify(validate.errors))
      assert.deepEqual(
        [...unread].filter((path) => !chosen.test(path)),
        [],
      )
    })
  }

  it('has a database that the schema of CloudNativePG accepts', () => {
    const cluster = manifests.find(({ kind }) => kind === 'Cluster')
    new Cluster(cluster as never).validate()
    new ScheduledBackup(manifests.find(({ kind }) => kind === 'ScheduledBackup') as never).validate()
    assert.throws(() => {
      new Cluster({ ...cluster, spec: { instances: 'three' } } as never).validate()
    })
  })

  it('are all listed, and a schema refuses what it should', () => {
    const files = filesBelow(folder).filter((path) => path.endsWith('.yaml'))
    const listed = [...resources, 'kustomization.yaml', 'config.yaml'].map((name) => `${folder}/${name}`)
    assert.deepEqual(files.toSorted(), listed.toSorted())
    assert(!validateService({ apiVersion: 'v1', kind: 'Service', spec: { ports: [{ port: 'http' }] } }))
  })

  it('name settings that there are', () => {
    const known = new Set([...settings.map(({ name }) => name), 'SERVICE_USER', 'SERVICE_PASSWORD', 'OWNER_URI'])
    const named = [...read('kubernetes/settings.env').matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name)
    const inPods = JSON.stringify(manifests).matchAll(/"name":"([A-Z_]+)"/g)
    assert.deepEqual(
      [...named, ...[...inPods].map(([, name = '']) => name)].filter((name) => !known.has(name)),
      [],
    )
  })
})

describe('the units of systemd', () => {
  const units = ['cambio@.service', 'cambio-migrate.service', 'cambio-signer.service']
  for (const unit of units) {
    it(`${unit} is exposed to less than 2.0 of 10`, () => {
      const { stdout, stderr, status } = spawnSync(
        'systemd-analyze',
        ['security', '--offline=true', '--threshold=19', join(projectFolder, 'deploy/systemd', unit)],
        { encoding: 'utf8' },
      )
      assert.equal(status, 0, `${stdout}${stderr}`)
    })
  }
})

describe('the image', () => {
  const text = read('Dockerfile')
  it('copies what there is, and nothing that only development needs', () => {
    const copied = [...text.matchAll(/^COPY --from=build (.+) \.\/?\S*$/gm)].flatMap(([, paths = '']) =>
      paths.split(' ').map((path) => path.replace('/opt/cambio/', '')),
    )
    assert.deepEqual(
      copied.filter((path) => !existsSync(join(projectFolder, path))),
      [],
    )
    assert.deepEqual(
      copied.filter((path) => ['test', 'bench', '.', '.git', '.ci'].includes(path)),
      [],
    )
  })

  it('runs as an ordinary user, and is asked for its health', () => {
    assert.match(text, /^USER node$/m)
    assert.match(text, /^HEALTHCHECK /m)
  })
})

it('compose keeps every container of ours read-only and without capabilities, and gives the owner to one of them', () => {
  type Container = Record<string, unknown> & { environment: Record<string, string> }
  const { services } = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Container> }
  const { postgres, certificate, ...ours } = services
  assert(postgres && certificate)
  for (const [name, one] of Object.entries(ours)) {
    assert.equal(one.read_only, true, name)
    assert.deepEqual(one.cap_drop, ['ALL'], name)
    assert.equal('DATABASE_OWNER_URL_FILE' in one.environment, name === 'migrate', name)
    assert.equal((one.secrets as string[]).includes('owner-url'), name === 'migrate', name)
  }
})

it('the signer is a user of its own everywhere, without the master key, the database or a network', () => {
  type Container = Record<string, unknown>
  const { services } = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, Container> }
  const { user, network_mode: network, secrets, env_file: env } = services.signer ?? {}
  assert.deepEqual([user, network, secrets, env], ['10001:10001', 'none', [], []])
  assert.match(read('systemd/cambio-signer.service'), /^User=cambio-signer$[^]*^PrivateNetwork=yes$/m)
  const pod = read('kubernetes/signer.yaml')
  assert.match(pod, /runAsUser: 10001/)
  assert.doesNotMatch(pod, /secretKeyRef|master/)
})

it('the keys of the signer are made on Kubernetes before it starts, where no pod of the service makes a folder first', () => {
  type Mount = { name: string; mountPath: string; subPath?: string; readOnly?: boolean }
  type Container = { image: string; args: string[]; securityContext: object; volumeMounts: Mount[] }
  type Volume = { name: string; persistentVolumeClaim?: { claimName: string; readOnly?: boolean } }
  type Pod = { initContainers?: Container[]; containers: [Container]; volumes: Volume[] }
  type Owner = Manifest & { metadata: { name: string }; spec: { template: { spec: Pod } } }
  const owners = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job') as Owner[]
  const pods = new Map(owners.map(({ metadata, spec }) => [metadata.name, spec.template.spec]))
  const claimOf = ({ volumes }: Pod) =>
    volumes.find(({ persistentVolumeClaim: claim }) => claim?.claimName === 'cambio-signer')
  const users = [...pods].filter(([, pod]) => claimOf(pod)).map(([name]) => name)
  assert.deepEqual(users.toSorted(), ['cambio-api', 'cambio-signer', 'cambio-worker'])

  const signer = pods.get('cambio-signer')
  assert(signer)
  const [run] = signer.containers
  const [init, ...others] = signer.initContainers ?? []
  assert(init && others.length === 0)
  assert.deepEqual(init.args, ['signer', 'init', '--dir', '/signer/data', '--keep'])
  const [image, security, mounts] = [init.image, init.securityContext, init.volumeMounts]
  assert.deepEqual([image, security, mounts], [run.image, run.securityContext, run.volumeMounts])
  assert.equal(run.args[run.args.indexOf('--dir') + 1], '/signer/data')

  // A kubelet makes the folder of a subPath that is not there, as root; where the volume itself is mounted, it makes none.
  const socket = /socket: (\S+)\/signer\.sock/.exec(read('kubernetes/config.yaml'))?.[1]
  for (const name of ['cambio-api', 'cambio-worker']) {
    const pod = pods.get(name)
    const claim = pod && claimOf(pod)
    const mount = pod?.containers[0].volumeMounts.find((one) => one.name === claim?.name)
    assert.deepEqual(mount, { name: claim?.name, mountPath: '/run/cambio-signer', readOnly: true }, name)
    assert.equal(claim?.persistentVolumeClaim?.readOnly, true, name)
    assert.equal(socket, `${mount.mountPath}/data`)
  }
})

describe('the Grafana board', () => {
  type Panel = { id: number; title: string; targets?: { expr: string }[] }
  const { panels } = JSON.parse(read('grafana/cambio.json')) as { panels: Panel[] }
  const documented = readFileSync(join(projectFolder, 'docs/operator/metrics.md'), 'utf8')

  it('shows metrics that the documentation names', () => {
    const named = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => expr.match(/cambio_\w+/g) ?? []))
    assert(named.length > 10)
    assert.deepEqual(
      named.filter((name) => !documented.includes(`\`${name}`)),
      [],
    )
  })

  it('has a panel for every metric of the exchange that an operator watches', () => {
    const text = JSON.stringify(panels)
    const metrics = [...documented.matchAll(/^\| `(cambio_\w+)/gm)].map(([, name = '']) => name)
    const elsewhere = ['cambio_business_time_ahead_seconds']
    assert.deepEqual(
      metrics.filter((name) => !text.includes(name) && !elsewhere.includes(name)),
      [],
    )
  })
})
