// Package cambio verifies the webhooks of Cambio, by the Standard Webhooks scheme.
package cambio

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Event is what every webhook tells; Payload is the record as of that moment.
type Event struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Sequence  int             `json:"sequence"`
	CreatedAt string          `json:"created_at"`
	Payload   json.RawMessage `json:"payload"`
}

// VerifyWebhook gives the event if it is ours and not older than five minutes. body is what came in, byte for byte, before any
// parsing.
func VerifyWebhook(body []byte, headers http.Header, secret string) (*Event, error) {
	id := headers.Get("webhook-id")
	timestamp := headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return nil, errors.New("this webhook has no time")
	}
	if ago := time.Since(time.Unix(seconds, 0)); ago > 5*time.Minute || ago < -5*time.Minute {
		return nil, errors.New("this webhook is too old")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return nil, errors.New("the secret is whsec_ and base64")
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	right := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	// While a secret is being changed there are two.
	for _, given := range strings.Split(headers.Get("webhook-signature"), " ") {
		if hmac.Equal(right, []byte(given)) {
			event := new(Event)
			return event, json.Unmarshal(body, event)
		}
	}
	return nil, errors.New("this webhook is not signed with our secret")
}
