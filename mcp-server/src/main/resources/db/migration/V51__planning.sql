-- PostgreSQL expects that each tenant has about as many rows as another. Among a thousand small tenants it therefore expects one row of
-- a tenant, and finds any index that begins with the tenant as good as the primary key: a call then read all users of a large
-- tenant, or all agents of an owner, to find one by its id. Now it expects a third of a table in each tenant, a hundredth of
-- the agents with each owner, and a hundredth of the memories in each bank. PlansTest checks the plans that follow from that.
ALTER TABLE agent ALTER COLUMN owner_id SET (n_distinct = 100);
ALTER TABLE memory ALTER COLUMN bank_id SET (n_distinct = 100);

DO $$
DECLARE
    one record;
    has_rows boolean;
BEGIN
    FOR one IN
        SELECT c.oid::regclass AS name
          FROM pg_class c
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
         WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN tenant_id SET (n_distinct = 3)', one.name);
        -- An empty table that was analyzed would be expected to stay empty.
        EXECUTE format('SELECT EXISTS (SELECT FROM %s)', one.name) INTO has_rows;
        IF has_rows THEN
            EXECUTE format('ANALYZE %s', one.name);
        END IF;
    END LOOP;
END $$;
