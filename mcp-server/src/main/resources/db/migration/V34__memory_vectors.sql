-- The vectors of memories, by which those of like meaning are found. A row without vectors waits for them.
CREATE TABLE memory_vector (
    tenant_id   bigint      NOT NULL,
    bank_id     bigint      NOT NULL,
    memory_id   uuid        NOT NULL,
    revision    bigint      NOT NULL,
    model       text,
    vectors     bytea,
    change      xid8        NOT NULL DEFAULT pg_current_xact_id(),
    queued_at   timestamptz NOT NULL DEFAULT now(),
    lease_until timestamptz,
    attempts    integer     NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, bank_id, memory_id, revision),
    FOREIGN KEY (tenant_id, bank_id, memory_id) REFERENCES memory ON DELETE CASCADE
);
ALTER TABLE memory_vector ALTER COLUMN vectors SET STORAGE EXTERNAL;
COMMENT ON COLUMN memory_vector.vectors IS 'One for each part of the text: a scale and a byte for each dimension. Empty where none could be made.';
COMMENT ON COLUMN memory_vector.change IS 'The transaction that brought the vectors; see memory.change.';
CREATE INDEX memory_vector_waiting ON memory_vector (queued_at) WHERE vectors IS NULL;
CREATE INDEX memory_vector_change ON memory_vector (tenant_id, bank_id, change, memory_id) WHERE vectors IS NOT NULL;
CREATE INDEX memory_vector_model ON memory_vector (model) WHERE vectors IS NOT NULL;

CREATE FUNCTION await_vectors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_vector (tenant_id, bank_id, memory_id, revision)
    SELECT tenant_id, bank_id, id, revision FROM stored
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER vectors_await AFTER INSERT ON memory REFERENCING NEW TABLE AS stored
    FOR EACH STATEMENT EXECUTE FUNCTION await_vectors();

CREATE FUNCTION await_other_vectors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_vector (tenant_id, bank_id, memory_id, revision)
    VALUES (NEW.tenant_id, NEW.bank_id, NEW.id, NEW.revision)
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER vectors_await_other AFTER UPDATE OF revision ON memory FOR EACH ROW
    WHEN (NEW.revision <> OLD.revision) EXECUTE FUNCTION await_other_vectors();

CREATE FUNCTION drop_vectors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM memory_vector v
     USING gone g
     WHERE v.tenant_id = g.tenant_id AND v.bank_id = g.bank_id AND v.memory_id = g.memory_id AND v.revision = g.revision;
    RETURN NULL;
END $$;
CREATE TRIGGER vectors_drop AFTER DELETE ON memory_revision REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION drop_vectors();

INSERT INTO memory_vector (tenant_id, bank_id, memory_id, revision)
SELECT tenant_id, bank_id, id, revision FROM memory;
