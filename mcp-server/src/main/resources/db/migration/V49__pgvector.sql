-- Where the database has pgvector, a large bank gets a table of its own with the signatures of its vectors, and an HNSW index over
-- them. The extension is not required: what needs it is only created for the first such bank. See docs/decisions/memory-search.md.

-- The banks that have such a table.
CREATE TABLE memory_near (
    tenant_id  bigint      NOT NULL,
    bank_id    bigint      NOT NULL,
    model      text        NOT NULL,
    dimensions integer     NOT NULL,
    filled_to  uuid        NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    ready_at   timestamptz,
    PRIMARY KEY (tenant_id, bank_id)
);
COMMENT ON COLUMN memory_near.filled_to IS 'The last memory that was copied; triggers add what is stored from the beginning on.';
COMMENT ON COLUMN memory_near.ready_at IS 'When every vector of the bank was in the table. Before, it is not searched.';

-- The sign of each dimension, for each part of a text; memory_vector.vectors says how they are kept.
CREATE FUNCTION memory_signatures(vectors bytea) RETURNS TABLE (part integer, signature bit varying) LANGUAGE sql IMMUTABLE AS $$
    SELECT p.part, CAST(string_agg(CASE WHEN get_byte(v.bytes, 6 + p.part * (4 + d.dimensions) + i) BETWEEN 1 AND 127 THEN '1' ELSE '0' END,
                                   '' ORDER BY i) AS bit varying)
      FROM (SELECT vectors || '' AS bytes OFFSET 0) v -- In memory: out of line, each byte would be looked up.
     CROSS JOIN LATERAL (SELECT 256 * get_byte(v.bytes, 0) + get_byte(v.bytes, 1) AS dimensions OFFSET 0) d
     CROSS JOIN LATERAL generate_series(0, (length(v.bytes) - 2) / (4 + d.dimensions) - 1) p (part)
     CROSS JOIN LATERAL generate_series(0, d.dimensions - 1) i
     WHERE length(vectors) > 2
     GROUP BY p.part
$$;

CREATE FUNCTION memory_near_table(bank bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT CONCAT('memory_near_', bank) $$;

-- Keeps the table of a bank as the vectors are. Its arguments are the bank and the number of dimensions.
CREATE FUNCTION memory_near_keep() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    name text := memory_near_table(CAST(TG_ARGV[0] AS bigint));
BEGIN
    IF TG_OP = 'DELETE' THEN
        EXECUTE format('DELETE FROM %I WHERE memory_id = $1 AND revision = $2', name) USING OLD.memory_id, OLD.revision;
    ELSE
        EXECUTE format('DELETE FROM %I WHERE memory_id = $1 AND revision < $2', name) USING NEW.memory_id, NEW.revision;
        EXECUTE format('INSERT INTO %1$I AS n
                        SELECT $1, s.part, $2, s.signature FROM memory_signatures($3) s WHERE length(s.signature) = $4
                            ON CONFLICT (memory_id, part) DO UPDATE
                           SET revision = EXCLUDED.revision, signature = EXCLUDED.signature
                         WHERE n.revision <= EXCLUDED.revision', name)
          USING NEW.memory_id, NEW.revision, NEW.vectors, CAST(TG_ARGV[1] AS integer);
    END IF;
    RETURN NULL;
END $$;

-- Creates the table of a bank, or copies some more vectors into it. Returns 'ready' when all are copied, 'filling' when more are
-- left, 'busy' when it must be tried again later, and otherwise why it is not possible here. One transaction at a time may call it.
-- A portion ends with the memory that has the last of so many parts. Nobody may wait long behind it for the lock on memory_vector.
CREATE FUNCTION memory_near_fill(of_tenant bigint, of_bank bigint, of_model text, of_dimensions integer, most integer)
    RETURNS text LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
DECLARE
    name    text := memory_near_table(of_bank);
    near    memory_near;
    reached uuid;
BEGIN
    SELECT * INTO near FROM memory_near n WHERE n.tenant_id = of_tenant AND n.bank_id = of_bank;
    IF NOT FOUND THEN
        BEGIN
            CREATE EXTENSION IF NOT EXISTS vector;
            EXECUTE format('CREATE TABLE %I (memory_id uuid, part integer, revision bigint NOT NULL, signature bit(%s) NOT NULL,
                            PRIMARY KEY (memory_id, part))', name, of_dimensions);
            EXECUTE format('CREATE INDEX %I ON %I USING hnsw (signature bit_hamming_ops)', name || '_signature', name);
            -- This waits for those that are writing vectors, so none is missed that is not copied either.
            EXECUTE format('CREATE TRIGGER %I AFTER INSERT OR UPDATE OF vectors ON memory_vector FOR EACH ROW
                              WHEN (NEW.bank_id = %s AND NEW.tenant_id = %s AND NEW.model = %L AND NEW.vectors IS NOT NULL)
                            EXECUTE FUNCTION memory_near_keep(%s, %s)', name, of_bank, of_tenant, of_model, of_bank, of_dimensions);
            -- Not for each row of a bank that is destroyed: its table is dropped soon.
            EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON memory_vector FOR EACH ROW
                              WHEN (OLD.bank_id = %s AND OLD.tenant_id = %s
                                    AND current_setting(''engine.destroyed_bank'', true) IS DISTINCT FROM ''%s'')
                            EXECUTE FUNCTION memory_near_keep(%s)', name || '_gone', of_bank, of_tenant, of_bank, of_bank);
        EXCEPTION
            WHEN lock_not_available OR deadlock_detected THEN
                RETURN 'busy';
            WHEN OTHERS THEN
                RETURN SQLERRM;
        END;
        INSERT INTO memory_near (tenant_id, bank_id, model, dimensions) VALUES (of_tenant, of_bank, of_model, of_dimensions);
        RETURN 'filling'; -- Committed now, so that nobody waits for the lock on memory_vector.
    ELSIF near.model <> of_model OR near.dimensions <> of_dimensions THEN
        RETURN 'busy'; -- Until a replica has dropped what is obsolete.
    ELSIF near.ready_at IS NOT NULL THEN
        RETURN 'ready';
    END IF;
    EXECUTE format('WITH following AS (
                        SELECT DISTINCT ON (v.memory_id) v.memory_id, v.revision, v.vectors
                          FROM memory_vector v
                         WHERE v.tenant_id = $1 AND v.bank_id = $2 AND v.memory_id > $3 AND v.model = $4 AND v.vectors IS NOT NULL
                         ORDER BY v.memory_id, v.revision DESC
                         LIMIT $6),
                    added_up AS (
                        SELECT s.*, sum(length(s.vectors)) OVER (ORDER BY s.memory_id) - length(s.vectors) AS bytes_before
                          FROM following s),
                    next_ones AS (
                        SELECT a.memory_id, a.revision, a.vectors FROM added_up a WHERE a.bytes_before < $6 * (4 + $5)),
                    copied AS (
                        INSERT INTO %I
                        SELECT o.memory_id, s.part, o.revision, s.signature
                          FROM next_ones o CROSS JOIN LATERAL memory_signatures(o.vectors) s
                         WHERE length(s.signature) = $5
                            ON CONFLICT DO NOTHING)
                    SELECT o.memory_id FROM next_ones o ORDER BY o.memory_id DESC LIMIT 1', name)
       INTO reached USING of_tenant, of_bank, near.filled_to, of_model, of_dimensions, most;
    UPDATE memory_near n
       SET filled_to = COALESCE(reached, n.filled_to), ready_at = CASE WHEN reached IS NULL THEN now() END
     WHERE n.tenant_id = of_tenant AND n.bank_id = of_bank;
    RETURN CASE WHEN reached IS NULL THEN 'ready' ELSE 'filling' END;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    RETURN 'busy'; -- Somebody is storing the same vector.
END $$;

-- Returns whether it was possible without waiting long for others.
CREATE FUNCTION memory_near_drop(of_tenant bigint, of_bank bigint) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
DECLARE
    name text := memory_near_table(of_bank);
BEGIN
    EXECUTE format('DROP TRIGGER IF EXISTS %I ON memory_vector', name);
    EXECUTE format('DROP TRIGGER IF EXISTS %I ON memory_vector', name || '_gone');
    EXECUTE format('DROP TABLE IF EXISTS %I', name);
    DELETE FROM memory_near n WHERE n.tenant_id = of_tenant AND n.bank_id = of_bank;
    RETURN true;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    RETURN false;
END $$;

-- The memories of a bank with the nearest signatures, about the nearest first; none if its table is not ready. A memory may come
-- several times, and may be deleted or hidden.
CREATE FUNCTION memory_nearest(of_tenant bigint, of_bank bigint, of_model text, wanted bit varying, most integer)
    RETURNS TABLE (memory_id uuid) LANGUAGE plpgsql SET enable_seqscan = off SET enable_sort = off AS $$
BEGIN
    IF EXISTS (SELECT FROM memory_near n
                WHERE n.tenant_id = of_tenant AND n.bank_id = of_bank AND n.model = of_model AND n.dimensions = length(wanted)
                  AND n.ready_at IS NOT NULL) THEN
        PERFORM set_config('hnsw.ef_search', CAST(most AS text), true);
        RETURN QUERY EXECUTE format('SELECT n.memory_id FROM %I n ORDER BY n.signature <~> $1 LIMIT $2', memory_near_table(of_bank))
          USING wanted, most;
    END IF;
END $$;
