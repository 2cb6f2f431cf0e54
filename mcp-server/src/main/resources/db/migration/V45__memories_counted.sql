-- A bank's memories are counted from the index alone, and listed in its order. Before, counting read each memory.
DROP INDEX memory_newest;

CREATE INDEX memory_newest ON memory (tenant_id, bank_id, created_at DESC, id DESC) INCLUDE (expires_at, superseded_by)
    WHERE deleted_at IS NULL;
