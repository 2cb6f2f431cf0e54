ALTER TABLE task ADD COLUMN lease interval NOT NULL DEFAULT '30 minutes';
ALTER TABLE task ADD COLUMN reminded boolean NOT NULL DEFAULT false;
ALTER TABLE reservation ADD COLUMN lease interval NOT NULL DEFAULT '15 minutes';
ALTER TABLE reservation ADD COLUMN reminded boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN task.lease IS 'How long the lease of its last claim is: hooks of the holder renew it.';
COMMENT ON COLUMN task.reminded IS 'Whether the holder was told that this lease ends soon.';
COMMENT ON COLUMN reservation.lease IS 'How long the lease is: hooks of the holder renew it.';
COMMENT ON COLUMN reservation.reminded IS 'Whether the holder was told that this lease ends soon.';
