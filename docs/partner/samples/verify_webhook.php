<?php

declare(strict_types=1);

/**
 * Returns the event, or throws if its signature is wrong or older than five minutes. $body is the raw body, before any
 * parsing (file_get_contents('php://input')). Header names are in lower case.
 *
 * @param array<string, string> $headers
 * @return array<string, mixed>
 */
function verifyWebhook(string $body, array $headers, string $secret): array
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        throw new RuntimeException('This webhook is too old, or has no timestamp.');
    }
    $key = base64_decode(substr($secret, strlen('whsec_')), true);
    if ($key === false) {
        throw new RuntimeException('The secret must be whsec_ followed by base64.');
    }
    $right = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    // During a secret rotation there are two signatures.
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
        if (hash_equals($right, $given)) {
            return json_decode($body, true, 64, JSON_THROW_ON_ERROR);
        }
    }
    throw new RuntimeException('This webhook is not signed with our secret.');
}
