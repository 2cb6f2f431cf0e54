-- Besides its text a memory says where it comes from, what it takes the place of, and until when it holds.
ALTER TABLE memory
    ADD COLUMN editor_id     bigint,
    ADD COLUMN source        jsonb,
    ADD COLUMN supersedes    uuid,
    ADD COLUMN reason        text,
    ADD COLUMN superseded_by uuid,
    ADD COLUMN superseded_at timestamptz,
    ADD COLUMN expires_at    timestamptz,
    ADD COLUMN pinned        boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN memory.editor_id IS 'Who stored this revision, if that is not the author.';
COMMENT ON COLUMN memory.source IS 'The document that this revision comes from: kind, name, version, position. Without one it comes from its editor.';
COMMENT ON COLUMN memory.reason IS 'Why it supersedes the other one.';
COMMENT ON COLUMN memory.superseded_by IS 'Counts only while readers are shown that one: a false correction that is censored leaves no trace.';
CREATE INDEX memory_pinned ON memory (tenant_id, bank_id, created_at DESC, id) WHERE pinned AND deleted_at IS NULL;
CREATE INDEX memory_expiry ON memory (expires_at) WHERE expires_at IS NOT NULL;

-- The revisions before the newest one, which is in the table memory.
CREATE TABLE memory_revision (
    tenant_id    bigint      NOT NULL,
    bank_id      bigint      NOT NULL,
    memory_id    uuid        NOT NULL,
    revision     bigint      NOT NULL,
    name         text,
    name_key     text,
    text         text        NOT NULL,
    tags         text[]      NOT NULL,
    editor_id    bigint,
    contributors bigint[]    NOT NULL,
    derived_from uuid[]      NOT NULL,
    source       jsonb,
    supersedes   uuid,
    reason       text,
    expires_at   timestamptz,
    pinned       boolean     NOT NULL,
    stored_at    timestamptz NOT NULL,
    replaced_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, bank_id, memory_id, revision),
    FOREIGN KEY (tenant_id, bank_id, memory_id) REFERENCES memory ON DELETE CASCADE
);
CREATE INDEX memory_revision_name ON memory_revision (tenant_id, bank_id, name_key) WHERE name_key IS NOT NULL;
CREATE INDEX memory_revision_age ON memory_revision (replaced_at);

CREATE FUNCTION keep_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_revision (tenant_id, bank_id, memory_id, revision, name, name_key, text, tags, editor_id, contributors,
                                 derived_from, source, supersedes, reason, expires_at, pinned, stored_at, replaced_at)
    VALUES (OLD.tenant_id, OLD.bank_id, OLD.id, OLD.revision, OLD.name, OLD.name_key, OLD.text, OLD.tags, OLD.editor_id,
            OLD.contributors, OLD.derived_from, OLD.source, OLD.supersedes, OLD.reason, OLD.expires_at, OLD.pinned,
            OLD.updated_at, NEW.updated_at);
    RETURN NULL;
END $$;
CREATE TRIGGER memory_replaced AFTER UPDATE OF revision ON memory FOR EACH ROW
    WHEN (NEW.revision <> OLD.revision) EXECUTE FUNCTION keep_revision();
