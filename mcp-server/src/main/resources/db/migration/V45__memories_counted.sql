-- A bank's memories are counted from the index alone, and listed in its order. Before, counting read each memory.
-- The new index is made first: dropping the old one locks out all readers until the end.
CREATE INDEX memory_listed ON memory (tenant_id, bank_id, created_at DESC, id DESC) INCLUDE (expires_at, superseded_by)
    WHERE deleted_at IS NULL;

DROP INDEX memory_newest;

ALTER INDEX memory_listed RENAME TO memory_newest;
