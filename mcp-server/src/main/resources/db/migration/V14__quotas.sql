-- Plans and what is counted for them. Whatever creates or ends a thing writes the difference in the same statement, as a row
-- of its own, so that nobody waits for anybody; the rows are added up in the background.

-- What the enum Plan says; written at every start. A plan that limits nothing has no row.
CREATE TABLE plan_limit (
    plan  text   NOT NULL,
    scope text   NOT NULL,
    most  bigint NOT NULL,
    PRIMARY KEY (plan, scope)
);

CREATE TABLE usage (
    tenant_id bigint NOT NULL,
    scope     text   NOT NULL,
    day       date   NOT NULL,
    count     bigint NOT NULL,
    PRIMARY KEY (tenant_id, scope, day)
);
COMMENT ON COLUMN usage.day IS 'The UTC day of what is counted by the day; -infinity for what there is.';
CREATE INDEX usage_age ON usage (day) WHERE day > '-infinity';

CREATE TABLE usage_delta (
    tenant_id bigint NOT NULL,
    scope     text   NOT NULL,
    id        bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    delta     bigint NOT NULL,
    PRIMARY KEY (tenant_id, scope, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
COMMENT ON TABLE usage_delta IS 'What has not been added to usage yet.';

-- When a tenant was told last: of a threshold (80, 100) of a limit the beginning of the UTC day; of refusals (rejected) the moment,
-- whatever the limit.
CREATE TABLE quota_told (
    tenant_id bigint      NOT NULL,
    scope     text        NOT NULL,
    what      text        NOT NULL CHECK (what IN ('80', '100', 'rejected')),
    most      bigint      NOT NULL CHECK ((what = 'rejected') = (most = 0)),
    at        timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, scope, what, most)
);

-- The counts as they are at this moment.
CREATE VIEW usage_now AS
    SELECT tenant_id, scope, day, sum(count)::bigint AS count
      FROM (SELECT tenant_id, scope, day, count FROM usage
             UNION ALL
            SELECT tenant_id, scope, DATE '-infinity', delta FROM usage_delta) parts
     GROUP BY tenant_id, scope, day;

CREATE FUNCTION count_now(for_tenant bigint, of_scope text) RETURNS bigint LANGUAGE sql VOLATILE AS $$
    SELECT COALESCE((SELECT u.count FROM usage_now u WHERE u.tenant_id = for_tenant AND u.scope = of_scope), 0)
$$;

-- Notes a difference. Where the tenant's plan limits the scope it is made sure that the limit holds, whoever else creates at
-- the same time: close to the limit one after the other, under a lock that ends with the transaction; far from it together,
-- but not while somebody close to it counts. Close is where those who create at the same time, one for each connection, could
-- together reach it. A count is a statement of its own, and so sees what was committed while the lock was waited for.
CREATE FUNCTION count_usage(for_tenant bigint, of_scope text, difference bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    by_plan text;
    allowed bigint;
    room    bigint;
    close   bigint;
    alone   boolean;
BEGIN
    IF difference > 0 THEN
        SELECT t.plan, l.most INTO by_plan, allowed
          FROM tenant t JOIN plan_limit l ON l.plan = t.plan AND l.scope = of_scope
         WHERE t.tenant_id = for_tenant;
    END IF;
    IF allowed IS NOT NULL THEN
        close := greatest(allowed / 20, 2 * current_setting('max_connections')::bigint);
        alone := difference > 1 OR allowed - count_now(for_tenant, of_scope) < close;
        IF alone THEN
            PERFORM pg_advisory_xact_lock(hashtextextended('quota ' || of_scope, for_tenant));
        ELSE
            PERFORM pg_advisory_xact_lock_shared(hashtextextended('quota ' || of_scope, for_tenant));
        END IF;
        room := allowed - count_now(for_tenant, of_scope);
        IF alone AND room < difference THEN
            RAISE EXCEPTION 'quota % % % %', of_scope, allowed, allowed - room, by_plan USING ERRCODE = 'EN002';
        ELSIF NOT alone AND room < close / 2 THEN
            RAISE EXCEPTION 'the limit has come close' USING ERRCODE = 'serialization_failure';
        END IF;
    END IF;
    INSERT INTO usage_delta (tenant_id, scope, delta) VALUES (for_tenant, of_scope, difference);
END $$;

CREATE FUNCTION count_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_usage(c.tenant_id, TG_ARGV[0], c.n)
       FROM (SELECT tenant_id, count(*) AS n FROM changed GROUP BY tenant_id ORDER BY tenant_id) c;
    RETURN NULL;
END $$;

CREATE FUNCTION count_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_usage(c.tenant_id, TG_ARGV[0], -c.n)
       FROM (SELECT tenant_id, count(*) AS n FROM changed GROUP BY tenant_id ORDER BY tenant_id) c;
    RETURN NULL;
END $$;

-- A row that stays as a trace: an agent that was destroyed, an endpoint that was deleted.
CREATE FUNCTION count_ended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_usage(OLD.tenant_id, TG_ARGV[0], -1);
    RETURN NULL;
END $$;

CREATE TRIGGER counted_added AFTER INSERT ON agent
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_added('agents');
CREATE TRIGGER counted_ended AFTER UPDATE OF destroyed_at ON agent
    FOR EACH ROW WHEN (OLD.destroyed_at IS NULL AND NEW.destroyed_at IS NOT NULL) EXECUTE FUNCTION count_ended('agents');
CREATE TRIGGER counted_gone AFTER DELETE ON agent
    FOR EACH ROW WHEN (OLD.destroyed_at IS NULL) EXECUTE FUNCTION count_ended('agents');

CREATE TRIGGER counted_added AFTER INSERT ON domain
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_added('domains');
CREATE TRIGGER counted_gone AFTER DELETE ON domain
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_gone('domains');

CREATE TRIGGER counted_added AFTER INSERT ON bank
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_added('banks');
CREATE TRIGGER counted_gone AFTER DELETE ON bank
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_gone('banks');

CREATE TRIGGER counted_added AFTER INSERT ON memory
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_added('memories');
CREATE TRIGGER counted_gone AFTER DELETE ON memory
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_gone('memories');

CREATE TRIGGER counted_added AFTER INSERT ON webhook_endpoint
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_added('webhook_endpoints');
CREATE TRIGGER counted_ended AFTER UPDATE OF deleted_at ON webhook_endpoint
    FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
    EXECUTE FUNCTION count_ended('webhook_endpoints');
CREATE TRIGGER counted_gone AFTER DELETE ON webhook_endpoint
    FOR EACH ROW WHEN (OLD.deleted_at IS NULL) EXECUTE FUNCTION count_ended('webhook_endpoints');

INSERT INTO usage (tenant_id, scope, day, count)
SELECT tenant_id, 'agents', DATE '-infinity', count(*) FROM agent WHERE destroyed_at IS NULL GROUP BY tenant_id
 UNION ALL
SELECT tenant_id, 'domains', DATE '-infinity', count(*) FROM domain GROUP BY tenant_id
 UNION ALL
SELECT tenant_id, 'banks', DATE '-infinity', count(*) FROM bank GROUP BY tenant_id
 UNION ALL
SELECT tenant_id, 'memories', DATE '-infinity', count(*) FROM memory GROUP BY tenant_id
 UNION ALL
SELECT tenant_id, 'webhook_endpoints', DATE '-infinity', count(*) FROM webhook_endpoint WHERE deleted_at IS NULL GROUP BY tenant_id;

-- Every replica hears of another plan at once.
CREATE FUNCTION tell_plan_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('callers_changed', 'tenant:' || NEW.tenant_id);
    RETURN NULL;
END $$;
CREATE TRIGGER tenant_plan_changed AFTER UPDATE OF plan ON tenant
    FOR EACH ROW WHEN (OLD.plan <> NEW.plan) EXECUTE FUNCTION tell_plan_changed();
