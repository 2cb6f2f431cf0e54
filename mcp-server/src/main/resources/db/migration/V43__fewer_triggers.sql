-- Fewer triggers where most is written. One that nobody listens to costs nothing but the look-up of whether somebody does.

-- Memories stored by one statement are counted, wait for their vectors, and are told to who listens.
CREATE FUNCTION memories_stored() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_usage(c.tenant_id, 'memories', c.n)
       FROM (SELECT tenant_id, count(*) AS n FROM stored GROUP BY tenant_id ORDER BY tenant_id) c;
    INSERT INTO memory_vector (tenant_id, bank_id, memory_id, revision)
    SELECT tenant_id, bank_id, id, revision FROM stored
        ON CONFLICT DO NOTHING;
    IF listened_to((SELECT tenant_id FROM stored LIMIT 1)) THEN
        PERFORM log_memories(tenant_id, bank_id, 'stored', array_agg(id)) FROM stored GROUP BY tenant_id, bank_id;
        PERFORM tell_live((SELECT tenant_id FROM stored LIMIT 1));
        PERFORM tell_changed(b.tenant_id, 'bank', ARRAY[b.name_key], concerned(b.access, b.owner_id))
           FROM (SELECT DISTINCT tenant_id, bank_id FROM stored) c
           JOIN bank b ON b.tenant_id = c.tenant_id AND b.id = c.bank_id;
    END IF;
    RETURN NULL;
END $$;
DROP TRIGGER counted_added ON memory;
DROP TRIGGER live_stored ON memory;
DROP TRIGGER memory_added ON memory;
DROP TRIGGER vectors_await ON memory;
DROP FUNCTION await_vectors();
CREATE TRIGGER stored AFTER INSERT ON memory REFERENCING NEW TABLE AS stored
    FOR EACH STATEMENT EXECUTE FUNCTION memories_stored();

-- A message is stored alone, so that a trigger for its row knows the tenant before it begins.
DROP TRIGGER live_said ON message;
DROP TRIGGER message_said ON message;
DROP FUNCTION live_messages();
DROP FUNCTION tell_messages_changed();
CREATE FUNCTION tell_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, topic, action, thing) VALUES (NEW.tenant_id, 'messages', 'said', NEW.id);
    PERFORM tell_live(NEW.tenant_id);
    PERFORM tell_changed(d.tenant_id, 'zone', ARRAY[d.name_key, z.name_key],
                         taking_part(d.tenant_id, d.id, d.owner_id))
       FROM zone z
       JOIN domain d ON d.tenant_id = z.tenant_id AND d.id = z.domain_id
      WHERE z.tenant_id = NEW.tenant_id AND z.stream_id = NEW.stream_id;
    PERFORM tell_changed(a.tenant_id, 'agent', ARRAY[a.name_key],
                         ARRAY(SELECT COALESCE(x.owner_id, p.id)
                                 FROM unnest(ARRAY[st.low_id, st.high_id]) p (id)
                                 LEFT JOIN agent x ON x.tenant_id = st.tenant_id AND x.id = p.id))
       FROM stream st
       JOIN agent a ON a.tenant_id = st.tenant_id AND a.id IN (st.low_id, st.high_id) AND a.destroyed_at IS NULL
      WHERE st.tenant_id = NEW.tenant_id AND st.id = NEW.stream_id;
    RETURN NULL;
END $$;
CREATE TRIGGER said AFTER INSERT ON message
    FOR EACH ROW WHEN (listened_to(NEW.tenant_id)) EXECUTE FUNCTION tell_message();

-- Entries of the audit that are written together are told one by one, and the signal about them once.
CREATE FUNCTION tell_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO live_event (tenant_id, topic, action, thing, moment)
    VALUES (NEW.tenant_id, 'audit', 'noted', NEW.row_id, NEW.at);
    PERFORM tell_live(NEW.tenant_id);
    RETURN NULL;
END $$;
DROP TRIGGER live_noted ON audit;
CREATE TRIGGER live_noted AFTER INSERT ON audit
    FOR EACH ROW WHEN (listened_to(NEW.tenant_id)) EXECUTE FUNCTION tell_audit();
