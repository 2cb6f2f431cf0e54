-- Whether a call only showed what it would change. Null where it did change it.
ALTER TABLE audit ADD COLUMN dry_run boolean;
