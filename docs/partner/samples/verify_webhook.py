"""Verifies the webhooks of Cambio, by the Standard Webhooks scheme. Needs nothing but Python 3.8."""

import base64
import hashlib
import hmac
import json
import time


class NotOurs(Exception):
    """The request is not signed with the secret, or too old."""


def verify_webhook(body: bytes, headers: dict, secret: str) -> dict:
    """Gives the event if it is ours and not older than five minutes; raises NotOurs if not.

    body is what came in, byte for byte, before any parsing. The names of headers are lower case.
    """
    webhook_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        raise NotOurs("This webhook is too old, or has no time.")

    key = base64.b64decode(secret[len("whsec_"):])
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    right = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    # While a secret is being changed there are two.
    if not any(hmac.compare_digest(one.encode(), right.encode()) for one in signatures):
        raise NotOurs("This webhook is not signed with our secret.")
    return json.loads(body)
