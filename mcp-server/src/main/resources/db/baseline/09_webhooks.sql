-- Events in a feed without gaps, and their deliveries to webhook endpoints.

CREATE SEQUENCE event_ordinal;

CREATE TABLE event (
    tenant_id  bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    id         uuid        NOT NULL,
    type       text        NOT NULL,
    created_at timestamptz NOT NULL,
    data       json        NOT NULL,
    ordinal    bigint      NOT NULL DEFAULT nextval('event_ordinal'),
    seq        bigint,
    directed   boolean     NOT NULL DEFAULT false,
    not_to     uuid,
    PRIMARY KEY (tenant_id, id)
);
COMMENT ON TABLE event IS 'The events, each written in the transaction that it reports.';
COMMENT ON COLUMN event.data IS 'As json, not jsonb: a test arrives as the customer wrote it.';
COMMENT ON COLUMN event.ordinal IS 'The order of writing, with gaps.';
COMMENT ON COLUMN event.seq IS 'Its place in the feed of the tenant, without gaps. It is assigned after the transaction.';
COMMENT ON COLUMN event.directed IS 'Whether it is a test, which is in no feed and is sent to one endpoint.';
COMMENT ON COLUMN event.not_to IS 'The endpoint that it is not sent to, because it reports that this endpoint fails.';
CREATE UNIQUE INDEX event_seq ON event (tenant_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX event_unplaced ON event (tenant_id, ordinal) WHERE seq IS NULL AND NOT directed;
CREATE INDEX event_test ON event (created_at) WHERE directed;

CREATE TABLE event_feed (
    tenant_id   bigint PRIMARY KEY REFERENCES tenant ON DELETE CASCADE,
    last_seq    bigint NOT NULL DEFAULT 0,
    cleared_seq bigint NOT NULL DEFAULT 0,
    home        text   NOT NULL DEFAULT '',
    epoch       bigint NOT NULL DEFAULT 0,
    CHECK (cleared_seq BETWEEN 0 AND last_seq)
);
COMMENT ON TABLE event_feed IS 'The feed of each tenant. Its row is the lock under which places are assigned.';
COMMENT ON COLUMN event_feed.cleared_seq IS 'The last place that was removed from the feed. Events up to it may remain for their deliveries.';
COMMENT ON COLUMN event_feed.home IS 'The database and table that the tenant was on at the last look, by which replicas notice a restored backup, and another server; empty until the first look.';
COMMENT ON COLUMN event_feed.epoch IS 'When that was noticed last, in milliseconds since 1970; 0 if never. Positions that are numbers of transactions are of one epoch.';

CREATE TABLE webhook_endpoint (
    tenant_id       bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    id              uuid        NOT NULL,
    url             text        NOT NULL,
    events          text[]      NOT NULL CHECK (cardinality(events) > 0),
    description     text,
    enabled         boolean     NOT NULL DEFAULT true,
    disabled_reason text        CHECK (disabled_reason IN ('manual', 'gone', 'failing')),
    revision        bigint      NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    deleted_at      timestamptz,
    secret          text        NOT NULL,
    previous_secret text,
    previous_until  timestamptz,
    preflight       json,
    last_sequence   bigint      NOT NULL DEFAULT 0,
    failing_since   timestamptz,
    warned          smallint    NOT NULL DEFAULT 0,
    failures_in_row integer     NOT NULL DEFAULT 0,
    openings        smallint    NOT NULL DEFAULT 0,
    open_until      timestamptz,
    missed_after    bigint,
    missed_until    bigint,
    owner_id        bigint,
    PRIMARY KEY (tenant_id, id),
    CHECK (enabled = (disabled_reason IS NULL))
);
COMMENT ON TABLE webhook_endpoint IS 'The webhook endpoints, and how well they work.';
COMMENT ON COLUMN webhook_endpoint.events IS 'The types of events that it receives; {push} for the push notifications of one task.';
COMMENT ON COLUMN webhook_endpoint.secret IS 'Encrypted with the master key; of a push notification, its headers.';
COMMENT ON COLUMN webhook_endpoint.preflight IS 'The result of the last check of its address.';
COMMENT ON COLUMN webhook_endpoint.last_sequence IS 'The number of the last delivery that was queued for it.';
COMMENT ON COLUMN webhook_endpoint.failing_since IS 'When the first attempt since the last success failed.';
COMMENT ON COLUMN webhook_endpoint.warned IS 'How far it was on the way to being disabled, in percent, when its tenant was last warned.';
COMMENT ON COLUMN webhook_endpoint.openings IS 'How often the circuit has opened since the last success.';
COMMENT ON COLUMN webhook_endpoint.open_until IS 'Until then the circuit is open, and nothing is attempted.';
COMMENT ON COLUMN webhook_endpoint.missed_after IS 'The last place of the feed when it was last disabled. Later events were not queued for it.';
COMMENT ON COLUMN webhook_endpoint.missed_until IS 'The last place of the feed when it was enabled again; null while it is disabled.';
COMMENT ON COLUMN webhook_endpoint.owner_id IS 'The user who created it. It is sent only those messages and memories that this user may read.';
CREATE INDEX webhook_endpoint_listed ON webhook_endpoint (tenant_id, created_at DESC, id DESC);
CREATE INDEX webhook_endpoint_deleted ON webhook_endpoint (tenant_id, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX webhook_endpoint_failing ON webhook_endpoint (failing_since) WHERE failing_since IS NOT NULL;

CREATE INDEX webhook_endpoint_push ON webhook_endpoint (tenant_id, id) WHERE events = '{push}';

CREATE TABLE webhook_push (
    tenant_id   bigint      NOT NULL,
    endpoint_id uuid        NOT NULL,
    task_id     uuid        NOT NULL,
    principal   text        NOT NULL,
    id          text        NOT NULL,
    state       text        NOT NULL,
    seen_seq    bigint,
    looked_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, endpoint_id),
    UNIQUE (tenant_id, task_id, principal, id),
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES webhook_endpoint ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, task_id) REFERENCES question ON DELETE CASCADE
);
COMMENT ON TABLE webhook_push IS 'The push notifications of A2A: each is a webhook endpoint of one task.';
COMMENT ON COLUMN webhook_push.task_id IS 'The question.';
COMMENT ON COLUMN webhook_push.principal IS 'The credential that made it, and alone sees it.';
COMMENT ON COLUMN webhook_push.id IS 'Its id as the client knows it.';
COMMENT ON COLUMN webhook_push.state IS 'The state that was told last, or was known when it was made; ENDED if that is still to be told.';
COMMENT ON COLUMN webhook_push.seen_seq IS 'The number of the last message in the conversation when its task was last read; null if it could not be.';
COMMENT ON COLUMN webhook_push.looked_at IS 'When its task was last looked at; after a refusal, when it is looked at again.';
CREATE INDEX webhook_push_principal ON webhook_push (tenant_id, principal);

CREATE TABLE webhook_delivery (
    tenant_id   bigint      NOT NULL,
    id          uuid        NOT NULL,
    endpoint_id uuid        NOT NULL,
    event_id    uuid        NOT NULL,
    event_type  text        NOT NULL,
    sequence    bigint      NOT NULL,
    state       text        NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivering', 'delivered', 'failed', 'exhausted')),
    attempts    jsonb       NOT NULL DEFAULT '[]',
    due_at      timestamptz,
    holder      uuid,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, endpoint_id, sequence),
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES webhook_endpoint ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, event_id) REFERENCES event ON DELETE CASCADE
);
COMMENT ON TABLE webhook_delivery IS 'The deliveries of events to endpoints.';
COMMENT ON COLUMN webhook_delivery.sequence IS 'Counts the deliveries of its endpoint.';
COMMENT ON COLUMN webhook_delivery.attempts IS 'In their order: {at, duration_ms, status, error}.';
COMMENT ON COLUMN webhook_delivery.due_at IS 'When it is attempted next; while it is being delivered, when its lease ends; null when nothing follows.';
COMMENT ON COLUMN webhook_delivery.holder IS 'Identifies the sender that has the lease.';
CREATE INDEX webhook_delivery_due ON webhook_delivery (tenant_id, endpoint_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_delivery_held ON webhook_delivery (tenant_id, endpoint_id, due_at) WHERE state = 'delivering';
CREATE INDEX webhook_delivery_listed ON webhook_delivery (tenant_id, created_at DESC, id DESC);
CREATE INDEX webhook_delivery_event ON webhook_delivery (tenant_id, event_id);

CREATE TABLE webhook_health (
    tenant_id       bigint      NOT NULL,
    endpoint_id     uuid        NOT NULL,
    hour            timestamptz NOT NULL,
    succeeded       bigint      NOT NULL,
    failed          bigint      NOT NULL,
    durations       bigint[]    NOT NULL,
    last_success_at timestamptz,
    last_failure_at timestamptz,
    PRIMARY KEY (tenant_id, endpoint_id, hour),
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES webhook_endpoint ON DELETE CASCADE
);
COMMENT ON TABLE webhook_health IS 'The attempts at each endpoint in each hour: how many, and how long they took.';
COMMENT ON COLUMN webhook_health.durations IS 'A histogram, whose classes are in the code.';
CREATE INDEX webhook_health_age ON webhook_health (hour);
