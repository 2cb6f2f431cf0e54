-- What callers were let through on all replicas together, as a bucket for each: when it is full again. Every replica adds to it each
-- second. Unlogged: after a crash all buckets are full.
CREATE UNLOGGED TABLE rate_spent (
    tenant_id bigint      NOT NULL,
    principal text        NOT NULL,
    full_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, principal)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
COMMENT ON COLUMN rate_spent.full_at IS 'By the clock of the database; what is past is a full bucket.';
