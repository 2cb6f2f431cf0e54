-- Memory banks, their memories, and what the search needs of them.

CREATE TABLE bank (
    tenant_id   bigint      NOT NULL,
    id          bigint      NOT NULL DEFAULT nextval('entity_id'),
    name        text        NOT NULL,
    name_key    text        COLLATE "C" NOT NULL,
    description text,
    access      text        NOT NULL CHECK (access IN ('private', 'bank', 'domain', 'agent', 'public')),
    owner_id    bigint      NOT NULL,
    revision    bigint      NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    censored_at timestamptz,
    deleted_at  timestamptz,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, owner_id) REFERENCES app_user
);
COMMENT ON TABLE bank IS 'The memory banks.';
COMMENT ON COLUMN bank.access IS 'Who else may see it.';
COMMENT ON COLUMN bank.deleted_at IS 'Since when it is in the trash. It is purged after 30 days.';
CREATE INDEX bank_trash ON bank (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX bank_owner ON bank (tenant_id, owner_id);
CREATE UNIQUE INDEX bank_name ON bank (tenant_id, name_key) WHERE deleted_at IS NULL;

CREATE TABLE bank_grant (
    tenant_id  bigint NOT NULL,
    bank_id    bigint NOT NULL,
    agent_id   bigint NOT NULL,
    owner_id   bigint NOT NULL,
    permission text   NOT NULL CHECK (permission IN ('none', 'read', 'append', 'write', 'manage')),
    PRIMARY KEY (tenant_id, bank_id, agent_id),
    FOREIGN KEY (tenant_id, bank_id) REFERENCES bank ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON TABLE bank_grant IS 'The permission of an agent on a bank.';
COMMENT ON COLUMN bank_grant.owner_id IS 'The owner of the agent, who may use the bank through it.';
CREATE INDEX bank_grant_owner ON bank_grant (tenant_id, owner_id, bank_id);
CREATE INDEX bank_grant_agent ON bank_grant (tenant_id, agent_id);

CREATE TABLE bank_load (
    tenant_id bigint      NOT NULL,
    agent_id  bigint      NOT NULL,
    bank_id   bigint      NOT NULL,
    loaded_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, agent_id, bank_id),
    FOREIGN KEY (tenant_id, bank_id) REFERENCES bank ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agent ON DELETE CASCADE
);
COMMENT ON TABLE bank_load IS 'The banks that an agent has loaded as working memory.';

CREATE TABLE bank_censor (
    tenant_id bigint      NOT NULL,
    bank_id   bigint      NOT NULL,
    agent_id  bigint      NOT NULL,
    since     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, bank_id, agent_id),
    FOREIGN KEY (tenant_id, bank_id) REFERENCES bank ON DELETE CASCADE
);
COMMENT ON TABLE bank_censor IS 'The agents that are censored in a bank: what they contributed to is hidden.';

CREATE TABLE memory (
    tenant_id     bigint      NOT NULL,
    bank_id       bigint      NOT NULL,
    id            uuid        NOT NULL,
    name          text,
    name_key      text        COLLATE "C",
    text          text        NOT NULL,
    tags          text[]      NOT NULL,
    author_id     bigint      NOT NULL,
    contributors  bigint[]    NOT NULL,
    derived_from  uuid[]      NOT NULL,
    revision      bigint      NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    deleted_at    timestamptz,
    editor_id     bigint,
    source        jsonb,
    supersedes    uuid,
    reason        text,
    superseded_by uuid,
    superseded_at timestamptz,
    expires_at    timestamptz,
    pinned        boolean     NOT NULL DEFAULT false,
    change        xid8        NOT NULL,
    sketch        bigint[],
    PRIMARY KEY (tenant_id, bank_id, id),
    FOREIGN KEY (tenant_id, bank_id) REFERENCES bank ON DELETE CASCADE
);
ALTER TABLE memory ALTER COLUMN bank_id SET (n_distinct = 100);
COMMENT ON TABLE memory IS 'The memories, each in its newest revision.';
COMMENT ON COLUMN memory.contributors IS 'Who wrote a part of it: its author, its editors, and those of what it was derived from. Censoring one of them hides it.';
COMMENT ON COLUMN memory.editor_id IS 'Who stored this revision, if that is not the author.';
COMMENT ON COLUMN memory.source IS 'The document that this revision comes from: kind, name, version, position. Null if it comes from its editor.';
COMMENT ON COLUMN memory.reason IS 'Why it supersedes the other one.';
COMMENT ON COLUMN memory.superseded_by IS 'It is hidden only from readers who see that one, so a false correction that is censored leaves no trace.';
COMMENT ON COLUMN memory.change IS 'The transaction that last changed it: the search reads what changed since its last transaction.';
COMMENT ON COLUMN memory.sketch IS 'Texts that are nearly the same have one of these numbers in common. Numbers that ten memories of the bank have are left out, so it may be empty; null until it is made.';
CREATE INDEX memory_author ON memory (tenant_id, bank_id, author_id);
CREATE INDEX memory_trash ON memory (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX memory_pinned ON memory (tenant_id, bank_id, created_at DESC, id) WHERE pinned AND deleted_at IS NULL;
CREATE INDEX memory_expiry ON memory (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX memory_change ON memory (tenant_id, bank_id, change, id);
CREATE INDEX memory_newest ON memory (tenant_id, bank_id, created_at DESC, id DESC) INCLUDE (expires_at, superseded_by) WHERE deleted_at IS NULL;
-- Most memories have no name.
CREATE UNIQUE INDEX memory_name ON memory (tenant_id, bank_id, name_key) WHERE deleted_at IS NULL AND name_key IS NOT NULL;
-- Its list of new entries, in kB, is short: whatever stores a memory reads it.
CREATE INDEX memory_sketch ON memory USING gin (sketch) WITH (gin_pending_list_limit = 64)
    WHERE sketch <> '{}' AND deleted_at IS NULL AND superseded_by IS NULL;
CREATE INDEX memory_unsketched ON memory (tenant_id) WHERE sketch IS NULL;
CREATE INDEX memory_superseded ON memory (tenant_id, bank_id, superseded_by) WHERE superseded_by IS NOT NULL;

-- Stores the revision that an update replaces.
CREATE FUNCTION keep_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_revision (tenant_id, bank_id, memory_id, revision, name, name_key, text, tags, editor_id, contributors,
                                 derived_from, source, supersedes, reason, expires_at, pinned, stored_at, replaced_at)
    VALUES (OLD.tenant_id, OLD.bank_id, OLD.id, OLD.revision, OLD.name, OLD.name_key, OLD.text, OLD.tags, OLD.editor_id,
            OLD.contributors, OLD.derived_from, OLD.source, OLD.supersedes, OLD.reason, OLD.expires_at, OLD.pinned,
            OLD.updated_at, NEW.updated_at);
    INSERT INTO memory_vector (tenant_id, bank_id, memory_id, revision)
    VALUES (NEW.tenant_id, NEW.bank_id, NEW.id, NEW.revision)
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER memory_replaced AFTER UPDATE OF revision ON memory FOR EACH ROW WHEN (NEW.revision <> OLD.revision) EXECUTE FUNCTION keep_revision();
COMMENT ON TRIGGER memory_replaced ON memory IS 'Each revision of a memory is kept, whatever replaces it, and the next one gets vectors.';

-- Notes the transaction that changed a memory. A reader that has read everything before the oldest transaction of that time,
-- and what it saw of later ones, has missed nothing.
CREATE FUNCTION memory_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.change := pg_current_xact_id();
    IF NEW.text <> OLD.text AND NEW.sketch IS NOT DISTINCT FROM OLD.sketch THEN
        NEW.sketch := NULL; -- It is made again.
    END IF;
    RETURN NEW;
END $$;
-- A sketch that is made later changes nothing that the search reads.
CREATE TRIGGER changed BEFORE UPDATE ON memory FOR EACH ROW
    WHEN (NEW.revision <> OLD.revision OR NEW.sketch IS NOT DISTINCT FROM OLD.sketch) EXECUTE FUNCTION memory_changed();
COMMENT ON TRIGGER changed ON memory IS 'The search reads each memory that changed, whatever changed it.';

-- On a cluster only a trigger runs on the server that has the row; a default would be the number of a transaction elsewhere.
CREATE FUNCTION set_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' OR NEW.change IS NULL THEN -- A backup brings its own.
        NEW.change := pg_current_xact_id();
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER added BEFORE INSERT ON memory FOR EACH ROW EXECUTE FUNCTION set_change();
COMMENT ON TRIGGER added ON memory IS 'The search reads each memory that is new, whatever stored it.';

-- Lists memories that were deleted for good, and those that they superseded, for the search.
CREATE FUNCTION memory_went() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM memory_vector v WHERE v.tenant_id = OLD.tenant_id AND v.bank_id = OLD.bank_id AND v.memory_id = OLD.id;
    INSERT INTO memory_gone (tenant_id, bank_id, memory_id)
    SELECT b.tenant_id, b.id, OLD.id FROM bank b WHERE b.tenant_id = OLD.tenant_id AND b.id = OLD.bank_id
    ON CONFLICT DO NOTHING;
    IF OLD.supersedes IS NOT NULL THEN
        INSERT INTO memory_gone (tenant_id, bank_id, memory_id)
        SELECT m.tenant_id, m.bank_id, m.id
          FROM memory m
         WHERE m.tenant_id = OLD.tenant_id AND m.bank_id = OLD.bank_id AND m.superseded_by = OLD.id
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER went AFTER DELETE ON memory FOR EACH ROW EXECUTE FUNCTION memory_went();
COMMENT ON TRIGGER went ON memory IS 'The search forgets each memory that is gone, whatever deleted it.';

-- Has a memory that is stored wait for its vectors.
CREATE FUNCTION memory_stored() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_vector (tenant_id, bank_id, memory_id, revision)
    VALUES (NEW.tenant_id, NEW.bank_id, NEW.id, NEW.revision)
        ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER stored AFTER INSERT ON memory FOR EACH ROW EXECUTE FUNCTION memory_stored();
COMMENT ON TRIGGER stored ON memory IS 'Each memory gets vectors, whatever stores it.';

-- Lists the memories that a deleted, restored or differently contributed memory supersedes, for the search.
CREATE FUNCTION memory_superseder_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_gone (tenant_id, bank_id, memory_id)
    SELECT m.tenant_id, m.bank_id, m.id
      FROM memory m
     WHERE m.tenant_id = NEW.tenant_id AND m.bank_id = NEW.bank_id AND m.superseded_by = NEW.id
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE TRIGGER superseder_changed AFTER UPDATE OF deleted_at, contributors ON memory
    FOR EACH ROW
    WHEN (NEW.supersedes IS NOT NULL AND (NEW.deleted_at IS DISTINCT FROM OLD.deleted_at OR NEW.contributors <> OLD.contributors))
    EXECUTE FUNCTION memory_superseder_changed();
COMMENT ON TRIGGER superseder_changed ON memory IS 'The search reads memories again that a deleted or restored one supersedes.';

CREATE TABLE memory_revision (
    tenant_id    bigint      NOT NULL,
    bank_id      bigint      NOT NULL,
    memory_id    uuid        NOT NULL,
    revision     bigint      NOT NULL,
    name         text,
    name_key     text        COLLATE "C",
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
COMMENT ON TABLE memory_revision IS 'The former revisions of memories.';
CREATE INDEX memory_revision_age ON memory_revision (replaced_at);
CREATE INDEX memory_revision_name ON memory_revision (tenant_id, bank_id, name_key) WHERE name_key IS NOT NULL;

CREATE TABLE memory_use (
    tenant_id bigint      NOT NULL,
    bank_id   bigint      NOT NULL,
    memory_id uuid        NOT NULL,
    finder_id bigint      NOT NULL,
    times     bigint      NOT NULL,
    last_at   timestamptz NOT NULL,
    revision  bigint      NOT NULL,
    PRIMARY KEY (tenant_id, bank_id, memory_id, finder_id),
    FOREIGN KEY (tenant_id, bank_id, memory_id) REFERENCES memory ON DELETE CASCADE
) WITH (fillfactor = 80);
COMMENT ON TABLE memory_use IS 'Who found each memory with a search, how often and when last: the ten latest finders, and 0 for all others. A row of 0 times says when an import brought the memory.';
COMMENT ON COLUMN memory_use.revision IS 'The latest revision that was found. A later one is a correction of what the finder got.';

-- Deletes the vectors of a revision with it.
CREATE FUNCTION drop_vectors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM memory_vector v
     WHERE v.tenant_id = OLD.tenant_id AND v.bank_id = OLD.bank_id AND v.memory_id = OLD.memory_id AND v.revision = OLD.revision;
    RETURN NULL;
END $$;
CREATE TRIGGER vectors_drop AFTER DELETE ON memory_revision FOR EACH ROW EXECUTE FUNCTION drop_vectors();
COMMENT ON TRIGGER vectors_drop ON memory_revision IS 'The vectors of a revision go with it, whatever deletes it.';

CREATE TABLE memory_vector (
    tenant_id   bigint      NOT NULL,
    bank_id     bigint      NOT NULL,
    memory_id   uuid        NOT NULL,
    revision    bigint      NOT NULL,
    model       text,
    vectors     bytea,
    change      xid8        NOT NULL,
    queued_at   timestamptz NOT NULL DEFAULT now(),
    lease_until timestamptz,
    attempts    integer     NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, bank_id, memory_id, revision)
);
ALTER TABLE memory_vector ALTER COLUMN vectors SET STORAGE EXTERNAL;
COMMENT ON TABLE memory_vector IS 'The vectors by which memories of similar meaning are found. A row without vectors waits for them.';
COMMENT ON COLUMN memory_vector.vectors IS 'One for each part of the text: a scale and a byte for each dimension. Empty where none could be computed.';
COMMENT ON COLUMN memory_vector.change IS 'The transaction that stored the vectors, as in memory.change.';
CREATE TRIGGER changed BEFORE INSERT OR UPDATE OF vectors ON memory_vector FOR EACH ROW EXECUTE FUNCTION set_change();
COMMENT ON TRIGGER changed ON memory_vector IS 'The search reads vectors that are new, whatever stored them.';
CREATE INDEX memory_vector_change ON memory_vector (tenant_id, bank_id, change, memory_id) WHERE vectors IS NOT NULL;
CREATE INDEX memory_vector_model ON memory_vector (model) WHERE vectors IS NOT NULL;
CREATE INDEX memory_vector_waiting ON memory_vector (tenant_id, queued_at) WHERE vectors IS NULL;

CREATE TABLE memory_gone (
    tenant_id bigint      NOT NULL,
    bank_id   bigint      NOT NULL,
    change    xid8        NOT NULL,
    memory_id uuid        NOT NULL,
    gone_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, bank_id, change, memory_id)
);
COMMENT ON TABLE memory_gone IS 'Memories that changed for the search without a change of their own row: deleted for good, or superseded by one that changed.';
CREATE TRIGGER added BEFORE INSERT ON memory_gone FOR EACH ROW EXECUTE FUNCTION set_change();
COMMENT ON TRIGGER added ON memory_gone IS 'The search reads each memory that is gone, whatever listed it.';
CREATE INDEX memory_gone_age ON memory_gone (gone_at);

CREATE TABLE bank_search (
    tenant_id   bigint      NOT NULL,
    bank_id     bigint      NOT NULL,
    searched_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, bank_id),
    FOREIGN KEY (tenant_id, bank_id) REFERENCES bank ON DELETE CASCADE
);
COMMENT ON TABLE bank_search IS 'When each bank was last searched, to about an hour: a new replica builds the indexes of these banks in advance.';
CREATE INDEX bank_search_at ON bank_search (searched_at);
