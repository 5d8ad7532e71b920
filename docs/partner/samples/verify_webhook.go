// Package cambio verifies webhooks from Cambio, which follow Standard Webhooks.
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

// Event is the body of a webhook. Payload is the record as of that moment.
type Event struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Sequence  int             `json:"sequence"`
	CreatedAt string          `json:"created_at"`
	Payload   json.RawMessage `json:"payload"`
}

// VerifyWebhook returns the event, or an error if its signature is wrong or older than five minutes. body is the raw body, before
// any parsing.
func VerifyWebhook(body []byte, headers http.Header, secret string) (*Event, error) {
	id := headers.Get("webhook-id")
	timestamp := headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return nil, errors.New("this webhook has no timestamp")
	}
	if ago := time.Since(time.Unix(seconds, 0)); ago > 5*time.Minute || ago < -5*time.Minute {
		return nil, errors.New("this webhook is too old")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return nil, errors.New("the secret must be whsec_ followed by base64")
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	right := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	// During a secret rotation there are two signatures.
	for _, given := range strings.Split(headers.Get("webhook-signature"), " ") {
		if hmac.Equal(right, []byte(given)) {
			event := new(Event)
			return event, json.Unmarshal(body, event)
		}
	}
	return nil, errors.New("this webhook is not signed with our secret")
}
