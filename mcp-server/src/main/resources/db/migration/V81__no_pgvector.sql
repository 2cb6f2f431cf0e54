-- Searches by meaning compare the vectors themselves, in banks of any size. Nothing is kept in pgvector any longer. The extension itself
-- stays: others may use it.
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT memory_near_table(bank_id) AS name FROM memory_near LOOP
        EXECUTE format('DROP TRIGGER IF EXISTS %I ON memory_vector', one.name);
        EXECUTE format('DROP TRIGGER IF EXISTS %I ON memory_vector', one.name || '_gone');
        EXECUTE format('DROP TABLE IF EXISTS %I', one.name);
    END LOOP;
END $$;

DROP FUNCTION memory_nearest(bigint, bigint, text, bit varying, integer);
DROP FUNCTION memory_near_drop(bigint, bigint);
DROP FUNCTION memory_near_fill(bigint, bigint, text, integer, integer);
DROP FUNCTION memory_near_keep();
DROP FUNCTION memory_near_table(bigint);
DROP FUNCTION memory_signatures(bytea);
DROP TABLE memory_near;
