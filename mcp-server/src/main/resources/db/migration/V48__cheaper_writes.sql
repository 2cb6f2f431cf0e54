-- Storing a memory writes into fewer indexes, and checks nothing that its transaction has just written.

-- Most memories have no name.
CREATE UNIQUE INDEX memory_named ON memory (tenant_id, bank_id, name_key) WHERE deleted_at IS NULL AND name_key IS NOT NULL;
DROP INDEX memory_name;
ALTER INDEX memory_named RENAME TO memory_name;

-- A row for vectors is only added in the transaction that stores its memory, and deleted in the one that deletes it.
ALTER TABLE memory_vector DROP CONSTRAINT memory_vector_tenant_id_bank_id_memory_id_fkey;
CREATE OR REPLACE FUNCTION memory_went() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM memory_vector v
     USING old_row
     WHERE v.tenant_id = old_row.tenant_id AND v.bank_id = old_row.bank_id AND v.memory_id = old_row.id;
    INSERT INTO memory_gone (tenant_id, bank_id, memory_id)
    SELECT old_row.tenant_id, old_row.bank_id, old_row.id
      FROM old_row JOIN bank b ON b.tenant_id = old_row.tenant_id AND b.id = old_row.bank_id;
    RETURN NULL;
END $$;
