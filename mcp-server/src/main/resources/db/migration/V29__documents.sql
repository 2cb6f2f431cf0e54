-- Documents: their files in chunks, the queue of their validation, and their text.

-- A file that is arriving, or belongs to a document. Its chunks are stored as they arrive.
CREATE TABLE document_upload (
    tenant_id  bigint      NOT NULL,
    id         uuid        NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id) REFERENCES tenant ON DELETE CASCADE
);
CREATE INDEX document_upload_age ON document_upload (created_at);

CREATE TABLE document_chunk (
    tenant_id bigint NOT NULL,
    upload_id uuid   NOT NULL,
    n         int    NOT NULL,
    bytes     bytea  NOT NULL,
    PRIMARY KEY (tenant_id, upload_id, n),
    FOREIGN KEY (tenant_id, upload_id) REFERENCES document_upload ON DELETE CASCADE
);
ALTER TABLE document_chunk ALTER COLUMN bytes SET STORAGE EXTERNAL; -- Most files are compressed already.

-- One version of a document.
CREATE TABLE document (
    tenant_id     bigint      NOT NULL,
    id            uuid        NOT NULL,
    name          text        NOT NULL,
    name_key      text        NOT NULL,
    version       bigint      NOT NULL,
    upload_id     uuid        NOT NULL,
    declared_type text,
    media_type    text,
    size          bigint      NOT NULL,
    sha256        text        NOT NULL,
    owner_id      bigint      NOT NULL,
    state         text        NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'validating', 'accepted', 'rejected')),
    reasons       json        NOT NULL DEFAULT '[]',
    characters    bigint,
    created_at    timestamptz NOT NULL,
    validated_at  timestamptz,
    queued_at     timestamptz NOT NULL,
    attempts      int         NOT NULL DEFAULT 0,
    claim         uuid,
    lease_until   timestamptz,
    begun_at      timestamptz,
    took_ms       bigint,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id) REFERENCES tenant ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, upload_id) REFERENCES document_upload
);
COMMENT ON COLUMN document.claim IS 'Of the worker that validates it; only the newest may write what came of it.';
COMMENT ON COLUMN document.lease_until IS 'Until when its worker need not be heard of, by the clock of the database.';
CREATE UNIQUE INDEX document_name ON document (tenant_id, name_key, version);
CREATE INDEX document_newest ON document (tenant_id, created_at DESC, id DESC);
CREATE INDEX document_content ON document (tenant_id, sha256);
CREATE INDEX document_waiting ON document (queued_at) WHERE state IN ('queued', 'validating');
CREATE INDEX document_validated ON document (validated_at) WHERE validated_at IS NOT NULL;
CREATE INDEX document_upload_of ON document (tenant_id, upload_id);

-- The text of an accepted one: its blocks in JSON, in parts of about the same length.
CREATE TABLE document_part (
    tenant_id   bigint NOT NULL,
    document_id uuid   NOT NULL,
    n           int    NOT NULL,
    characters  bigint NOT NULL,
    blocks      text   NOT NULL,
    PRIMARY KEY (tenant_id, document_id, n),
    FOREIGN KEY (tenant_id, document_id) REFERENCES document ON DELETE CASCADE
);

CREATE TRIGGER counted_added AFTER INSERT ON document
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_added('documents');
CREATE TRIGGER counted_gone AFTER DELETE ON document
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_gone('documents');

-- The file goes with its document.
CREATE FUNCTION drop_document_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM document_upload WHERE tenant_id = OLD.tenant_id AND id = OLD.upload_id;
    RETURN NULL;
END $$;
CREATE TRIGGER document_gone AFTER DELETE ON document FOR EACH ROW EXECUTE FUNCTION drop_document_file();

CREATE FUNCTION tell_document_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    tenant bigint := COALESCE(NEW.tenant_id, OLD.tenant_id);
BEGIN
    PERFORM tell_changed(tenant, 'document', ARRAY[COALESCE(NEW.name_key, OLD.name_key)], NULL);
    PERFORM tell_changed(tenant, 'resources', '{}', NULL);
    RETURN NULL;
END $$;
CREATE TRIGGER document_changed AFTER INSERT OR DELETE ON document
    FOR EACH ROW EXECUTE FUNCTION tell_document_changed();
CREATE TRIGGER document_validated AFTER UPDATE OF state ON document
    FOR EACH ROW WHEN (NEW.state <> OLD.state AND NEW.state <> 'validating') EXECUTE FUNCTION tell_document_changed();

-- Which memories a document was loaded as, by its name: a bank has one version of it.
CREATE TABLE document_memory (
    tenant_id   bigint NOT NULL,
    bank_id     bigint NOT NULL,
    memory_id   uuid   NOT NULL,
    name_key    text   NOT NULL,
    document_id uuid   NOT NULL,
    version     bigint NOT NULL,
    n           bigint NOT NULL,
    digest      text   NOT NULL,
    PRIMARY KEY (tenant_id, bank_id, memory_id),
    FOREIGN KEY (tenant_id, bank_id, memory_id) REFERENCES memory ON DELETE CASCADE
);
COMMENT ON COLUMN document_memory.digest IS 'SHA-256 of the piece: what is the same in another version keeps its memory.';
CREATE INDEX document_memory_name ON document_memory (tenant_id, name_key, bank_id);
