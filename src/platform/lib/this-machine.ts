/** Whether a host is this machine: a Unix socket's folder, `localhost`, or a loopback address. What is sent there needs no TLS. */
export const isThisMachine = (host: string): boolean =>
  host === '' ||
  host.startsWith('/') ||
  host === 'localhost' ||
  /^\[?::1\]?$/.test(host) ||
  /^127(\.\d{1,3}){3}$/.test(host)
