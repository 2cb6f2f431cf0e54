-- Events in a feed without gaps, and their way to the endpoints of customers.

-- json, not jsonb: what a customer sends as a test arrives as it was written.
ALTER TABLE event
    ALTER COLUMN data TYPE json USING data::text::json,
    ADD COLUMN ordinal  bigint  GENERATED ALWAYS AS IDENTITY,
    ADD COLUMN seq      bigint,
    ADD COLUMN directed boolean NOT NULL DEFAULT false,
    ADD COLUMN not_to   uuid;
COMMENT ON COLUMN event.ordinal IS 'The order of writing, with gaps.';
COMMENT ON COLUMN event.seq IS 'Its place in the tenant''s feed, given after its transaction: without gaps.';
COMMENT ON COLUMN event.directed IS 'A test: stands in no feed and goes only where it was sent.';
COMMENT ON COLUMN event.not_to IS 'The endpoint that is not sent it, since it is about its failing.';
CREATE UNIQUE INDEX event_seq ON event (tenant_id, seq);
CREATE INDEX event_unplaced ON event (tenant_id, ordinal) WHERE seq IS NULL AND NOT directed;
CREATE INDEX event_age ON event (created_at);

-- Its row is the lock under which places are given.
CREATE TABLE event_feed (
    tenant_id bigint PRIMARY KEY REFERENCES tenant ON DELETE CASCADE,
    last_seq  bigint NOT NULL DEFAULT 0
);
INSERT INTO event_feed (tenant_id) SELECT tenant_id FROM tenant;
CREATE FUNCTION give_feed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_feed (tenant_id) VALUES (NEW.tenant_id);
    RETURN NULL;
END $$;
CREATE TRIGGER tenant_has_feed AFTER INSERT ON tenant FOR EACH ROW EXECUTE FUNCTION give_feed();

CREATE TABLE webhook_endpoint (
    tenant_id        bigint      NOT NULL,
    id               uuid        NOT NULL,
    url              text        NOT NULL,
    events           text[]      NOT NULL CHECK (cardinality(events) > 0),
    description      text,
    enabled          boolean     NOT NULL DEFAULT true,
    disabled_reason  text        CHECK (disabled_reason IN ('manual', 'gone', 'failing')),
    revision         bigint      NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    deleted_at       timestamptz,
    secret           text        NOT NULL,
    previous_secret  text,
    previous_until   timestamptz,
    preflight        json,
    last_sequence    bigint      NOT NULL DEFAULT 0,
    failing_since    timestamptz,
    warned           smallint    NOT NULL DEFAULT 0,
    failures_in_row  integer     NOT NULL DEFAULT 0,
    openings         smallint    NOT NULL DEFAULT 0,
    open_until       timestamptz,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id) REFERENCES tenant ON DELETE CASCADE,
    CHECK (enabled = (disabled_reason IS NULL))
);
COMMENT ON COLUMN webhook_endpoint.secret IS 'Sealed in the vault.';
COMMENT ON COLUMN webhook_endpoint.last_sequence IS 'Of the last delivery that was queued for it.';
COMMENT ON COLUMN webhook_endpoint.failing_since IS 'Of the first failure since the last success.';
COMMENT ON COLUMN webhook_endpoint.warned IS 'Percent of the way to being disabled that its tenant was warned at.';
COMMENT ON COLUMN webhook_endpoint.openings IS 'How often the circuit has opened since the last success.';
COMMENT ON COLUMN webhook_endpoint.open_until IS 'The circuit is open: nothing is attempted before.';
CREATE INDEX webhook_endpoint_listed ON webhook_endpoint (tenant_id, created_at DESC, id DESC);

CREATE INDEX webhook_endpoint_deleted ON webhook_endpoint (tenant_id, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX webhook_endpoint_failing ON webhook_endpoint (failing_since) WHERE failing_since IS NOT NULL;

CREATE TABLE webhook_delivery (
    tenant_id   bigint      NOT NULL,
    id          uuid        NOT NULL,
    endpoint_id uuid        NOT NULL,
    event_id    uuid        NOT NULL,
    event_type  text        NOT NULL,
    sequence    bigint      NOT NULL,
    state       text        NOT NULL DEFAULT 'pending'
                            CHECK (state IN ('pending', 'delivering', 'delivered', 'failed', 'exhausted')),
    attempts    jsonb       NOT NULL DEFAULT '[]',
    due_at      timestamptz,
    holder      uuid,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, endpoint_id, sequence),
    FOREIGN KEY (tenant_id, endpoint_id) REFERENCES webhook_endpoint ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, event_id) REFERENCES event ON DELETE CASCADE
);
COMMENT ON COLUMN webhook_delivery.due_at IS
    'When it is to be attempted; while it is delivering, when its holder has lost it; null once it has come to an end.';
COMMENT ON COLUMN webhook_delivery.attempts IS 'In their order: {at, duration_ms, status, error}.';
CREATE INDEX webhook_delivery_due ON webhook_delivery (tenant_id, endpoint_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_delivery_held ON webhook_delivery (tenant_id, endpoint_id, due_at) WHERE state = 'delivering';
CREATE INDEX webhook_delivery_listed ON webhook_delivery (tenant_id, created_at DESC, id DESC);
CREATE INDEX webhook_delivery_event ON webhook_delivery (tenant_id, event_id);

-- For each endpoint and hour: how many attempts, and how long they took.
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
COMMENT ON COLUMN webhook_health.durations IS 'How many attempts took so long: a histogram, its classes are in the code.';
CREATE INDEX webhook_health_age ON webhook_health (hour);

-- Whoever listens to the feed hears of its growth.
CREATE FUNCTION tell_feed_grown() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changed(NEW.tenant_id, 'events', '{}', NULL);
    RETURN NULL;
END $$;
CREATE TRIGGER event_feed_grown AFTER INSERT OR UPDATE ON event_feed
    FOR EACH ROW EXECUTE FUNCTION tell_feed_grown();
