import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'

import { signedHeaders } from '../../src/exchange/webhooks/sign.ts'
import { makeSecret, secretBytes } from '../../src/exchange/webhooks/sign.ts'
import { blocksOf, read } from '../support/papers.ts'
import { projectFolder } from '../support/source.ts'

const samples = join(projectFolder, 'docs/partner/samples')

/** A language of the samples: what runs it, and a program around the sample that says yes by ending with 0. */
type Language = {
  name: string
  file: string
  /** Tells whether this machine has the language. */
  version: string[]
  program: { file: string; text: string }
  prepare?: string[]
  run: string[]
}

const modules = join(projectFolder, 'node_modules')

const languages: Language[] = [
  {
    name: 'TypeScript',
    file: 'verify-webhook.ts',
    version: [process.execPath, '--version'],
    program: {
      file: 'main.ts',
      text: `import { readFileSync } from 'node:fs'
import { verifyWebhook } from './verify-webhook.ts'
const { headers, secret, body } = JSON.parse(readFileSync(0, 'utf8'))
console.log(verifyWebhook(Buffer.from(body, 'base64').toString('utf8'), headers, secret).id)`,
    },
    prepare: [
      process.execPath,
      join(modules, 'typescript/bin/tsc'),
      ...'--strict --noUncheckedIndexedAccess --skipLibCheck --rewriteRelativeImportExtensions'.split(' '),
      ...'--target es2022 --module nodenext --types node --typeRoots'.split(' '),
      join(modules, '@types'),
      'main.ts',
    ],
    run: [process.execPath, 'main.js'],
  },
  {
    name: 'Python',
    file: 'verify_webhook.py',
    version: ['python3', '--version'],
    program: {
      file: 'main.py',
      text: `import base64, json, sys
from verify_webhook import verify_webhook
given = json.load(sys.stdin)
print(verify_webhook(base64.b64decode(given["body"]), given["headers"], given["secret"])["id"])`,
    },
    run: ['python3', 'main.py'],
  },
  {
    name: 'PHP',
    file: 'verify_webhook.php',
    version: ['php', '--version'],
    program: {
      file: 'main.php',
      text: `<?php
require 'verify_webhook.php';
$given = json_decode(file_get_contents('php://stdin'), true);
try {
    echo verifyWebhook(base64_decode($given['body']), $given['headers'], $given['secret'])['id'], "\\n";
} catch (Throwable $error) {
    exit(1);
}`,
    },
    run: ['php', 'main.php'],
  },
  {
    name: 'Go',
    file: 'verify_webhook.go',
    version: ['go', 'version'],
    program: {
      file: 'verify_webhook_test.go',
      text: `package cambio

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"testing"
)

func TestGiven(t *testing.T) {
	var given struct {
		Body, Secret string
		Headers      map[string]string
	}
	text, _ := os.ReadFile("given.json")
	if err := json.Unmarshal(text, &given); err != nil {
		t.Fatal(err)
	}
	body, _ := base64.StdEncoding.DecodeString(given.Body)
	headers := http.Header{}
	for name, value := range given.Headers {
		headers.Set(name, value)
	}
	event, err := VerifyWebhook(body, headers, given.Secret)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(event.ID)
}
`,
    },
    prepare: ['go', 'mod', 'init', 'example.com/cambio'],
    run: ['go', 'test', '-count=1', '-v', './...'],
  },
]

const isHere = ({ version: [command = '', ...args] }: Language): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0

const id = 'evt_3975257733323556761000005'
const body = JSON.stringify({ id, type: 'transaction.created', sequence: 5, payload: { name: 'Zoë – “x”', rate: 0.1 } })
const [secret, other] = [makeSecret(), makeSecret()]

type Given = { headers: Record<string, string>; secret: string; body: string }

const signed = (secrets: string[], sentAt = new Date()): Given => ({
  headers: signedHeaders(id, sentAt, body, secrets.map(secretBytes)),
  secret,
  body,
})

/** What must be taken, and what must not. */
const cases: [what: string, isOurs: boolean, given: () => Given][] = [
  ['a webhook', true, () => signed([secret])],
  ['the new secret, while both sign', true, () => signed([secret, other])],
  ['the old secret, while both sign', true, () => signed([other, secret])],
  ['another secret', false, () => signed([other])],
  ['an altered body', false, () => ({ ...signed([secret]), body: body.replace('5', '6') })],
  ['a webhook of six minutes ago', false, () => signed([secret], new Date(Date.now() - 360_000))],
  ['a webhook of a later hour', false, () => signed([secret], new Date(Date.now() + 3_600_000))],
  ['another id', false, () => withHeader('webhook-id', 'evt_3975257733323556761000006')],
  ['another time', false, () => withHeader('webhook-timestamp', String(Math.floor(Date.now() / 1_000) - 9))],
  ['no time', false, () => withHeader('webhook-timestamp', '')],
  ['no signature', false, () => withHeader('webhook-signature', '')],
  ['half a signature', false, () => withHeader('webhook-signature', 'v1,')],
]

const withHeader = (name: string, value: string): Given => {
  const given = signed([secret])
  return { ...given, headers: { ...given.headers, [name]: value } }
}

function verdict({ run: [command = '', ...args] }: Language, folder: string, { body: text, ...given }: Given) {
  const input = JSON.stringify({ ...given, body: Buffer.from(text).toString('base64') })
  writeFileSync(join(folder, 'given.json'), input)
  const { status, stdout } = spawnSync(command, args, { cwd: folder, input, encoding: 'utf8' })
  return { isOurs: status === 0, stdout }
}

/** A language that is not on this machine is told of; a machine of ours has the first two. */
function check(t: TestContext, language: Language, folder: string): void {
  if (!isHere(language)) {
    assert.ok(['PHP', 'Go'].includes(language.name), `${language.name} is on every machine that tests`)
    return t.diagnostic(`${language.name} is not on this machine: its sample was not run`)
  }
  copyFileSync(join(samples, language.file), join(folder, language.file))
  writeFileSync(join(folder, language.program.file), language.program.text)
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  const [command, ...args] = language.prepare ?? []
  if (command !== undefined) {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
    assert.equal(status, 0, stdout + stderr)
  }
  for (const [what, isOurs, given] of cases) {
    const judged = verdict(language, folder, given())
    assert.equal(judged.isOurs, isOurs, `${language.name}: ${what}`)
    if (isOurs) assert.ok(judged.stdout.includes(id), `${language.name}: ${what}`)
  }
}

describe('a verification sample', () => {
  let folders: string[]
  before(() => {
    folders = languages.map(() => mkdtempSync(join(tmpdir(), 'cambio-sample-')))
  })
  after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

  for (const [index, language] of languages.entries()) {
    it(`in ${language.name} takes what is ours, with either secret of a rotation, and nothing else`, (t) => {
      check(t, language, folders[index] ?? '')
    })
  }

  it('is the one that the page shows', () => {
    const [shown = ''] = blocksOf('docs/partner/webhooks.md', 'ts')
    assert.equal(read('docs/partner/samples/verify-webhook.ts').trim(), shown.trim())
  })
})
