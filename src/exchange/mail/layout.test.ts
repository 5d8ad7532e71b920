import assert from 'node:assert/strict'
import { test } from 'node:test'

import { layOut } from './layout.ts'

const content = {
  locale: 'en',
  title: 'Your code',
  paragraphs: ['Type this code:', 'Nobody of us will ever ask for it.\nReally.'],
  code: '482 915',
  link: { label: 'Continue', url: 'https://exchange.example.com/checkout?tid=1&a=b' },
  footer: 'Sent by Cambio.',
}

test('an email has the same content in plain text and in HTML', () => {
  const { text, html } = layOut(content)
  assert.equal(
    text,
    [
      'Your code',
      'Type this code:',
      '    482 915',
      'Nobody of us will ever ask for it.\nReally.',
      'Continue:\nhttps://exchange.example.com/checkout?tid=1&a=b',
      '-- \nSent by Cambio.\n',
    ].join('\n\n'),
  )
  const seen = html.replace(/<(style|title)>.*?<\/\1>|<[^>]+>/g, ' ').replaceAll('&amp;', '&')
  for (const part of [
    'Your code',
    'Type this code:',
    '482 915',
    'Really.',
    'Continue',
    content.link.url,
    'Sent by Cambio.',
  ]) {
    assert(seen.includes(part), part)
  }
  assert(text.indexOf('482') < text.indexOf('Nobody') && html.indexOf('482') < html.indexOf('Nobody'))
})

test('no content of an email becomes markup, and nothing is loaded from elsewhere', () => {
  const evil = '"><script src="https://evil.example/x.js"></script><img src=x>&amp;'
  const { html } = layOut({ ...content, title: evil, paragraphs: [evil, evil], code: evil, footer: evil, locale: evil })
  assert(!/<(script|img|link|iframe)/i.test(html))
  assert.equal(html.match(/<p /g)?.length, 5)
  assert(!/\b(src|background)=|url\(/.test(html.replaceAll('src=&quot;', '').replaceAll('src=x', '')))
})

test('an email links to http and https only', () => {
  assert.throws(() => layOut({ ...content, link: { label: 'x', url: 'javascript:alert(1)' } }), /http/)
})
