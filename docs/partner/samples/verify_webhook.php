<?php

declare(strict_types=1);

/**
 * Gives the event if it is ours and not older than five minutes; throws if not. $body is what came in, byte for byte, before
 * any parsing (file_get_contents('php://input')). The names of headers are lower case.
 *
 * @param array<string, string> $headers
 * @return array<string, mixed>
 */
function verifyWebhook(string $body, array $headers, string $secret): array
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        throw new RuntimeException('This webhook is too old, or has no time.');
    }
    $key = base64_decode(substr($secret, strlen('whsec_')), true);
    if ($key === false) {
        throw new RuntimeException('The secret is whsec_ and base64.');
    }
    $right = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    // While a secret is being changed there are two.
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
        if (hash_equals($right, $given)) {
            return json_decode($body, true, 64, JSON_THROW_ON_ERROR);
        }
    }
    throw new RuntimeException('This webhook is not signed with our secret.');
}
