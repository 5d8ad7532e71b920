import { type CallOptions, type Query, type Request, send, type Sign, type Transport } from './http.ts'
import { Pages } from './pages.ts'
import type { components, queries } from './schema.ts'
import { verify } from './webhooks.ts'

export type CambioOptions = {
  /** A public key in a page or an app, a secret key on a server. Calls for public data need none. */
  apiKey?: string
  /** The exchange's origin, without `/v1`. */
  baseUrl: string
  /** Milliseconds for one attempt; 30 seconds unless given. */
  timeout?: number
  /** How often a call is repeated after a passing failure; twice unless given. */
  retries?: number
  /** Another `fetch`. */
  fetch?: typeof fetch
  /** Signs every request, for accounts that require it: gives the base64 signature of a text. */
  sign?: Sign
}

type Schemas = components['schemas']
/** The query of an operation, with plain values instead of texts. */
type QueryOf<Name extends keyof queries> = {
  [Key in keyof queries[Name]]: queries[Name][Key] | number | boolean
}

type Transaction = Schemas['Transaction']
type Event = Schemas['Event']

/** A client of one exchange. */
export class Cambio {
  readonly #transport: Transport

  constructor({ apiKey, baseUrl, timeout = 30_000, retries = 2, fetch: own, sign }: CambioOptions) {
    this.#transport = {
      apiKey,
      baseUrl: baseUrl.replace(/\/(v1\/?)?$/, ''),
      timeout,
      retries,
      fetch: own ?? ((...args) => fetch(...args)),
      sign,
    }
  }

  #get<Result>(path: string, query?: Query, options?: CallOptions): Promise<Result> {
    return this.#send<Result>({ method: 'GET', path, ...(query ? { query } : {}), ...options })
  }
  #post<Result>(path: string, body: unknown, options?: CallOptions): Promise<Result> {
    return this.#send<Result>({ method: 'POST', path, body: body ?? {}, ...options })
  }
  #send<Result>(request: Request): Promise<Result> {
    return send<Result>(this.#transport, { ...request, path: `/v1${request.path}` })
  }
  #pages<Item, Whole extends { data: Item[]; pagination: Schemas['Pagination'] }>(
    path: string,
    query: Query | undefined,
    options: CallOptions | undefined,
  ): Pages<Item, Whole> {
    return new Pages<Item, Whole>((cursor) =>
      this.#get<Whole>(path, cursor === undefined ? query : { ...query, cursor, offset: undefined }, options),
    )
  }

  /** Whether the exchange is up. */
  readonly status = { get: (options?: CallOptions) => this.#get<Schemas['Status']>('/status', undefined, options) }

  readonly estimate = {
    /** What an exchange would come to now, with every fee. */
    get: (query: QueryOf<'getEstimate'>, options?: CallOptions) =>
      this.#get<Schemas['Estimate']>('/estimate', query, options),
    /** The same, with a body instead of a query. */
    post: (body: Schemas['EstimateRequest'], options?: CallOptions) =>
      this.#post<Schemas['Estimate']>('/estimate', body, options),
  }

  readonly transactions = {
    /** Creates an order. Its `redirect_url` is where the customer continues. */
    create: (order: Schemas['CreateTransaction'], options?: CallOptions) =>
      this.#post<Transaction>('/transaction', order, options),
    get: (id: string, options?: CallOptions) =>
      this.#get<Transaction>(`/transaction/${encodeURIComponent(id)}`, undefined, options),
    /** Await it for the first page, or iterate over all. */
    list: (query?: QueryOf<'listTransactions'>, options?: CallOptions) =>
      this.#pages<Transaction, Schemas['TransactionPage']>('/transactions', query, options),
    /** Everything that would keep a create from succeeding. */
    health: (order: Schemas['CreateTransaction'], options?: CallOptions) =>
      this.#post<Schemas['Health']>('/transaction/health', order, options),
  }

  readonly currencies = {
    list: (query?: QueryOf<'listCurrencies'>, options?: CallOptions) =>
      this.#get<Schemas['Currencies']>('/currencies', query, options),
    fiat: (query?: QueryOf<'listFiatCurrencies'>, options?: CallOptions) =>
      this.#get<Schemas['Currency'][]>('/currencies/fiat', query, options),
    crypto: (query?: QueryOf<'listCryptoCurrencies'>, options?: CallOptions) =>
      this.#get<Schemas['Currency'][]>('/currencies/crypto', query, options),
    get: (ticker: string, options?: CallOptions) =>
      this.#get<Schemas['Currency']>(`/currencies/${encodeURIComponent(ticker)}`, undefined, options),
  }

  readonly ranges = {
    /** The least and the greatest amount of a pair: `EUR_BTC`. */
    get: (pair: string, options?: CallOptions) =>
      this.#get<Schemas['Range']>(`/market-info/min-max-range/${encodeURIComponent(pair)}`, undefined, options),
  }

  readonly countries = {
    list: (options?: CallOptions) => this.#get<Schemas['CountryRecord'][]>('/countries', undefined, options),
    paymentCategories: (country: string, query?: QueryOf<'listPaymentCategoriesOfCountry'>, options?: CallOptions) =>
      this.#get<Schemas['CountryCategory'][]>(
        `/countries/${encodeURIComponent(country)}/payment-categories`,
        query,
        options,
      ),
  }

  readonly paymentCategories = {
    list: (options?: CallOptions) =>
      this.#get<Schemas['PaymentCategoryRecord'][]>('/payment-categories', undefined, options),
    countries: (category: string, options?: CallOptions) =>
      this.#get<Schemas['CategoryCountry'][]>(
        `/payment-categories/${encodeURIComponent(category)}/countries`,
        undefined,
        options,
      ),
  }

  readonly customers = {
    status: (id: string, options?: CallOptions) =>
      this.#get<Schemas['Customer']>(`/customer/${encodeURIComponent(id)}/status`, undefined, options),
    /** Imports a verification that another company made, by its shared token. */
    importByToken: (body: Schemas['ImportCustomer'], options?: CallOptions) =>
      this.#post<Schemas['ImportedCustomer']>('/customer/by-shared-token', body, options),
  }

  readonly events = {
    list: (query?: QueryOf<'listEvents'>, options?: CallOptions) =>
      this.#get<Schemas['EventPage']>('/events', query, options),
    stream: (query: { after?: string; types?: readonly string[] } = {}, options?: CallOptions) =>
      this.#stream(query, options),
  }

  /** Every event after one, and then each new one as it happens, until the caller stops or the signal aborts. */
  async *#stream(
    { after, types }: { after?: string; types?: readonly string[] },
    options: CallOptions = {},
  ): AsyncGenerator<Event, void> {
    let last = after
    while (options.signal?.aborted !== true) {
      const query = { after: last, types, limit: 100, wait: 25 }
      const page = await this.#get<Schemas['EventPage']>('/events', query, { timeout: 40_000, ...options })
      yield* page.data
      last = page.next_after ?? last
    }
  }

  readonly webhookEndpoints = {
    create: (body: Schemas['WebhookEndpointInput'], options?: CallOptions) =>
      this.#post<Schemas['NewWebhookEndpoint']>('/webhook-endpoints', body, options),
    list: (options?: CallOptions) => this.#get<Schemas['WebhookEndpoints']>('/webhook-endpoints', undefined, options),
    get: (id: string, options?: CallOptions) =>
      this.#get<Schemas['WebhookEndpointWithHealth']>(
        `/webhook-endpoints/${encodeURIComponent(id)}`,
        undefined,
        options,
      ),
    update: (id: string, body: Schemas['WebhookEndpointChange'], options?: CallOptions) =>
      this.#send<Schemas['WebhookEndpoint']>({
        method: 'PATCH',
        path: `/webhook-endpoints/${encodeURIComponent(id)}`,
        body,
        ...options,
      }),
    remove: (id: string, options?: CallOptions) =>
      this.#send<null>({ method: 'DELETE', path: `/webhook-endpoints/${encodeURIComponent(id)}`, ...options }),
    rotateSecret: (id: string, body?: Schemas['SecretRotation'], options?: CallOptions) =>
      this.#post<Schemas['RotatedSecret']>(`/webhook-endpoints/${encodeURIComponent(id)}/rotate-secret`, body, options),
    test: (id: string, options?: CallOptions) =>
      this.#post<Schemas['TestSent']>(`/webhook-endpoints/${encodeURIComponent(id)}/test`, {}, options),
    replay: (id: string, body: Schemas['Replay'], options?: CallOptions) =>
      this.#post<Schemas['ReplayRequested']>(`/webhook-endpoints/${encodeURIComponent(id)}/replay`, body, options),
    attempts: (id: string, query?: QueryOf<'listWebhookAttempts'>, options?: CallOptions) =>
      this.#pages<Schemas['WebhookAttempt'], Schemas['WebhookAttempts']>(
        `/webhook-endpoints/${encodeURIComponent(id)}/attempts`,
        query,
        options,
      ),
  }

  /** For institutions: registered payout addresses, and orders without a checkout. */
  readonly b2b = {
    estimate: (query: QueryOf<'getB2bEstimate'>, options?: CallOptions) =>
      this.#get<Schemas['Estimate']>('/b2b/estimate', query, options),
    currencies: (query?: QueryOf<'listB2bCurrencies'>, options?: CallOptions) =>
      this.#get<Schemas['Currencies']>('/b2b/currencies', query, options),
    range: (pair: string, options?: CallOptions) =>
      this.#get<Schemas['Range']>(`/b2b/min-max-range/${encodeURIComponent(pair)}`, undefined, options),
    addBankAccount: (body: Schemas['AddBankAccount'], options?: CallOptions) =>
      this.#post<Schemas['PayoutAddress']>('/b2b/add-bank-account', body, options),
    addCryptoWallet: (body: Schemas['AddCryptoWallet'], options?: CallOptions) =>
      this.#post<Schemas['PayoutAddress']>('/b2b/add-crypto-wallet', body, options),
    payoutAddresses: (query?: QueryOf<'listPayoutAddresses'>, options?: CallOptions) =>
      this.#get<Schemas['PayoutAddresses']>('/b2b/payout-addresses', query, options),
    createTransaction: (body: Schemas['CreateB2bTransaction'], options?: CallOptions) =>
      this.#post<Schemas['B2bTransaction']>('/b2b/transaction', body, options),
    transactions: (query?: QueryOf<'listB2bTransactions'>, options?: CallOptions) =>
      this.#pages<Schemas['B2bTransaction'], Schemas['B2bTransactionPage']>('/b2b/transactions', query, options),
  }

  readonly webhooks = { verify }
}
