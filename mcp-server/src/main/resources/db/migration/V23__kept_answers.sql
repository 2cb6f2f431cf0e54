-- How much is kept under idempotency keys: long answers are counted for each principal and tenant.

ALTER TABLE idempotency ADD COLUMN bytes integer GENERATED ALWAYS AS (octet_length(answer)) STORED;
CREATE INDEX idempotency_long ON idempotency (tenant_id, principal) INCLUDE (bytes) WHERE bytes > 4096;
COMMENT ON COLUMN idempotency.bytes IS 'Of the answer; only those longer than 4,096 are counted.';
