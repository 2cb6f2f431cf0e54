-- What a call did besides what its target shows, such as what became of the memories of a deleted document.
ALTER TABLE audit ADD COLUMN details text;

-- Entries of a document are found by its name. This finds those of one version.
CREATE INDEX audit_version ON audit (tenant_id, target_id, at, row_id) WHERE target_kind = 'document';
COMMENT ON COLUMN audit.target_key IS 'What the target is found by: its id, else its name as names are compared; of a document its name.';
