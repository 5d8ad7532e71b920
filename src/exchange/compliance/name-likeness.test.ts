import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { institutionLikeness, nameLikeness } from './name-likeness.ts'

const same: [customer: string, payer: string][] = [
  ['Anna Ehrlich', 'Anna Ehrlich'],
  ['Anna Ehrlich', 'EHRLICH ANNA'],
  ['Anna Ehrlich', 'Ehrlich, Anna'],
  ['Anna Ehrlich', 'Frau Dr. Anna Ehrlich'],
  ['Anna Ehrlich', 'A. Ehrlich'],
  ['Anna Maria Ehrlich', 'Anna Ehrlich'],
  ['Anna Ehrlich', 'Anna Maria Ehrlich'],
  ['Anna Ehrlich', 'Max und Anna Ehrlich'],
  ['Anna Ehrlich', 'EHRLICH ANNA OR EHRLICH MAX'],
  ['Jürgen Müller', 'JUERGEN MUELLER'],
  ['Jürgen Müller', 'Jurgen Muller'],
  ['José García López', 'GARCIA LOPEZ JOSE'],
  ['Søren Kjærgaard', 'SOEREN KJAERGAARD'],
  ['Łukasz Wójcik', 'Lukasz Wojcik'],
  ['Иван Петров', 'Ivan Petrov'],
  ['Νίκος Παππάς', 'Nikos Pappas'],
  ['Sinéad O’Connor', 'SINEAD OCONNOR'],
  ['Jean-Pierre Dupont', 'JEAN PIERRE DUPONT'],
  ['Catherine Schmidt', 'Katherine Schmidt'],
  ['Maximilian Alexander Hohenstaufenberg', 'HOHENSTAUFENBERG MAXIMILIAN ALEXA'],
]

const different: [customer: string, payer: string][] = [
  ['Anna Ehrlich', 'Fremd Handels GmbH'],
  ['Anna Ehrlich', 'Anna Ehrlich GmbH'],
  ['Anna Ehrlich', 'Ehrlich & Partner Ltd.'],
  ['Anna Ehrlich', 'Anna Schmidt'],
  ['Anna Ehrlich', 'Max Ehrlich'],
  ['Anna Ehrlich', 'Ehrlich'],
  ['Anna Ehrlich', ''],
  ['Anna Ehrlich', 'Max Muster'],
  ['Jürgen Müller', 'Jörg Müller'],
  ['Li Wei', 'Wang Fang'],
  ['Maria Rossi', 'Mario Bianchi'],
  ['Maria Rossi', 'Mario Rossi'],
  ['Daniel Koch', 'Daniela Koch'],
]

describe('the likeness of two names', () => {
  for (const [customer, payer] of same) {
    it(`is that of one person: ${customer}, ${payer}`, () => {
      assert.ok(nameLikeness(customer, payer) >= 800, String(nameLikeness(customer, payer)))
    })
  }
  for (const [customer, payer] of different) {
    it(`is that of two: ${customer}, ${payer}`, () => {
      assert.ok(nameLikeness(customer, payer) < 800, String(nameLikeness(customer, payer)))
    })
  }
  it('is 1 for a name and itself, in any order of its parts and in any case', () => {
    for (const [customer] of same) {
      assert.equal(nameLikeness(customer, customer), 1_000, customer)
      assert.equal(nameLikeness(customer, customer.toUpperCase().split(' ').toReversed().join(' ')), 1_000, customer)
    }
  })
})

describe('the likeness of an institution and a payer', () => {
  const alike = [
    ['Alpha Trading GmbH', 'ALPHA TRADING GMBH'],
    ['Alpha Trading', 'Alpha Trading GmbH'],
    ['Alpha Trading Limited', 'ALPHA TRADING LTD.'],
    ['Müller & Söhne AG', 'MUELLER SOEHNE AG'],
  ] as const
  const others = [
    ['Alpha Trading GmbH', 'Omega Trading GmbH'],
    ['Alpha Digital Assets Management Ltd', 'Omega Digital Assets Management Ltd'],
    ['Alpha Trading GmbH', 'Alpha Trading AG'],
    ['Alpha Trading GmbH', 'Alpha Trading GmbH & Co. KG'],
    ['Alpha Trading GmbH', 'Alpha Trading Europe GmbH'],
    ['Alpha Trading GmbH', 'Alpha GmbH'],
    ['Nordea Trading', 'Nordex Trading'],
    ['GmbH', 'GmbH'],
    ['Alpha Trading', ''],
  ] as const
  it('is that of one only where every part and the legal form agree', () => {
    for (const [one, payer] of alike) assert.ok(institutionLikeness(one, payer) >= 980, `${one}, ${payer}`)
    for (const [one, payer] of others) assert.ok(institutionLikeness(one, payer) <= 600, `${one}, ${payer}`)
  })
})
