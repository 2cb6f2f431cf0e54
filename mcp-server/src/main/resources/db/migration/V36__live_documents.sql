-- Open consoles are told of documents: each state that one comes to, and its end.
CREATE FUNCTION live_document() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    tenant bigint := COALESCE(NEW.tenant_id, OLD.tenant_id);
BEGIN
    IF listened_to(tenant) THEN
        INSERT INTO live_event (tenant_id, topic, action, thing)
        VALUES (tenant, 'documents', CASE WHEN TG_OP = 'DELETE' THEN 'deleted' ELSE NEW.state END,
                COALESCE(NEW.id, OLD.id));
        PERFORM tell_live(tenant);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER live_handed_in AFTER INSERT OR DELETE ON document FOR EACH ROW EXECUTE FUNCTION live_document();
CREATE TRIGGER live_validated AFTER UPDATE OF state ON document
    FOR EACH ROW WHEN (NEW.state <> OLD.state) EXECUTE FUNCTION live_document();
