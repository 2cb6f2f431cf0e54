-- What upstream servers have besides tools: resources, templates of resources, and prompts.
CREATE TABLE upstream_content (
    tenant_id   bigint      NOT NULL,
    upstream    text        NOT NULL,
    kind        text        NOT NULL CHECK (kind IN ('resource', 'template', 'prompt')),
    item        text        NOT NULL,
    name        text        NOT NULL,
    definition  jsonb       NOT NULL,
    digest      text        NOT NULL,
    approved    jsonb,
    approved_digest text,
    approved_at timestamptz,
    state       text        NOT NULL CHECK (state IN ('approved', 'held', 'gone')),
    reason      text,
    PRIMARY KEY (tenant_id, upstream, kind, item),
    UNIQUE (tenant_id, name),
    FOREIGN KEY (tenant_id, upstream) REFERENCES upstream ON DELETE CASCADE
);
COMMENT ON TABLE upstream_content IS 'Resources, templates of resources and prompts of upstream servers. Only approved ones are listed and read.';
COMMENT ON COLUMN upstream_content.item IS 'The URI, template or name that the server gives it.';
COMMENT ON COLUMN upstream_content.name IS 'Its URI, template or name here.';
COMMENT ON COLUMN upstream_content.definition IS 'What the server said of it last.';
COMMENT ON COLUMN upstream_content.digest IS 'The SHA-256 of the definition.';
COMMENT ON COLUMN upstream_content.approved IS 'The definition that was approved; null if none was.';
COMMENT ON COLUMN upstream_content.reason IS 'Why it is held, in words for an admin.';

ALTER TABLE upstream_content ALTER COLUMN tenant_id SET (n_distinct = 3);
