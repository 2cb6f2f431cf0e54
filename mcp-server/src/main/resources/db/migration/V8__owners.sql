-- Nothing comes to belong to a user who is being removed. A foreign key waits for the removal, but is content with the
-- row that stays; this trigger, whose name comes after it, sees what was committed meanwhile.

CREATE FUNCTION refuse_removed_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM app_user u
                WHERE u.tenant_id = NEW.tenant_id AND u.id = NEW.owner_id AND u.removed_at IS NOT NULL) THEN
        RAISE EXCEPTION 'the owner was removed' USING ERRCODE = 'EN001';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER zz_owner_is_there AFTER INSERT OR UPDATE OF owner_id ON agent
    FOR EACH ROW EXECUTE FUNCTION refuse_removed_owner();
CREATE TRIGGER zz_owner_is_there AFTER INSERT OR UPDATE OF owner_id ON domain
    FOR EACH ROW EXECUTE FUNCTION refuse_removed_owner();
CREATE TRIGGER zz_owner_is_there AFTER INSERT OR UPDATE OF owner_id ON bank
    FOR EACH ROW EXECUTE FUNCTION refuse_removed_owner();

CREATE INDEX domain_owner ON domain (tenant_id, owner_id);
CREATE INDEX bank_owner ON bank (tenant_id, owner_id);
