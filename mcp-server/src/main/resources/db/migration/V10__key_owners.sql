-- Nobody who is being removed gets a key: as with agents, domains and banks, the foreign key alone is content with the row
-- that stays.

CREATE FUNCTION refuse_removed_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM app_user u
                WHERE u.tenant_id = NEW.tenant_id AND u.id = NEW.user_id AND u.removed_at IS NOT NULL) THEN
        RAISE EXCEPTION 'the user was removed' USING ERRCODE = 'EN001';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER zz_user_is_there AFTER INSERT OR UPDATE OF user_id ON api_key
    FOR EACH ROW EXECUTE FUNCTION refuse_removed_user();

UPDATE api_key k SET revoked_at = u.removed_at
  FROM app_user u
 WHERE u.tenant_id = k.tenant_id AND u.id = k.user_id AND u.removed_at IS NOT NULL AND k.revoked_at IS NULL;
