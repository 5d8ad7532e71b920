"""Orders bitcoin if all of it costs little enough, says where to pay, and follows the order to its end.

    CAMBIO_URL=http://localhost:3000 CAMBIO_SECRET_KEY=sk_test_... python3 bot.py 100 --most-cost 8

Python 3.9 or newer, without packages. Amounts are decimals, never floats.
"""

import argparse
import json
import os
import time
import urllib.error
import urllib.request
import uuid
from decimal import Decimal

URL = os.environ["CAMBIO_URL"]
KEY = os.environ["CAMBIO_SECRET_KEY"]


def call(path, body=None, idempotency_key=None):
    """Calls the API; repeats what failed on the way, which is safe with an idempotency key."""
    headers = {"x-api-key": KEY, "content-type": "application/json"}
    if idempotency_key:
        headers["idempotency-key"] = idempotency_key
    data = None if body is None else json.dumps(body).encode()
    for attempt in range(3):
        try:
            request = urllib.request.Request(URL + path, data, headers)
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            problem = json.load(error)
            if error.code not in (429, 503) or attempt == 2:
                raise SystemExit(f"{problem['code']}: {problem['message']}") from None
            time.sleep(float(error.headers.get("retry-after", "1")))
        except urllib.error.URLError as error:
            if attempt == 2:
                raise SystemExit(f"The exchange does not answer: {error.reason}") from None
            time.sleep(1)


def follow(order_id, cursor):
    """Yields the status at each event of the order, from a place in the feed on."""
    while True:
        page = call(f"/v1/events?after={cursor}&wait=30")
        cursor = page["next_after"]
        for event in page["data"]:
            if event["payload"]["id"] == order_id and "status" in event["payload"]:
                yield event["payload"]["status"]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("euros", type=Decimal)
    arguments.add_argument("--most-cost", type=Decimal, default=Decimal("10"), help="total cost in percent")
    given = arguments.parse_args()

    start = call("/v1/events?after=latest")["next_after"]
    wanted = {"from_currency": "EUR", "from_amount": str(given.euros), "to_currency": "BTC"}
    order = call("/v1/transaction", wanted, idempotency_key=str(uuid.uuid4()))
    cost = order["total_cost"]["percentage"]
    print(f"{order['expected_to_amount']} BTC for {given.euros} EUR; total cost {cost}", flush=True)
    if Decimal(cost.rstrip("%")) > given.most_cost:
        raise SystemExit("That is too much. The order expires unpaid.")

    print(f"Pay at {order['redirect_url']}", flush=True)
    for status in follow(order["id"], start):
        print(status, flush=True)
        if status in ("finished", "refunded", "expired", "cancelled", "failed"):
            return


if __name__ == "__main__":
    main()
