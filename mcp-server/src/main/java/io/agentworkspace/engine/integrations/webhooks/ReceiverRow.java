package io.agentworkspace.engine.integrations.webhooks;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A webhook receiver {@code e} as the database returns it.
 *
 * @param previousUntil the end of the overlap, until which the secret from before a rotation also signs
 * @param lastSuccessAt over the whole retention period, as is lastFailureAt; the counts cover the last {@link #LOOKS_BACK}
 * @param durations the number of attempts in each class of duration; null if there were none
 */
record ReceiverRow(
        UUID id,
        String url,
        List<String> events,
        @Nullable String description,
        boolean enabled,
        @Nullable String disabledReason,
        long revision,
        Instant createdAt,
        Instant updatedAt,
        @Nullable Instant previousUntil,
        Endpoint.@Nullable Preflight preflight,
        @Nullable Instant failingSince,
        @Nullable Instant openUntil,
        long succeeded,
        long failed,
        @Nullable Instant lastSuccessAt,
        @Nullable Instant lastFailureAt,
        @Nullable List<Long> durations,
        Endpoint.@Nullable Missed missed) {
    static final Duration LOOKS_BACK = Duration.ofHours(24);

    /** Takes {@code :tenant} and {@code :since}. The counts leave out hours that began before it. */
    static final String JSON = """
            jsonb_build_object('id', e.id, 'url', e.url, 'events', e.events, 'description', e.description,
                               'enabled', e.enabled, 'disabled_reason', e.disabled_reason, 'revision', e.revision,
                               'created_at', e.created_at, 'updated_at', e.updated_at, 'previous_until', e.previous_until,
                               'preflight', e.preflight, 'failing_since', e.failing_since, 'open_until', e.open_until,
                               'missed', CASE WHEN e.missed_after IS NOT NULL
                                              THEN jsonb_build_object('after', e.missed_after, 'until', e.missed_until) END)
            || (SELECT jsonb_build_object(
                           'succeeded', COALESCE(sum(h.succeeded) FILTER (WHERE h.hour > :since), 0),
                           'failed', COALESCE(sum(h.failed) FILTER (WHERE h.hour > :since), 0),
                           'last_success_at', max(h.last_success_at), 'last_failure_at', max(h.last_failure_at),
                           'durations', (SELECT jsonb_agg(c.n ORDER BY c.i)
                                           FROM (SELECT d.i, sum(d.n) AS n
                                                   FROM webhook_health w
                                                  CROSS JOIN unnest(w.durations) WITH ORDINALITY d (n, i)
                                                  WHERE w.tenant_id = :tenant AND w.endpoint_id = e.id
                                                    AND w.hour > :since
                                                  GROUP BY d.i) c))
                  FROM webhook_health h
                 WHERE h.tenant_id = :tenant AND h.endpoint_id = e.id)
            """;
}
