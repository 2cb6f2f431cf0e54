-- Storing finds nearly the same text by an index in the database. Before, each store brought the search index of its bank up to date.
ALTER TABLE memory ADD COLUMN sketch bigint[];
COMMENT ON COLUMN memory.sketch IS 'Texts that are nearly the same have one of these numbers in common. Empty for a text without words; null until it is made.';
CREATE INDEX memory_sketch ON memory USING gin (sketch) WITH (fastupdate = off) WHERE sketch <> '{}';
CREATE INDEX memory_unsketched ON memory (tenant_id) WHERE sketch IS NULL;

CREATE OR REPLACE FUNCTION memory_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.change := pg_current_xact_id();
    IF NEW.text <> OLD.text AND NEW.sketch IS NOT DISTINCT FROM OLD.sketch THEN
        NEW.sketch := NULL; -- It is made again.
    END IF;
    RETURN NEW;
END $$;

-- A sketch that is made later changes nothing that the search reads.
DROP TRIGGER changed ON memory;
CREATE TRIGGER changed BEFORE UPDATE ON memory FOR EACH ROW
    WHEN (NEW.revision <> OLD.revision OR NEW.sketch IS NOT DISTINCT FROM OLD.sketch) EXECUTE FUNCTION memory_changed();
COMMENT ON TRIGGER changed ON memory IS 'The search reads each memory that changed, whatever changed it.';
