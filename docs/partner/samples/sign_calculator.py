import hashlib
import hmac
from urllib.parse import quote


def calculator_url(origin: str, partner_id: str, widget_secret: str, parameters: dict[str, str]) -> str:
    """Returns the URL of a signed calculator. Run it on your server: anyone with the widget secret can sign for you."""
    everything = {**parameters, "partner_id": partner_id}
    query = "&".join(f"{quote(name, safe='')}={quote(everything[name], safe='')}" for name in sorted(everything))
    signature = hmac.new(widget_secret.encode(), query.encode(), hashlib.sha256).hexdigest()
    return f"{origin}/calculator/v2?{query}&signature={signature}"
