import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'

import { table } from '../../../test/support/table.ts'
import { ipBlocks } from './ip-blocks.ts'
import { clientAddress, forwardedCustomer, ipOf, networkOf, shortNetwork } from './client-address.ts'

test('what trusted proxies appended is the connection; what is left is what the caller wrote', () => {
  const rows = table(`
    socket            header                               connection     customer
    203.0.113.9       ''                                   203.0.113.9    none
    203.0.113.9       192.0.2.1                            203.0.113.9    192.0.2.1
    203.0.113.9       192.0.2.1, 198.51.100.2              203.0.113.9    192.0.2.1
    ::ffff:203.0.113.9  ''                                 203.0.113.9    none
    10.0.0.1          203.0.113.9                          203.0.113.9    none
    10.0.0.1          192.0.2.1, 203.0.113.9               203.0.113.9    192.0.2.1
    10.0.0.1          192.0.2.1, 203.0.113.9, 10.0.0.2     203.0.113.9    192.0.2.1
    10.0.0.1          10.9.9.9, 203.0.113.9                203.0.113.9    10.9.9.9
    ::ffff:10.0.0.1   203.0.113.9                          203.0.113.9    none
    10.0.0.1          hidden                               ''             none
    10.0.0.1          192.0.2.1, hidden                    ''             192.0.2.1
    10.0.0.1          ''                                   10.0.0.1       none
    203.0.113.9       rubbish, 192.0.2.1                   203.0.113.9    192.0.2.1
    203.0.113.9       rubbish                              203.0.113.9    none
    203.0.113.9       ,,192.0.2.1,                         203.0.113.9    192.0.2.1
    2001:db8::9       [2001:db8::1]:443                    2001:db8::9    2001:db8::1
    2001:db8::9       192.0.2.1:5000                       2001:db8::9    192.0.2.1
  `)
  const trusted = ipBlocks(['10.0.0.0/8'])
  for (const { socket, header = '', connection, customer } of rows) {
    const headers = header === '' ? {} : { 'x-forwarded-for': header }
    const request = { socket: { remoteAddress: socket }, headers } as unknown as IncomingMessage
    const found = clientAddress(request, trusted)
    assert.equal(found.connection, connection, `${socket} ${header}`)
    assert.equal(forwardedCustomer(found) ?? 'none', customer, `${socket} ${header}`)
  }
})

test('an address is an address or nothing', () => {
  assert.equal(ipOf('192.0.2.1'), '192.0.2.1')
  assert.equal(ipOf('::1'), '::1')
  for (const text of ['', '1.2.3', '1.2.3.4.5', '[::1', '::1]', '1.2.3.4:x', 'localhost', '[1.2.3.4]x']) {
    assert.equal(ipOf(text), undefined, text)
  }
})

test('a customer is counted by their network, however the address is written', () => {
  assert.equal(networkOf('192.0.2.1'), '192.0.2.1')
  assert.equal(networkOf(''), '')
  for (const text of ['2001:db8::1', '2001:DB8:0:0:1:2:3:4', '2001:0db8::ffff:192.0.2.1', '2001:db8:0000::'])
    assert.equal(networkOf(text), '2001:db8:0:0::/64', text)
  assert.equal(networkOf('2001:db8:0:1::1'), '2001:db8:0:1::/64')
  assert.equal(networkOf('::1'), '0:0:0:0::/64')
})

test('a network that is logged or shown is too wide to name a person, however the address is written', () => {
  assert.equal(shortNetwork('192.0.2.1'), '192.0.2.0')
  assert.equal(shortNetwork(''), '')
  assert.equal(shortNetwork('::1'), '0:0:0::')
  for (const text of ['2001:db8::1', '2001:DB8:0:1:1:2:3:4']) assert.equal(shortNetwork(text), '2001:db8:0::', text)
})
