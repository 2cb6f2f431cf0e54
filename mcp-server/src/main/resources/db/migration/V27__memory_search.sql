-- Search: each replica keeps an index of each bank that is searched, and brings it up to date from what has changed.

-- The transaction that changed a memory last. Whoever has read everything before the oldest transaction that was running
-- then, and what he saw of those after it, has missed nothing.
ALTER TABLE memory ADD COLUMN change xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX memory_change ON memory (tenant_id, bank_id, change, id);

CREATE FUNCTION memory_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.change := pg_current_xact_id();
    RETURN NEW;
END $$;
CREATE TRIGGER changed BEFORE UPDATE ON memory FOR EACH ROW EXECUTE FUNCTION memory_changed();

-- What was deleted for good from a bank that is still there.
CREATE TABLE memory_gone (
    tenant_id bigint      NOT NULL,
    bank_id   bigint      NOT NULL,
    change    xid8        NOT NULL DEFAULT pg_current_xact_id(),
    memory_id uuid        NOT NULL,
    gone_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, bank_id, change, memory_id)
);
CREATE INDEX memory_gone_age ON memory_gone (gone_at);

CREATE FUNCTION memory_went() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_gone (tenant_id, bank_id, memory_id)
    SELECT old_row.tenant_id, old_row.bank_id, old_row.id
      FROM old_row JOIN bank b ON b.tenant_id = old_row.tenant_id AND b.id = old_row.bank_id;
    RETURN NULL;
END $$;
CREATE TRIGGER went AFTER DELETE ON memory REFERENCING OLD TABLE AS old_row
    FOR EACH STATEMENT EXECUTE FUNCTION memory_went();
