import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { connect, createServer } from 'node:tls'

import { parse, parseAllDocuments } from 'yaml'

import { settings } from '../src/app/config/config.ts'
import { isSafeDatabase } from '../src/app/config/database.ts'
import { blocksOf } from './support/live-page.ts'
import { projectFolder } from './support/source.ts'
import { readUnit } from './support/units.ts'

const folder = mkdtempSync(join(tmpdir(), 'cambio-deploy-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const read = (path: string): string => readFileSync(join(projectFolder, path), 'utf8')
const production = read('docs/operator/production.md')
/** Settings that hold a secret by themselves. */
const secretSettings = settings.map(({ name }) => name).filter((name) => /^(DATABASE|SMTP)_.*URLS?$/.test(name))

describe('compose runs a live exchange', () => {
  type Mount = { type: string; source: string; target: string; read_only?: boolean }
  type Container = {
    command: string[]
    environment: Record<string, string>
    secrets: string[]
    tmpfs: string[]
    volumes: (Mount | string)[]
    depends_on: Record<string, { condition: string }>
  }
  const { services, secrets, volumes } = parse(read('deploy/compose.yaml'), { merge: true }) as {
    services: Record<string, Container>
    secrets: Record<string, unknown>
    volumes: Record<string, unknown>
  }
  const of = (name: string): Container => {
    const found = services[name]
    assert(found, name)
    return found
  }

  it('with a certificate of its database that a client verifies', async () => {
    const [script = ''] = of('certificate').command
    const here = script
      .replace(/^chown .*$/m, '')
      .replaceAll('/tls', folder)
      .replaceAll('/ca/', `${folder}/`)
    for (const _ of ['first', 'again']) execFileSync('bash', ['-euc', here], { stdio: 'pipe' })
    const pem = (name: string) => readFileSync(join(folder, name))
    const server = createServer({ key: pem('server.key'), cert: pem('server.crt') }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    await new Promise<void>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', servername: 'postgres', ca: pem('ca.crt') }, () => {
        socket.end()
        resolve()
      }).once('error', reject)
    })
    server.close()
    assert.deepEqual(of('postgres').depends_on.certificate, { condition: 'service_completed_successfully' })
    assert(of('postgres').command.includes('ssl=on'))
    const url = /postgres:\/\/cambio_service:\S+@postgres\/[^\s']+/.exec(production)?.[0] ?? ''
    assert(isSafeDatabase(url), url)
    const ca = of('api').volumes.find((one) => typeof one === 'object' && one.source === 'database-ca') as Mount
    assert.equal(new URL(url).searchParams.get('sslrootcert'), `${ca.target}/ca.crt`)
  })

  it('with state and bank files on volumes, and every secret in a file', () => {
    for (const name of ['migrate', 'api', 'worker']) {
      const { tmpfs, environment, volumes: mounts, secrets: given } = of(name)
      assert.deepEqual(tmpfs, ['/tmp'], name)
      const targets = mounts.map((one) => (typeof one === 'object' ? `${one.type} ${one.target}` : one))
      assert(targets.includes(`volume ${environment.DATA_DIR}`), name)
      assert(targets.includes(`bind ${environment.DATA_DIR}/bank`), name)
      for (const [setting, value] of Object.entries(environment)) {
        assert(!secretSettings.includes(setting), setting)
        if (value.startsWith('/run/secrets/')) assert(given.includes(value.slice('/run/secrets/'.length)), value)
      }
    }
    for (const { secrets: given, volumes: mounts } of Object.values(services)) {
      for (const one of given ?? []) assert(one in secrets && production.includes(`secrets/${one}`), one)
      for (const one of mounts) {
        const [source = ''] = typeof one === 'object' ? [one.source] : one.split(':')
        assert(source.startsWith('./') || source in volumes, source)
      }
    }
  })
})

describe('the units run a live exchange', () => {
  for (const name of ['cambio@.service', 'cambio-migrate.service']) {
    it(`${name} hands every secret over as a credential, whatever /etc/cambio/env says`, () => {
      const { command, credentials } = readUnit(name)
      const given = command.flatMap((word) => /^([A-Z_]+)_FILE=%d\/(.+)$/.exec(word)?.slice(1) ?? [])
      const names = given.filter((_, index) => index % 2 === 0)
      assert.deepEqual(given.filter((_, index) => index % 2 === 1).toSorted(), [...credentials.keys()].toSorted())
      const owner = name === 'cambio-migrate.service' ? ['DATABASE_OWNER_URL'] : []
      assert.deepEqual(names, ['MASTER_KEY', 'DATABASE_URL', 'SMTP_URL', ...owner])
    })
  }

  it('as one user that sysusers makes, with the folder in which they remember', (t) => {
    mkdirSync(join(folder, 'etc'))
    const made = spawnSync(
      'systemd-sysusers',
      [`--root=${folder}`, join(projectFolder, 'deploy/systemd/sysusers.conf')],
      { encoding: 'utf8' },
    )
    if (made.error) t.skip('without systemd-sysusers')
    else assert.equal(made.status, 0, made.stderr)
    const users = made.error ? '' : readFileSync(join(folder, 'etc/passwd'), 'utf8')
    for (const name of ['cambio@.service', 'cambio-migrate.service', 'cambio-signer.service']) {
      const { text, command } = readUnit(name)
      const [, user = ''] = /^User=(.+)$/m.exec(text) ?? []
      const [, state = ''] = /^StateDirectory=(.+)$/m.exec(text) ?? []
      assert.equal(user, state, name)
      if (!made.error) assert.match(users, new RegExp(`^${user}:.*:/var/lib/${state}:`, 'm'), name)
      assert(
        command.some((word) => word === `DATA_DIR=%S/${state}` || word === `/var/lib/${state}`),
        name,
      )
      assert.doesNotMatch(text, /^DynamicUser=/m, name)
    }
  })

  it('with the bank and the signer of the page about going live where they can reach them', () => {
    const page = read('docs/operator/go-live.md')
    assert.match(page, /^ {4}in: \/var\/lib\/cambio\/bank\/in\n {4}out: \/var\/lib\/cambio\/bank\/out$/m)
    assert.match(page, /socket: \/var\/lib\/cambio-signer\/signer\.sock/)
  })

  for (const name of ['cambio@api.service', 'cambio-migrate.service', 'cambio-signer.service', 'cambio.target']) {
    it(`${name} has no faults`, () => {
      const unit = join(projectFolder, 'deploy/systemd', name)
      const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
      const faults = `${stdout}${stderr}`
        .split('\n')
        .filter((line) => !/^$|\/usr\/bin\/node is not executable/.test(line))
      assert.deepEqual(faults, [])
    })
  }
})

describe('Kubernetes runs a live exchange', () => {
  const { resources } = parse(read('deploy/kubernetes/kustomization.yaml')) as { resources: string[] }
  type Pod = {
    containers: [{ envFrom: unknown; volumeMounts: { name: string; mountPath: string }[] }]
    volumes: object[]
  }
  type Any = { kind: string; metadata: { name: string }; spec: Record<string, unknown> & { template: { spec: Pod } } }
  const manifests = resources.flatMap((name) =>
    parseAllDocuments(read(`deploy/kubernetes/${name}`)).map((one) => one.toJSON() as Any),
  )
  const find = (kind: string, name: string): Any => {
    const found = manifests.find((one) => one.kind === kind && one.metadata.name === name)
    assert(found, `${kind} ${name}`)
    return found
  }

  it('with secrets that are made first, and none in what everybody may read', () => {
    assert.doesNotMatch(read('deploy/kubernetes/settings.env'), new RegExp(`^(${secretSettings.join('|')})=`, 'm'))
    const text = JSON.stringify(manifests)
    const wanted = [
      ...text.matchAll(/"(?:secretKeyRef|secretRef|accessKeyId)":\{"name":"([\w-]+)"|"secretName":"([\w-]+)"/g),
    ]
    const byOperators = ['cambio-db-app', 'cambio-db-ca', 'cambio-tls']
    for (const [, one, other] of wanted) {
      const name = one ?? other ?? ''
      if (!byOperators.includes(name)) assert.match(production, new RegExp(`create secret generic ${name}\\b`), name)
    }
    assert.match(production, /secret generic cambio-secrets .*SMTP_URL=/)
  })

  it('with what it remembers and the files of banks on volumes that last', () => {
    for (const name of ['cambio-api', 'cambio-worker']) {
      const { containers, volumes } = find('Deployment', name).spec.template.spec
      const places = { state: '/var/lib/cambio', bank: '/var/lib/cambio/bank' }
      for (const [volume, mountPath] of Object.entries(places)) {
        const claim = { name: volume, persistentVolumeClaim: { claimName: `cambio-${volume}` } }
        assert.deepEqual(
          volumes.find((one) => 'name' in one && one.name === volume),
          claim,
          name,
        )
        assert(
          containers[0].volumeMounts.some((one) => one.name === volume && one.mountPath === mountPath),
          name,
        )
        find('PersistentVolumeClaim', `cambio-${volume}`)
      }
    }
  })

  it('with a way in, a way to nodes, backups, and the metrics that the alerts ask for', () => {
    const host = /^PUBLIC_URL=https:\/\/(.+)$/m.exec(read('deploy/kubernetes/settings.env'))?.[1]
    assert.deepEqual(find('Ingress', 'cambio').spec.tls, [{ hosts: [host], secretName: 'cambio-tls' }])
    const egress = JSON.stringify(find('NetworkPolicy', 'cambio-nodes').spec.egress)
    for (const port of [8332, 8545, 51_234]) assert(egress.includes(`{"port":${port}}`), String(port))
    assert('backup' in find('Cluster', 'cambio-db').spec)
    assert.deepEqual(find('ScheduledBackup', 'cambio-db').spec.cluster, { name: 'cambio-db' })
    const { jobLabel, selector, podMetricsEndpoints } = find('PodMonitor', 'cambio').spec
    assert.deepEqual([jobLabel, selector], ['app', { matchLabels: { app: 'cambio' } }])
    assert.deepEqual(podMetricsEndpoints, [{ port: 'admin', path: '/metrics', interval: '15s' }])
    assert.match(read('deploy/prometheus/alerts.yaml'), /up\{job="cambio"\}/)
  })

  it('with the alerts as a PrometheusRule, by the command of the page', () => {
    const code = blocksOf('docs/operator/production.md').find((one) => one.code.includes('PrometheusRule'))?.code ?? ''
    const rule = parse(
      execFileSync('bash', ['-euc', code.replace(/\| kubectl .*/, '| cat')], { cwd: projectFolder, encoding: 'utf8' }),
    ) as { kind: string; spec: unknown }
    assert.deepEqual([rule.kind, rule.spec], ['PrometheusRule', parse(read('deploy/prometheus/alerts.yaml'))])
  })
})
