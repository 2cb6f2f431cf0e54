-- One log of changes instead of triggers that announce them. Whoever changes something says so, in the statement that
-- commits it. MCP's subscriptions, the console's stream and the caches of what listeners may see read this log.

DROP TRIGGER agent_changed ON agent;
DROP TRIGGER access_begun ON agent;
DROP TRIGGER access_changed ON agent;
DROP TRIGGER live_created ON agent;
DROP TRIGGER live_changed ON agent;
DROP TRIGGER roster_changed ON roster;
DROP TRIGGER access_changed ON roster;
DROP TRIGGER domain_changed ON domain;
DROP TRIGGER access_begun ON domain;
DROP TRIGGER access_changed ON domain;
DROP TRIGGER zone_changed ON zone;
DROP TRIGGER access_changed ON zone;
DROP TRIGGER access_changed ON membership;
DROP TRIGGER live_joined ON membership;
DROP TRIGGER bank_changed ON bank;
DROP TRIGGER access_begun ON bank;
DROP TRIGGER access_changed ON bank;
DROP TRIGGER access_changed ON bank_grant;
DROP TRIGGER memory_changed ON memory;
DROP TRIGGER memory_removed ON memory;
DROP TRIGGER live_updated ON memory;
DROP TRIGGER said ON message;
DROP TRIGGER live_noted ON audit;
DROP TRIGGER live_delivered ON webhook_delivery;
DROP TRIGGER event_feed_grown ON event_feed;
DROP TRIGGER live_met ON handshake;
DROP TRIGGER live_met_again ON handshake;
DROP TRIGGER live_logged_on ON context;
DROP TRIGGER live_presence ON context;
DROP TRIGGER api_key_tools_changed ON api_key;
DROP TRIGGER api_key_toolset_changed ON api_key;
DROP TRIGGER app_user_tools_changed ON app_user;
DROP TRIGGER access_changed ON app_user;
DROP TRIGGER mcp_task_changed ON mcp_task;
DROP TRIGGER skill_changed ON skill;
DROP TRIGGER skill_installed ON skill_install;
DROP TRIGGER document_changed ON document;
DROP TRIGGER document_validated ON document;
DROP TRIGGER live_handed_in ON document;
DROP TRIGGER live_validated ON document;

DROP FUNCTION tell_agent_changed();
DROP FUNCTION tell_roster_changed();
DROP FUNCTION tell_place_changed();
DROP FUNCTION tell_zone_changed();
DROP FUNCTION tell_memories_changed();
DROP FUNCTION tell_message();
DROP FUNCTION tell_tools_changed();
DROP FUNCTION tell_task_changed();
DROP FUNCTION tell_skill_changed();
DROP FUNCTION tell_skill_installed();
DROP FUNCTION tell_document_changed();
DROP FUNCTION tell_access_changed();
DROP FUNCTION tell_feed_grown();
DROP FUNCTION tell_audit();
DROP FUNCTION live_memories_changed();
DROP FUNCTION live_rows();
DROP FUNCTION live_context();
DROP FUNCTION live_agent();
DROP FUNCTION live_membership();
DROP FUNCTION live_document();
DROP FUNCTION log_presence(bigint, bigint, text, bigint);

-- A memory that is stored is counted, and waits for its vectors.
CREATE OR REPLACE FUNCTION memories_stored() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_usage(c.tenant_id, 'memories', c.n)
       FROM (SELECT tenant_id, count(*) AS n FROM stored GROUP BY tenant_id ORDER BY tenant_id) c;
    INSERT INTO memory_vector (tenant_id, bank_id, memory_id, revision)
    SELECT tenant_id, bank_id, id, revision FROM stored
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

-- One that gets another revision keeps the former one, and waits for vectors again.
CREATE OR REPLACE FUNCTION keep_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_revision (tenant_id, bank_id, memory_id, revision, name, name_key, text, tags, editor_id, contributors,
                                 derived_from, source, supersedes, reason, expires_at, pinned, stored_at, replaced_at)
    VALUES (OLD.tenant_id, OLD.bank_id, OLD.id, OLD.revision, OLD.name, OLD.name_key, OLD.text, OLD.tags, OLD.editor_id,
            OLD.contributors, OLD.derived_from, OLD.source, OLD.supersedes, OLD.reason, OLD.expires_at, OLD.pinned,
            OLD.updated_at, NEW.updated_at);
    INSERT INTO memory_vector (tenant_id, bank_id, memory_id, revision)
    VALUES (NEW.tenant_id, NEW.bank_id, NEW.id, NEW.revision)
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
DROP TRIGGER vectors_await_other ON memory;
DROP FUNCTION await_other_vectors();

DROP FUNCTION tell_changed(bigint, text, text[], bigint[]);
DROP FUNCTION tell_live(bigint);
DROP FUNCTION log_memories(bigint, bigint, text, uuid[]);

ALTER TABLE mcp_interest RENAME TO change_listener;
ALTER INDEX mcp_interest_pkey RENAME TO change_listener_pkey;
COMMENT ON TABLE change_listener IS 'In which tenants a replica has listeners. Elsewhere nothing is logged: a transaction that notifies waits at its commit for every other one that does.';
CREATE OR REPLACE FUNCTION listened_to(tenant bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM change_listener l WHERE l.tenant_id = tenant AND l.until > now());
END $$;

ALTER TABLE live_event RENAME TO change_log;
ALTER INDEX live_event_pkey RENAME TO change_log_pkey;
ALTER INDEX live_event_age RENAME TO change_log_age;
ALTER SEQUENCE live_event_ordinal_seq RENAME TO change_log_ordinal_seq;
ALTER TABLE change_log
    ADD COLUMN names text[] NOT NULL DEFAULT '{}',
    ADD COLUMN users bigint[];
ALTER TABLE change_log ALTER COLUMN action DROP NOT NULL;
COMMENT ON TABLE change_log IS 'What changed in tenants with listeners, for some minutes.';
COMMENT ON COLUMN change_log.topic IS 'What kind of thing, or which list.';
COMMENT ON COLUMN change_log.names IS 'The names of the thing, as they are compared.';
COMMENT ON COLUMN change_log.users IS 'The users who may learn of it, besides the admins; null for everyone in the tenant.';
COMMENT ON COLUMN change_log.place IS 'The bank of memories, the agent of a change of presence, the conversation of a message.';

-- Writes the changes of a transaction to the log, and notifies the replicas of them once it is committed. Each change is an
-- object with the columns of the log. Without users and without everyone, nobody but the admins learns of it. A thing that is
-- given by its number in place, without names, is as the transaction leaves it. Nothing is done where nobody listens, except
-- that a worker learns that its task was cancelled.
CREATE FUNCTION announce(of_tenant bigint, changes jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    is_heard boolean := listened_to(of_tenant);
    payload  text;
BEGIN
    IF NOT is_heard AND NOT changes @> '[{"topic": "task-cancelled"}]' THEN
        RETURN;
    END IF;
    FOR payload IN
        WITH entry AS (
            SELECT *
              FROM ROWS FROM (jsonb_to_recordset(changes)
                              AS (topic text, action text, thing uuid, place bigint, other bigint, moment timestamptz,
                                  names text[], users bigint[], everyone boolean))
                   WITH ORDINALITY c (topic, action, thing, place, other, moment, names, users, everyone, i)
             WHERE is_heard OR topic = 'task-cancelled'),
        found AS (
            SELECT i, 0 AS part, topic, action, thing, place, other, moment, COALESCE(names, '{}') AS names,
                   CASE WHEN everyone IS NOT TRUE THEN COALESCE(users, '{}') END AS users
              FROM entry
             WHERE names IS NOT NULL OR topic NOT IN ('agent', 'domain', 'bank')
             UNION ALL
            SELECT e.i, 0, e.topic, NULL, NULL, NULL, NULL, NULL, ARRAY[a.name_key], concerned(a.access, a.owner_id)
              FROM entry e JOIN agent a ON a.tenant_id = of_tenant AND a.id = e.place
             WHERE e.topic = 'agent' AND e.names IS NULL
             UNION ALL
            SELECT e.i, 0, e.topic, NULL, NULL, NULL, NULL, NULL, ARRAY[d.name_key], concerned(d.access, d.owner_id)
              FROM entry e JOIN domain d ON d.tenant_id = of_tenant AND d.id = e.place
             WHERE e.topic = 'domain' AND e.names IS NULL
             UNION ALL
            SELECT e.i, 1, 'bank', NULL, NULL, NULL, NULL, NULL, ARRAY[b.name_key], concerned(b.access, b.owner_id)
              FROM (SELECT min(i) AS i, place FROM entry
                     WHERE topic = 'memories' OR (topic = 'bank' AND names IS NULL) GROUP BY place) e
              JOIN bank b ON b.tenant_id = of_tenant AND b.id = e.place
             UNION ALL
            -- A message changes its zone; between two parties it changes the agents, but only for those who take part.
            SELECT e.i, 1, 'zone', NULL, NULL, NULL, NULL, NULL, ARRAY[d.name_key, z.name_key],
                   taking_part(d.tenant_id, d.id, d.owner_id)
              FROM entry e
              JOIN zone z ON z.tenant_id = of_tenant AND z.stream_id = e.place
              JOIN domain d ON d.tenant_id = z.tenant_id AND d.id = z.domain_id
             WHERE e.topic = 'messages'
             UNION ALL
            SELECT e.i, 1, 'agent', NULL, NULL, NULL, NULL, NULL, ARRAY[a.name_key],
                   ARRAY(SELECT COALESCE(x.owner_id, p.id)
                           FROM unnest(ARRAY[st.low_id, st.high_id]) p (id)
                           LEFT JOIN agent x ON x.tenant_id = st.tenant_id AND x.id = p.id)
              FROM entry e
              JOIN stream st ON st.tenant_id = of_tenant AND st.id = e.place
              JOIN agent a ON a.tenant_id = of_tenant AND a.id IN (st.low_id, st.high_id) AND a.destroyed_at IS NULL
             WHERE e.topic = 'messages'),
        logged AS (
            INSERT INTO change_log (tenant_id, topic, action, thing, place, other, moment, names, users)
            SELECT of_tenant, topic, action, thing, place, other, moment, names, users
              FROM found
             WHERE is_heard
             ORDER BY i, part),
        -- Listeners look again at what they may see before they are told what changed.
        signal AS (
            SELECT topic, i, json_strip_nulls(json_build_object('k', topic, 'n', names, 'u', users))::text AS words
              FROM (SELECT topic, names, users, min(2 * i + part) AS i FROM found GROUP BY topic, names, users) s),
        numbered AS (
            SELECT words, row_number() OVER in_order AS i,
                   -- PostgreSQL takes less than 8,000 bytes at a time.
                   sum(octet_length(words) + 1) OVER in_order / 4000 AS portion
              FROM signal
            WINDOW in_order AS (ORDER BY topic <> 'access', i))
        SELECT '{"t":' || of_tenant || ',"c":[' || string_agg(words, ',' ORDER BY i) || ']}'
          FROM numbered
         GROUP BY portion
         ORDER BY portion
    LOOP
        PERFORM pg_notify('mcp', payload);
    END LOOP;
END $$;

-- Why each trigger that is left is one: it holds whatever writes.
COMMENT ON TRIGGER counted_added ON agent IS 'A plan limits agents, whatever creates them.';
COMMENT ON TRIGGER counted_ended ON agent IS 'A destroyed agent no longer counts for the plan.';
COMMENT ON TRIGGER counted_gone ON agent IS 'An agent that goes with its tenant no longer counts for the plan.';
COMMENT ON TRIGGER counted_added ON domain IS 'A plan limits domains, whatever creates them.';
COMMENT ON TRIGGER counted_gone ON domain IS 'A deleted domain no longer counts for the plan.';
COMMENT ON TRIGGER counted_added ON bank IS 'A plan limits banks, whatever creates them.';
COMMENT ON TRIGGER counted_gone ON bank IS 'A deleted bank no longer counts for the plan.';
COMMENT ON TRIGGER stored ON memory IS 'A plan limits memories, whatever stores them, and each gets vectors.';
COMMENT ON TRIGGER counted_gone ON memory IS 'A deleted memory no longer counts for the plan.';
COMMENT ON TRIGGER counted_added ON webhook_endpoint IS 'A plan limits webhook endpoints, whatever creates them.';
COMMENT ON TRIGGER counted_ended ON webhook_endpoint IS 'A deleted endpoint no longer counts for the plan, though its row stays for a while.';
COMMENT ON TRIGGER counted_gone ON webhook_endpoint IS 'An endpoint that goes with its tenant no longer counts for the plan.';
COMMENT ON TRIGGER counted_added ON document IS 'A plan limits documents, whatever hands them in.';
COMMENT ON TRIGGER counted_gone ON document IS 'A deleted document no longer counts for the plan.';
COMMENT ON TRIGGER tenant_plan_changed ON tenant IS 'Every replica forgets the limits of the former plan, whatever changes it.';
COMMENT ON TRIGGER tenant_has_feed ON tenant IS 'Each tenant has a feed, whatever creates it.';
COMMENT ON TRIGGER zz_owner_is_there ON agent IS 'Nothing belongs to a user who was removed at the same time.';
COMMENT ON TRIGGER zz_owner_is_there ON domain IS 'Nothing belongs to a user who was removed at the same time.';
COMMENT ON TRIGGER zz_owner_is_there ON bank IS 'Nothing belongs to a user who was removed at the same time.';
COMMENT ON TRIGGER zz_user_is_there ON api_key IS 'No key belongs to a user who was removed at the same time.';
COMMENT ON TRIGGER document_gone ON document IS 'The file of a document goes with it, whatever deletes it.';
COMMENT ON TRIGGER went ON stream IS 'The messages of a conversation go with it, whatever deletes it.';
COMMENT ON TRIGGER memory_replaced ON memory IS 'Each revision of a memory is kept, whatever replaces it, and the next one gets vectors.';
COMMENT ON TRIGGER changed ON memory IS 'The search reads each memory that changed, whatever changed it.';
COMMENT ON TRIGGER went ON memory IS 'The search forgets each memory that is gone, whatever deleted it.';
COMMENT ON TRIGGER superseder_changed ON memory IS 'The search reads memories again that a deleted or restored one supersedes.';
COMMENT ON TRIGGER vectors_drop ON memory_revision IS 'The vectors of a revision go with it, whatever deletes it.';
COMMENT ON TRIGGER api_key_added ON api_key IS 'Every replica forgets that a new key was unknown, whatever creates it.';
COMMENT ON TRIGGER api_key_changed ON api_key IS 'Every replica forgets a changed key within a second, whatever changes it.';
COMMENT ON TRIGGER app_user_changed ON app_user IS 'Every replica forgets what a changed user may do, whatever changes it.';
COMMENT ON TRIGGER browser_session_ended ON browser_session IS 'Every replica forgets a session that has ended, whatever ends it.';
COMMENT ON TRIGGER external_identity_ended ON external_identity IS 'Every replica forgets whose a changed identity is, whatever changes it.';
COMMENT ON TRIGGER rule_changed ON rule IS 'Every replica applies changed rules within a second, whatever changes them.';
