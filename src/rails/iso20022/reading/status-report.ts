import { all, textAt, type XmlNode } from './xml.ts'

/** What the bank says of a payment file, a part of it, or one payment (pain.002). Empty texts are absent. */
export type StatusReport = {
  messageId: string
  /** Of the whole file; a part or a payment may say otherwise. */
  status: ReportedStatus
  parts: {
    paymentInformationId: string
    status: ReportedStatus
    payments: { endToEndId: string; status: ReportedStatus; names: string[] }[]
  }[]
}

/** A status of ISO 20022 with its reason code. */
export type ReportedStatus = { code: string; reason: string }

export const newStatusReport = (): StatusReport => ({ messageId: '', status: { code: '', reason: '' }, parts: [] })

/** Adds one element of the message to a report. */
export function addStatus(report: StatusReport, node: XmlNode): void {
  if (node.name === 'OrgnlGrpInfAndSts') {
    report.messageId = textAt(node, 'OrgnlMsgId')
    report.status = statusOf(node, 'GrpSts')
  }
  if (node.name === 'OrgnlPmtInfAndSts') {
    report.parts.push({
      paymentInformationId: textAt(node, 'OrgnlPmtInfId'),
      status: statusOf(node, 'PmtInfSts'),
      payments: all(node, 'TxInfAndSts').map(paymentOf),
    })
  }
  // Banks that answer payments of an older file put them directly below the message.
  if (node.name === 'TxInfAndSts')
    report.parts.push({ paymentInformationId: '', status: { code: '', reason: '' }, payments: [paymentOf(node)] })
}

/** `names`: those that a bank has for the account, where it confirms payees. */
const paymentOf = (node: XmlNode) => ({
  endToEndId: textAt(node, 'OrgnlEndToEndId'),
  status: statusOf(node, 'TxSts'),
  names: all(node, 'StsRsnInf/AddtlInf').map(({ text }) => text),
})

const statusOf = (node: XmlNode, name: string): ReportedStatus => ({
  code: textAt(node, name),
  reason: textAt(node, 'StsRsnInf/Rsn/Cd', 'StsRsnInf/Rsn/Prtry'),
})
