package io.agentworkspace.engine.integrations.webhooks;

/** Turns a row of delivery {@code d} to receiver {@code e} into its record. */
final class DeliveryRow {
    static final String JSON = """
            jsonb_build_object('id', d.id, 'event_id', d.event_id, 'event_type', d.event_type, 'endpoint_id', d.endpoint_id,
                               'url', e.url, 'sequence', d.sequence, 'state', d.state, 'attempts', d.attempts,
                               'next_attempt_at', CASE WHEN d.state IN ('pending', 'failed') THEN d.due_at END,
                               'created_at', d.created_at)
            """;

    static final String ENDPOINT = "JOIN webhook_endpoint e ON e.tenant_id = :tenant AND e.id = d.endpoint_id";

    private DeliveryRow() {}
}
