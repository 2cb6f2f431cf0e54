-- The keys of names are compared byte by byte, in every database alike. So the names with one beginning are a range of an index, lists
-- have the same order everywhere, and an update of the system's locales cannot damage the indexes that keep names unique.
DO $$
DECLARE
    one record;
    triggers text[];
    trigger text;
    has_rows boolean;
BEGIN
    FOR one IN
        SELECT c.oid AS id, c.oid::regclass AS name
          FROM pg_class c
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'name_key' AND NOT a.attisdropped
         WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
         ORDER BY c.relname
    LOOP
        -- The type of a column cannot change while the condition of a trigger has it.
        SELECT array_agg(pg_get_triggerdef(t.oid)) INTO triggers
          FROM pg_trigger t
         WHERE t.tgrelid = one.id AND NOT t.tgisinternal AND pg_get_triggerdef(t.oid) LIKE '%name_key%';
        FOREACH trigger IN ARRAY COALESCE(triggers, '{}') LOOP
            EXECUTE format('DROP TRIGGER %s ON %s', substring(trigger FROM 'CREATE TRIGGER (\w+)'), one.name);
        END LOOP;
        EXECUTE format('ALTER TABLE %s ALTER COLUMN name_key TYPE text COLLATE "C"', one.name);
        FOREACH trigger IN ARRAY COALESCE(triggers, '{}') LOOP
            EXECUTE trigger;
        END LOOP;
        -- What was known about the column is gone with its former type.
        EXECUTE format('SELECT EXISTS (SELECT FROM %s)', one.name) INTO has_rows;
        IF has_rows THEN
            EXECUTE format('ANALYZE %s (name_key)', one.name);
        END IF;
    END LOOP;
END $$;
