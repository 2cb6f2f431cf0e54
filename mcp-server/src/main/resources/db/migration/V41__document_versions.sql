-- The last version number of each name, so that no number is given twice, also when the newest version was deleted.
CREATE TABLE document_version (
    tenant_id bigint NOT NULL,
    name_key  text   NOT NULL,
    last      bigint NOT NULL,
    PRIMARY KEY (tenant_id, name_key),
    FOREIGN KEY (tenant_id) REFERENCES tenant ON DELETE CASCADE
);
INSERT INTO document_version (tenant_id, name_key, last)
SELECT v.tenant_id, v.name_key, max(v.version)
  FROM (SELECT tenant_id, name_key, version FROM document
         UNION ALL
        SELECT tenant_id, name_key, version FROM document_memory) v
 GROUP BY v.tenant_id, v.name_key;
