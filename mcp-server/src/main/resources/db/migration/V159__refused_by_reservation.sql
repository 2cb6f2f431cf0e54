ALTER TABLE reservation ADD COLUMN refused bigint[] NOT NULL DEFAULT '{}';

COMMENT ON COLUMN reservation.refused IS 'Whom it kept from an edit or from reserving: they are told directly when it ends, which wakes them.';
