import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { environmentOf } from '../../app/config/environment.ts'
import { type Config, readConfig } from '../../app/config/config.ts'
import { checkUrl } from './check-url.ts'

const names: Record<string, string[]> = {
  'hooks.example.com': ['93.184.216.34', '2606:4700::1111'],
  'half.example.com': ['93.184.216.34', '10.0.0.7'],
  'inside.example.com': ['192.168.0.2'],
  'metadata.example.com': ['169.254.169.254'],
  'mapped.example.com': ['::ffff:10.0.0.1'],
}

const lookUp = async (name: string): Promise<string[]> => {
  const known = names[name]
  if (!known) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  return known
}

const sandbox = readConfig({ DATA_DIR: '/nowhere' })
const closed: Config = { ...sandbox, webhooks: { ...sandbox.webhooks, allowPrivate: false } }
const live: Config = {
  ...closed,
  mode: 'live',
  environment: environmentOf('live'),
  webhooks: { ...closed.webhooks, ports: [443, 8443] },
}

describe('a webhook URL', () => {
  it('is taken in its normal spelling when it leads to the public internet', async () => {
    assert.equal(
      await checkUrl({ config: live }, 'HTTPS://Hooks.Example.com:443/a?b=1#c', lookUp),
      'https://hooks.example.com/a?b=1',
    )
    assert.equal(await checkUrl({ config: sandbox }, 'http://hooks.example.com', lookUp), 'http://hooks.example.com/')
    assert.equal(await checkUrl({ config: live }, 'https://93.184.216.34/hook', lookUp), 'https://93.184.216.34/hook')
  })

  it('has one of the ports that the settings list, with real money those of HTTPS', async () => {
    await checkUrl({ config: live }, 'https://hooks.example.com:8443/', lookUp)
    for (const port of [22, 80, 3306, 8080, 65_535]) await refuses(live, `https://hooks.example.com:${port}/`)
    await checkUrl({ config: sandbox }, 'http://hooks.example.com:8080/', lookUp)
  })

  it('may lead to loopback in a sandbox that says so, and to nothing else inside', async () => {
    for (const url of ['http://localhost:4000/hook', 'http://127.0.0.1:4000/', 'http://[::1]:4000/', 'http://127.1/']) {
      await checkUrl({ config: sandbox }, url, lookUp)
      await refuses(closed, url)
      await refuses(live, url.replace('http:', 'https:'))
    }
  })

  it('is refused in every spelling of an address inside', async () => {
    for (const host of [
      '0.0.0.0',
      '0',
      '10.0.0.1',
      '0xa000001',
      '167772161',
      '012.0.0.1',
      '169.254.169.254',
      '0xa9fea9fe',
      '[::]',
      '[::ffff:10.0.0.1]',
      '[::ffff:a9fe:a9fe]',
      '[64:ff9b::a00:1]',
      '[fe80::1]',
      '[fd00:ec2::254]',
      'half.example.com',
      'inside.example.com',
      'metadata.example.com',
      'mapped.example.com',
    ]) {
      await refuses(sandbox, `http://${host}/hook`)
      await refuses(live, `https://${host}/hook`)
    }
    for (const host of [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '017700000001',
      '127.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      'localhost',
      'a.localhost',
    ]) {
      await refuses(closed, `http://${host}/hook`)
      await refuses(live, `https://${host}/hook`)
    }
  })

  it('is refused when it is no URL of the web, has credentials, or a name that does not resolve', async () => {
    for (const url of [
      '',
      'hooks.example.com',
      'ftp://hooks.example.com/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'https://user@hooks.example.com/',
      'https://user:secret@hooks.example.com/',
      'https://unknown.example.com/',
      'https://',
      `https://hooks.example.com/${'a'.repeat(2_048)}`,
    ]) {
      await refuses(sandbox, url)
      await refuses(live, url)
    }
    await refuses(live, 'http://hooks.example.com/')
  })
})

const refuses = (config: Config, url: string): Promise<void> =>
  assert.rejects(checkUrl({ config }, url, lookUp), { code: 'BAD_REQUEST' }, `${url} in ${config.mode} mode`)
