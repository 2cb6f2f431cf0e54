-- Why each trigger is one.
COMMENT ON TABLE mcp_interest IS 'In which tenants a replica has listeners. Elsewhere nothing is announced.';
COMMENT ON TABLE live_event IS 'What open consoles are sent: changes in tenants with listeners, for some minutes.';
COMMENT ON TABLE memory_near IS 'The banks that have a table of signatures of their own, for pgvector.';
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT t.tgname AS name, t.tgrelid::regclass AS place FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace
    LOOP
        EXECUTE format('COMMENT ON TRIGGER %I ON %s IS ''Announces the change.''', one.name, one.place);
    END LOOP;
END $$;
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
