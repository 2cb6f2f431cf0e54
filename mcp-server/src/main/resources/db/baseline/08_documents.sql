-- Documents: their files, the queue of their validation, their text, and the memories made of it.

CREATE TABLE document_upload (
    tenant_id  bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    id         uuid        NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
COMMENT ON TABLE document_upload IS 'A file that is arriving, or belongs to a document.';
CREATE INDEX document_upload_age ON document_upload (created_at);

CREATE TABLE document_chunk (
    tenant_id bigint  NOT NULL,
    upload_id uuid    NOT NULL,
    n         integer NOT NULL,
    bytes     bytea   NOT NULL,
    PRIMARY KEY (tenant_id, upload_id, n),
    FOREIGN KEY (tenant_id, upload_id) REFERENCES document_upload ON DELETE CASCADE
);
ALTER TABLE document_chunk ALTER COLUMN bytes SET STORAGE EXTERNAL;
COMMENT ON TABLE document_chunk IS 'The bytes of a file, stored as they arrive.';

CREATE TABLE document (
    tenant_id        bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    id               uuid        NOT NULL,
    name             text        NOT NULL,
    name_key         text        COLLATE "C" NOT NULL,
    version          bigint      NOT NULL,
    upload_id        uuid        NOT NULL,
    declared_type    text,
    media_type       text,
    size             bigint      NOT NULL,
    sha256           text        NOT NULL,
    owner_id         bigint      NOT NULL,
    state            text        NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'validating', 'accepted', 'rejected')),
    reasons          json        NOT NULL DEFAULT '[]',
    characters       bigint,
    created_at       timestamptz NOT NULL,
    validated_at     timestamptz,
    queued_at        timestamptz NOT NULL,
    attempts         integer     NOT NULL DEFAULT 0,
    claim            uuid,
    lease_until      timestamptz,
    begun_at         timestamptz,
    took_ms          bigint,
    declared_charset text,
    comments         boolean     NOT NULL DEFAULT false,
    turns            bigint,
    origin           text        COLLATE "C",
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, upload_id) REFERENCES document_upload
);
COMMENT ON TABLE document IS 'The versions of documents, and the queue in which they are validated.';
COMMENT ON COLUMN document.reasons IS 'Why it was rejected.';
COMMENT ON COLUMN document.characters IS 'The length of its text.';
COMMENT ON COLUMN document.claim IS 'Identifies the worker that validates it. Only the newest one may store a result.';
COMMENT ON COLUMN document.lease_until IS 'Until then the worker need not report, by the clock of the database.';
COMMENT ON COLUMN document.begun_at IS 'When its validation last began: tenants take turns by it.';
COMMENT ON COLUMN document.comments IS 'Whether comments are part of its text.';
COMMENT ON COLUMN document.turns IS 'How many turns it has, if it is a conversation.';
COMMENT ON COLUMN document.origin IS 'What it is elsewhere: another name with the same origin is the same document. Null if nobody said.';
COMMENT ON COLUMN document.declared_charset IS 'The encoding that it was sent with.';
CREATE INDEX document_newest ON document (tenant_id, created_at DESC, id DESC);
CREATE INDEX document_origin ON document (tenant_id, origin) WHERE origin IS NOT NULL;
CREATE INDEX document_content ON document (tenant_id, sha256);
CREATE INDEX document_waiting ON document (queued_at) WHERE state IN ('queued', 'validating');
CREATE INDEX document_validated ON document (validated_at) WHERE validated_at IS NOT NULL;
CREATE INDEX document_upload_of ON document (tenant_id, upload_id);
CREATE INDEX document_begun ON document (tenant_id, begun_at);
CREATE UNIQUE INDEX document_name ON document (tenant_id, name_key, version);

-- Deletes the file of a document with it.
CREATE FUNCTION drop_document_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM document_upload WHERE tenant_id = OLD.tenant_id AND id = OLD.upload_id;
    RETURN NULL;
END $$;
CREATE TRIGGER document_gone AFTER DELETE ON document FOR EACH ROW EXECUTE FUNCTION drop_document_file();
COMMENT ON TRIGGER document_gone ON document IS 'The file of a document goes with it, whatever deletes it.';

CREATE TABLE document_part (
    tenant_id   bigint  NOT NULL,
    document_id uuid    NOT NULL,
    n           integer NOT NULL,
    characters  bigint  NOT NULL,
    blocks      text    NOT NULL,
    PRIMARY KEY (tenant_id, document_id, n),
    FOREIGN KEY (tenant_id, document_id) REFERENCES document ON DELETE CASCADE
);
COMMENT ON TABLE document_part IS 'The text of an accepted document, in parts of about the same length.';
COMMENT ON COLUMN document_part.blocks IS 'Its headings, paragraphs and tables, in JSON.';

CREATE TABLE document_version (
    tenant_id bigint NOT NULL REFERENCES tenant ON DELETE CASCADE,
    name_key  text   COLLATE "C" NOT NULL,
    last      bigint NOT NULL,
    PRIMARY KEY (tenant_id, name_key)
);
COMMENT ON TABLE document_version IS 'The last version number of each name. No number is used twice, even when its version was deleted.';

CREATE TABLE document_memory (
    tenant_id   bigint NOT NULL,
    bank_id     bigint NOT NULL,
    memory_id   uuid   NOT NULL,
    name_key    text   COLLATE "C" NOT NULL,
    document_id uuid   NOT NULL,
    version     bigint NOT NULL,
    n           bigint NOT NULL,
    digest      text   NOT NULL,
    PRIMARY KEY (tenant_id, bank_id, memory_id),
    FOREIGN KEY (tenant_id, bank_id, memory_id) REFERENCES memory ON DELETE CASCADE
);
COMMENT ON TABLE document_memory IS 'Which memories a document was loaded as. A bank has one version of it.';
COMMENT ON COLUMN document_memory.n IS 'The position of the piece in the document.';
COMMENT ON COLUMN document_memory.digest IS 'The SHA-256 of the piece. A piece that is the same in another version keeps its memory.';
CREATE INDEX document_memory_document ON document_memory (tenant_id, document_id);
CREATE INDEX document_memory_name ON document_memory (tenant_id, name_key, bank_id, n);
