-- Users come and go. One who is gone stays as a name on what it said; what it owned is somebody else's.

ALTER TABLE app_user ADD COLUMN revision bigint NOT NULL DEFAULT 1;
ALTER TABLE app_user ADD COLUMN removed_at timestamptz;
ALTER TABLE app_user DROP CONSTRAINT app_user_tenant_id_name_key_key;
CREATE UNIQUE INDEX app_user_name ON app_user (tenant_id, name_key) WHERE removed_at IS NULL;
