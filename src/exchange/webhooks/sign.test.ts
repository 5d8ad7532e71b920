import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Webhook } from 'standardwebhooks'

import { systemClock } from '../../platform/lib/clock.ts'
import { makeSecret, secretBytes, sign } from './sign.ts'

const now = () => Math.floor(systemClock().realNow().getTime() / 1_000)
const body = '{"type":"transaction.created","payload":{"note":"größer als 1 €, 発送済み"}}'

const headers = (id: string, timestamp: number, signature: string) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
})

test('the reference library accepts what we sign, with any secret that we make', () => {
  for (let round = 0; round < 20; round += 1) {
    const secret = makeSecret()
    const message = { id: 'evt_1', timestamp: now(), body }
    const signature = sign(message, [secretBytes(secret)])
    assert.deepEqual(new Webhook(secret).verify(body, headers('evt_1', message.timestamp, signature)), JSON.parse(body))
  }
})

test('while a secret rotates, the old and the new one both accept', () => {
  const [old, fresh, other] = [makeSecret(), makeSecret(), makeSecret()]
  const message = { id: 'evt_2', timestamp: now(), body }
  const sent = headers('evt_2', message.timestamp, sign(message, [secretBytes(fresh), secretBytes(old)]))
  for (const secret of [old, fresh]) new Webhook(secret).verify(body, sent)
  assert.throws(() => new Webhook(other).verify(body, sent))
})

test('an altered body, id or time, and an old message are refused', () => {
  const secret = makeSecret()
  const timestamp = now()
  const signature = sign({ id: 'evt_3', timestamp, body }, [secretBytes(secret)])
  const refuses = (text: string, sent: Record<string, string>) =>
    assert.throws(() => new Webhook(secret).verify(text, sent))
  new Webhook(secret).verify(body, headers('evt_3', timestamp, signature))
  refuses(body.replace('1', '2'), headers('evt_3', timestamp, signature))
  refuses(body, headers('evt_4', timestamp, signature))
  refuses(body, headers('evt_3', timestamp + 1, signature))

  const old = timestamp - 6 * 60
  refuses(body, headers('evt_3', old, sign({ id: 'evt_3', timestamp: old, body }, [secretBytes(secret)])))
})

test('a secret that is not ours to read is a fault', () => {
  assert.throws(() => secretBytes('sk_test_x'), /whsec_/)
})
