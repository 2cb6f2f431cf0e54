-- The encoding that a document was sent with.
ALTER TABLE document ADD COLUMN declared_charset text;
