-- A superseded memory is hidden while readers see the superseding one. If that one is deleted, restored or gets other contributors,
-- the memories that it supersedes change for the search. So memory_gone lists them, too: no writer needs to lock them.
COMMENT ON TABLE memory_gone IS 'Memories that changed for the search without a change of their own row: deleted for good, or superseded by one that changed.';
CREATE INDEX memory_superseded ON memory (tenant_id, bank_id, superseded_by) WHERE superseded_by IS NOT NULL;

CREATE FUNCTION memory_superseder_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_gone (tenant_id, bank_id, memory_id)
    SELECT m.tenant_id, m.bank_id, m.id
      FROM memory m
     WHERE m.tenant_id = NEW.tenant_id AND m.bank_id = NEW.bank_id AND m.superseded_by = NEW.id
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER superseder_changed AFTER UPDATE OF deleted_at, contributors ON memory FOR EACH ROW
    WHEN (NEW.supersedes IS NOT NULL
          AND (NEW.deleted_at IS DISTINCT FROM OLD.deleted_at OR NEW.contributors <> OLD.contributors))
    EXECUTE FUNCTION memory_superseder_changed();

CREATE OR REPLACE FUNCTION memory_went() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM memory_vector v
     USING old_row
     WHERE v.tenant_id = old_row.tenant_id AND v.bank_id = old_row.bank_id AND v.memory_id = old_row.id;
    INSERT INTO memory_gone (tenant_id, bank_id, memory_id)
    SELECT old_row.tenant_id, old_row.bank_id, old_row.id
      FROM old_row JOIN bank b ON b.tenant_id = old_row.tenant_id AND b.id = old_row.bank_id
     UNION
    SELECT m.tenant_id, m.bank_id, m.id
      FROM old_row JOIN memory m
        ON m.tenant_id = old_row.tenant_id AND m.bank_id = old_row.bank_id AND m.superseded_by = old_row.id
     WHERE old_row.supersedes IS NOT NULL
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
