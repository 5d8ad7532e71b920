<?php

/** Returns the URL of a signed calculator. Run it on your server: anyone with the widget secret can sign for you. */
function calculator_url(string $origin, string $partnerId, string $widgetSecret, array $parameters): string
{
    $parameters['partner_id'] = $partnerId;
    ksort($parameters, SORT_STRING);
    $query = http_build_query($parameters, '', '&', PHP_QUERY_RFC3986);
    $signature = hash_hmac('sha256', $query, $widgetSecret);
    return "{$origin}/calculator/v2?{$query}&signature={$signature}";
}
