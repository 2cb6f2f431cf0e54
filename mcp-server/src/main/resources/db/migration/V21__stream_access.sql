-- Tells every replica that what somebody in the tenant may see has changed, so that it looks again before it tells a
-- listener of a resource. The triggers' name comes before that of the others on these tables: what is told in one
-- transaction is heard in the order in which it was told.

CREATE FUNCTION tell_access_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changed(COALESCE(NEW.tenant_id, OLD.tenant_id), 'access', '{}', NULL);
    RETURN NULL;
END $$;

CREATE TRIGGER access_changed AFTER INSERT OR UPDATE OR DELETE ON membership
    FOR EACH ROW EXECUTE FUNCTION tell_access_changed();
CREATE TRIGGER access_changed AFTER INSERT OR DELETE ON roster
    FOR EACH ROW EXECUTE FUNCTION tell_access_changed();
CREATE TRIGGER access_changed AFTER INSERT OR UPDATE OR DELETE ON bank_grant
    FOR EACH ROW EXECUTE FUNCTION tell_access_changed();
CREATE TRIGGER access_changed AFTER INSERT OR UPDATE OR DELETE ON zone
    FOR EACH ROW EXECUTE FUNCTION tell_access_changed();

CREATE TRIGGER access_begun AFTER INSERT OR DELETE ON agent
    FOR EACH ROW EXECUTE FUNCTION tell_access_changed();
CREATE TRIGGER access_changed AFTER UPDATE ON agent
    FOR EACH ROW
    WHEN ((NEW.name_key, NEW.access, NEW.owner_id, NEW.destroyed_at)
          IS DISTINCT FROM (OLD.name_key, OLD.access, OLD.owner_id, OLD.destroyed_at))
    EXECUTE FUNCTION tell_access_changed();

CREATE TRIGGER access_begun AFTER INSERT OR DELETE ON domain
    FOR EACH ROW EXECUTE FUNCTION tell_access_changed();
CREATE TRIGGER access_changed AFTER UPDATE ON domain
    FOR EACH ROW
    WHEN ((NEW.name_key, NEW.access, NEW.owner_id) IS DISTINCT FROM (OLD.name_key, OLD.access, OLD.owner_id))
    EXECUTE FUNCTION tell_access_changed();

CREATE TRIGGER access_begun AFTER INSERT OR DELETE ON bank
    FOR EACH ROW EXECUTE FUNCTION tell_access_changed();
CREATE TRIGGER access_changed AFTER UPDATE ON bank
    FOR EACH ROW
    WHEN ((NEW.name_key, NEW.access, NEW.owner_id, NEW.deleted_at, NEW.censored_at)
          IS DISTINCT FROM (OLD.name_key, OLD.access, OLD.owner_id, OLD.deleted_at, OLD.censored_at))
    EXECUTE FUNCTION tell_access_changed();

CREATE TRIGGER access_changed AFTER UPDATE ON app_user
    FOR EACH ROW WHEN ((NEW.role, NEW.removed_at) IS DISTINCT FROM (OLD.role, OLD.removed_at))
    EXECUTE FUNCTION tell_access_changed();
