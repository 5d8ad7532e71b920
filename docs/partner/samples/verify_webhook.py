"""Verifies webhooks from Cambio, which follow Standard Webhooks. Requires only Python 3.8."""

import base64
import hashlib
import hmac
import json
import time


class NotOurs(Exception):
    """The request is too old, or not signed with the secret."""


def verify_webhook(body: bytes, headers: dict, secret: str) -> dict:
    """Returns the event, or raises NotOurs if its signature is wrong or older than five minutes.

    body is the raw body, before any parsing. Header names are in lower case.
    """
    webhook_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        raise NotOurs("This webhook is too old, or has no timestamp.")

    key = base64.b64decode(secret[len("whsec_"):])
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    right = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    # During a secret rotation there are two signatures.
    if not any(hmac.compare_digest(one.encode(), right.encode()) for one in signatures):
        raise NotOurs("This webhook is not signed with our secret.")
    return json.loads(body)
