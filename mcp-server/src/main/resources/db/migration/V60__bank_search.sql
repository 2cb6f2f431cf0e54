-- When a bank was last searched, to about an hour: a new replica builds the indexes of these banks before somebody waits for them.
CREATE TABLE bank_search (
    tenant_id bigint NOT NULL,
    bank_id bigint NOT NULL,
    searched_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, bank_id),
    FOREIGN KEY (tenant_id, bank_id) REFERENCES bank ON DELETE CASCADE
);

CREATE INDEX bank_search_at ON bank_search (searched_at);

ALTER TABLE bank_search ALTER COLUMN tenant_id SET (n_distinct = 3);
