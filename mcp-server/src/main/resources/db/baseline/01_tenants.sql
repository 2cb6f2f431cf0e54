-- Tenants and their users, what a plan limits, and what is counted for it.

-- The ids of tenants, users, agents, domains, zones, conversations and banks.
-- Users and agents share it, so that a party (a sender or a recipient) is one number.
CREATE SEQUENCE entity_id;

-- Numbers of a tenant's rows come from sequences, since a table with an identity column cannot be moved back to one server.
CREATE SEQUENCE usage_delta_id;

CREATE TABLE tenant (
    tenant_id  bigint      PRIMARY KEY DEFAULT nextval('entity_id'),
    name       text        NOT NULL,
    name_key   text        COLLATE "C" NOT NULL UNIQUE,
    created_at timestamptz NOT NULL
);
COMMENT ON TABLE tenant IS 'The tenants. Everything that belongs to one is deleted with it.';

CREATE TABLE tenant_plan (
    tenant_id bigint PRIMARY KEY REFERENCES tenant ON DELETE CASCADE,
    plan      text   NOT NULL
);
COMMENT ON TABLE tenant_plan IS 'The plan of each tenant. Who counts what the plan does not, such as keys, locks its row.';
COMMENT ON COLUMN tenant_plan.plan IS 'The name of the plan; plan_limit has the limits.';

-- Signals all replicas that a tenant has another plan.
CREATE FUNCTION tell_plan_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('changes', 'tenant:' || NEW.tenant_id);
    RETURN NULL;
END $$;
CREATE TRIGGER tenant_plan_changed AFTER UPDATE OF plan ON tenant_plan FOR EACH ROW WHEN (OLD.plan <> NEW.plan) EXECUTE FUNCTION tell_plan_changed();
COMMENT ON TRIGGER tenant_plan_changed ON tenant_plan IS 'Every replica forgets the limits of the former plan, whatever changes it.';

-- With the tenants, the only table where something is unique across tenants. Nothing references it, so that tenants can be
-- on other servers than it is.
CREATE TABLE directory (
    kind       text        NOT NULL CHECK (kind IN ('key', 'session', 'token', 'invitation', 'secret')),
    id         text        COLLATE "C" NOT NULL,
    tenant_id  bigint      NOT NULL,
    expires_at timestamptz,
    PRIMARY KEY (kind, id)
);
COMMENT ON TABLE directory IS 'Which tenant a credential or a code belongs to, for requests that do not say it.';
COMMENT ON COLUMN directory.id IS 'The id of a key or a session, the principal of a token, or the hash of a code in hexadecimal digits.';
COMMENT ON COLUMN directory.expires_at IS 'When the entry may be deleted. Null for a key: its entry is deleted some time after it.';
CREATE INDEX directory_age ON directory (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE app_user (
    tenant_id  bigint      NOT NULL REFERENCES tenant ON DELETE CASCADE,
    id         bigint      NOT NULL DEFAULT nextval('entity_id'),
    name       text        NOT NULL,
    name_key   text        COLLATE "C" NOT NULL,
    role       text        NOT NULL CHECK (role IN ('viewer', 'member', 'admin', 'owner')),
    created_at timestamptz NOT NULL,
    revision   bigint      NOT NULL DEFAULT 1,
    removed_at timestamptz,
    PRIMARY KEY (tenant_id, id)
);
COMMENT ON TABLE app_user IS 'The users of a tenant. A removed one remains as a name on what it said; what it owned has another owner.';
CREATE UNIQUE INDEX app_user_name ON app_user (tenant_id, name_key) WHERE removed_at IS NULL;

-- Signals all replicas to drop what they cached of callers.
CREATE FUNCTION tell_callers_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('changes', '');
    RETURN NULL;
END $$;
CREATE TRIGGER app_user_changed AFTER DELETE OR UPDATE OR TRUNCATE ON app_user FOR EACH STATEMENT EXECUTE FUNCTION tell_callers_changed();
COMMENT ON TRIGGER app_user_changed ON app_user IS 'Every replica forgets what a changed user may do, whatever changes it.';

CREATE TABLE plan_limit (
    plan  text   NOT NULL,
    scope text   NOT NULL,
    most  bigint NOT NULL,
    PRIMARY KEY (plan, scope)
);
COMMENT ON TABLE plan_limit IS 'The limits of each plan, written at every start. What a plan does not limit has no row.';
COMMENT ON COLUMN plan_limit.scope IS 'What is limited, such as agents.';

CREATE TABLE usage (
    tenant_id bigint NOT NULL,
    scope     text   NOT NULL,
    day       date   NOT NULL,
    count     bigint NOT NULL,
    PRIMARY KEY (tenant_id, scope, day)
);
COMMENT ON TABLE usage IS 'What is counted for the plan: how many things there are, and how much was done on each day.';
COMMENT ON COLUMN usage.day IS 'The UTC day, for what is counted by the day; -infinity for the number of things that exist.';
CREATE INDEX usage_age ON usage (day) WHERE day > DATE '-infinity';

CREATE TABLE usage_delta (
    tenant_id bigint NOT NULL,
    scope     text   NOT NULL,
    id        bigint NOT NULL DEFAULT nextval('usage_delta_id'),
    delta     bigint NOT NULL,
    PRIMARY KEY (tenant_id, scope, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
COMMENT ON TABLE usage_delta IS 'Differences that are not added to usage yet. Each is a row of its own, so that no transaction waits for another.';

-- The counts as they are at this moment.
CREATE VIEW usage_now AS
    SELECT tenant_id, scope, day, sum(count)::bigint AS count
      FROM (SELECT tenant_id, scope, day, count FROM usage
             UNION ALL
            SELECT tenant_id, scope, DATE '-infinity', delta FROM usage_delta) parts
     GROUP BY tenant_id, scope, day;

-- The count of a scope, as it is at this moment.
CREATE FUNCTION count_now(for_tenant bigint, of_scope text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN COALESCE((SELECT u.count FROM usage_now u WHERE u.tenant_id = for_tenant AND u.scope = of_scope), 0);
END $$;

CREATE TABLE quota_told (
    tenant_id bigint      NOT NULL,
    scope     text        NOT NULL,
    what      text        NOT NULL CHECK (what IN ('80', '100', 'rejected')),
    most      bigint      NOT NULL,
    at        timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, scope, what, most),
    CHECK ((what = 'rejected') = (most = 0))
);
COMMENT ON TABLE quota_told IS 'When a tenant was last notified that it reached a threshold of a limit, or that something was refused.';
COMMENT ON COLUMN quota_told.what IS 'The threshold in percent, or rejected.';
COMMENT ON COLUMN quota_told.most IS 'The limit at that time; 0 for refusals.';
COMMENT ON COLUMN quota_told.at IS 'The start of the UTC day for a threshold, the moment for a refusal.';

CREATE UNLOGGED TABLE rate_spent (
    tenant_id bigint      NOT NULL,
    principal text        NOT NULL,
    full_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, principal)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
COMMENT ON TABLE rate_spent IS 'The rate limit of each caller on all replicas together, as a bucket. Unlogged: after a crash all buckets are full.';
COMMENT ON COLUMN rate_spent.full_at IS 'When the bucket is full again, by the clock of the database.';

-- Notes a difference. Where the plan limits the scope, no two transactions together exceed the limit. Close to it they run one after
-- the other, under a lock that ends with the transaction. Far from it they run together, but not while another one close to it counts.
-- Close is where one transaction for each connection could together reach the limit. Each count is a statement of its own, so it
-- sees what was committed while it waited for the lock.
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
          FROM tenant_plan t JOIN plan_limit l ON l.plan = t.plan AND l.scope = of_scope
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

-- Notes the differences that a transaction makes, before its commit.
CREATE FUNCTION count_differences(for_tenant bigint, scopes text[], differences bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_usage(for_tenant, d.scope, d.difference)
       FROM (SELECT * FROM unnest(scopes, differences) u (scope, difference) ORDER BY scope) d;
END $$;

-- Returns the user that something comes to belong to, who cannot be removed until the transaction ends.
-- A foreign key does not notice a removal, since the user's row stays.
CREATE FUNCTION present_user(of_tenant bigint, user_id bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM app_user u WHERE u.tenant_id = of_tenant AND u.id = user_id AND u.removed_at IS NULL FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the user was removed' USING ERRCODE = 'EN001';
    END IF;
    RETURN user_id;
END $$;


CREATE TABLE access_version (
    tenant_id bigint PRIMARY KEY REFERENCES tenant ON DELETE CASCADE,
    version   uuid   NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE access_version IS 'The version of what decides access in a tenant: users, agents, rosters, domains, zones and memberships. Each change of them gives it a new one.';
