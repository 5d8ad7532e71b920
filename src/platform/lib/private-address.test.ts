import assert from 'node:assert/strict'
import { test } from 'node:test'

import { table } from '../../../test/support/table.ts'
import { mayCall } from './private-address.ts'

test('only the public internet may be called, and loopback where that is allowed', () => {
  const rows = table(
    `
    address                  public  loopback
    93.184.216.34            yes     no
    1.1.1.1                  yes     no
    223.255.255.255          yes     no
    172.32.0.1               yes     no
    100.128.0.1              yes     no
    2606:4700::1111          yes     no
    2a00:1450:4001:80e::200e yes     no
    127.0.0.1                no      yes
    127.255.255.254          no      yes
    ::1                      no      yes
    ::ffff:127.0.0.1         no      yes
    0.0.0.0                  no      no
    0.1.2.3                  no      no
    10.0.0.1                 no      no
    100.64.0.1               no      no
    169.254.169.254          no      no
    168.63.129.15            yes     no
    168.63.129.16            no      no
    172.16.0.1               no      no
    172.31.255.255           no      no
    192.0.0.192              no      no
    192.168.1.1              no      no
    198.18.0.1               no      no
    224.0.0.1                no      no
    240.0.0.1                no      no
    255.255.255.255          no      no
    ::                       no      no
    ::ffff:10.0.0.1          no      no
    ::ffff:a00:1             no      no
    ::ffff:93.184.216.34     no      no
    ::7f00:1                 no      no
    64:ff9b::7f00:1          no      no
    64:ff9b:1::1             no      no
    100::1                   no      no
    2001::1                  no      no
    2001:db8::1              no      no
    2002:7f00:1::1           no      no
    3fff::1                  no      no
    fc00::1                  no      no
    fd00:ec2::254            no      no
    fe80::1                  no      no
    fe80::1%eth0             no      no
    ::1%lo                   no      no
    fec0::1                  no      no
    ff02::1                  no      no
    ''                       no      no
    localhost                no      no
    127.1                    no      no
    2130706433               no      no
  `.replaceAll(/ (yes|no) /g, '  $1 '),
  )
  assert.equal(mayCall('::ffff:7f00:1', { loopback: false }), false)
  for (const { address = '', public: outside, loopback } of rows) {
    assert.equal(mayCall(address, { loopback: false }), outside === 'yes', `${address}, public`)
    assert.equal(mayCall(address, { loopback: true }), outside === 'yes' || loopback === 'yes', `${address}, loopback`)
  }
})
