-- A session that a key began ends with that secret of the key: who has stolen a secret loses with it what was begun by it.

ALTER TABLE browser_session ADD COLUMN key_hash bytea;
COMMENT ON COLUMN browser_session.key_hash IS 'Of the key''s secret that began it: as long as that works, the session does.';

-- Which secret began those of a key that was rotated is not known any more.
DELETE FROM browser_session s USING api_key k
 WHERE k.tenant_id = s.tenant_id AND k.id = s.key_id AND k.rotated_at IS NOT NULL;
UPDATE browser_session s SET key_hash = k.secret_hash
  FROM api_key k
 WHERE k.tenant_id = s.tenant_id AND k.id = s.key_id;
