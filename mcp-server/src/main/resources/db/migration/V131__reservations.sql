-- Reservations: paths of a repository that an agent or a user works on for a while. They are advisory.
CREATE TABLE reservation (
    tenant_id   bigint      NOT NULL,
    id          uuid        NOT NULL,
    domain_id   bigint      NOT NULL,
    repository  text        NOT NULL,
    path        text        NOT NULL,
    holder_id   bigint      NOT NULL,
    reason      text,
    lease_until timestamptz NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, domain_id) REFERENCES domain ON DELETE CASCADE,
    UNIQUE (tenant_id, domain_id, holder_id, repository, path)
);
COMMENT ON TABLE reservation IS 'Paths of repositories that agents and users work on for a while. They are advisory.';
COMMENT ON COLUMN reservation.path IS 'A glob, relative to the repository.';
COMMENT ON COLUMN reservation.repository IS 'The name of the repository; empty if the domain has only one.';
CREATE INDEX reservation_age ON reservation (lease_until);
CREATE INDEX reservation_holder ON reservation (tenant_id, holder_id);
ALTER TABLE reservation ALTER COLUMN tenant_id SET (n_distinct = 3);
