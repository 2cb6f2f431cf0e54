package io.agentworkspace.engine.kernel.access;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.credentials.DirectoryStore;
import io.agentworkspace.engine.identity.users.TenantStore;
import io.agentworkspace.engine.integrations.webhooks.ReceiverStore;
import io.agentworkspace.engine.kernel.access.PermissionTable.Cell;
import io.agentworkspace.engine.kernel.access.PermissionTable.Kind;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.testing.IdleTool;
import io.agentworkspace.engine.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A tenant, and another one, with a thing for each cell of the table, in the cell's relation to its caller. The rows
 * are written directly to the database, all things of a kind in one statement.
 */
final class PermissionFixture {
    private static final Db DB = TestDatabase.db();
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final SecureRandom RANDOM = new SecureRandom();

    private static final ReceiverStore ENDPOINTS = new ReceiverStore(DB, TestDatabase.vault());

    private final TenantStore tenants = new TenantStore(DB);
    private final long tenant = tenant();
    private final long elsewhere = tenant();
    private final Map<Role, Long> callers = new EnumMap<>(Role.class);
    private final Map<Role, Long> agents = new EnumMap<>(Role.class);
    private final Map<Role, String> parents = new EnumMap<>(Role.class);
    private final Map<String, ApiKey> keys = new ConcurrentHashMap<>();
    private final long friend = user(tenant, "friend");
    private final long foe = user(tenant, "foe");
    private final long stranger = user(tenant, "stranger");
    private final long superior = tenants.createUser(tenant, Name.of("superior"), Role.OWNER, NOW);
    private final long peer = tenants.createUser(tenant, Name.of("peer"), Role.ADMIN, NOW);
    private final long foreigner = user(elsewhere, "foreigner");

    PermissionFixture(List<Cell> cells) {
        var host = agent(stranger, "host");
        var bystander = user(tenant, "bystander");
        agent(bystander, "other");
        bank(bystander, "box");
        var common = domain(friend, "common", agent(friend, "theirs"));
        var closed = domain(foe, "closed", agent(foe, "hostile"));
        for (var role : Role.values()) {
            var caller = tenants.createUser(tenant, Name.of(role.word()), role, NOW);
            var agent = agent(caller, "own " + role.word());
            callers.put(role, caller);
            agents.put(role, agent);
            parents.put(role, parent(role));
            join(common, agent, caller, "member");
            join(closed, agent, caller, "banned");
            DB.sql("INSERT INTO roster VALUES (:tenant, :user, :agent, :now)")
                    .set("tenant", tenant)
                    .set("user", caller)
                    .set("agent", host)
                    .set("now", NOW)
                    .run();
        }
        agents(of("agent", cells));
        domains(of("domain", cells), host);
        banks(of("bank", cells));
        keys(of("key", cells));
        users(of("user", cells));
        of("endpoint", cells).forEach(this::endpoint);
        of("delivery", cells).forEach(this::delivery);
        of("rule", cells).forEach(this::rule);
        of("upstream", cells).forEach(this::upstream);
        invitations(of("invitation", cells));
        skills(of("skill", cells));
        documents(of("document", cells));
    }

    private static List<Cell> of(String kind, List<Cell> cells) {
        return cells.stream().filter(cell -> cell.line().kind().equals(kind)).toList();
    }

    private long tenant() {
        return tenants.create(Name.of("t-" + UUID.randomUUID()), "unlimited", NOW);
    }

    private long user(long where, String name) {
        return tenants.createUser(where, Name.of(name), Role.MEMBER, NOW);
    }

    /** Returns the caller's own agent in a cell. */
    String agent(Cell cell) {
        return "own " + cell.role().word();
    }

    /**
     * Returns the key for a cell, which has only the capability that its tool needs, or all others. It is created on
     * first use. If the key, or its bound agent, is the cell's thing, only this cell uses it.
     */
    String key(Cell cell, boolean has) {
        return made(cell, has).reveal();
    }

    private ApiKey made(Cell cell, boolean has) {
        var alone = cell.isItself() && !cell.line().kind().equals("user");
        var name = "%s %s %s %s %s"
                .formatted(cell.key(), cell.role(), cell.line().capabilities(), has, alone ? cell.unique() : "");
        return keys.computeIfAbsent(name, _ -> insert(cell, has, alone));
    }

    private ApiKey insert(Cell cell, boolean has, boolean alone) {
        var needed = cell.line().capabilities();
        var all = Arrays.stream(Capability.values()).map(Capability::word);
        var key = ApiKey.generate(RANDOM);
        var outdated = cell.key() == Kind.OUTDATED;
        DB.sql(DirectoryStore.entryOf(DirectoryStore.Kind.KEY) + """
                INSERT INTO api_key (tenant_id, id, secret_hash, previous_hash, previous_until, user_id, name, capabilities,
                                     agent_id, parent_id, ancestors, created_at)
                VALUES (:tenant, :id, :hash, :previous, CAST(:until AS timestamptz), :user, 'k', :held, :agent, :parent,
                        array_remove(ARRAY[CAST(:parent AS text)], NULL), :now)
                """)
                .set("tenant", tenant)
                .set("id", key.id())
                .set("hash", outdated ? ApiKey.generate(RANDOM).secretHash() : key.secretHash())
                .set("previous", outdated ? key.secretHash() : null)
                .set("until", outdated ? Instant.now().plus(Duration.ofDays(1)) : null)
                .set("user", caller(cell))
                .set(
                        "held",
                        has
                                ? needed.subList(0, 1)
                                : all.filter(other -> !needed.contains(other)).toList())
                .set("agent", cell.key() == Kind.BOUND ? boundTo(cell, alone) : null)
                .set("parent", cell.key() == Kind.CHILD ? parents.get(cell.role()) : null)
                .set("now", NOW)
                .run();
        return key;
    }

    private Long boundTo(Cell cell, boolean alone) {
        return alone && cell.line().kind().equals("agent")
                ? DB.sql("SELECT id FROM agent WHERE tenant_id = :tenant AND name = :name")
                        .set("tenant", tenant)
                        .set("name", cell.thing())
                        .one(row -> row.number("id"))
                        .orElseThrow()
                : Objects.requireNonNull(agents.get(cell.role()));
    }

    /** Returns a key of the caller with all capabilities, as the parent of others. */
    private String parent(Role role) {
        var id = ApiKey.generate(RANDOM).id();
        DB.sql("""
                INSERT INTO api_key (tenant_id, id, secret_hash, user_id, name, capabilities, created_at)
                VALUES (:tenant, :id, '', :user, 'k', '{*}', :now)
                """)
                .set("tenant", tenant)
                .set("id", id)
                .set("user", callers.get(role))
                .set("now", NOW)
                .run();
        return id;
    }

    private void bank(long owner, String name) {
        DB.sql("""
                INSERT INTO bank (tenant_id, name, name_key, access, owner_id, created_at, updated_at)
                VALUES (:tenant, :name, :name, 'public', :owner, :now, :now)
                """)
                .set("tenant", tenant)
                .set("name", name)
                .set("owner", owner)
                .set("now", NOW)
                .run();
    }

    private long agent(long owner, String name) {
        return DB.sql("""
                INSERT INTO agent (tenant_id, name, name_key, description, access, owner_id, created_at, updated_at)
                VALUES (:tenant, :name, :name, 'd', 'public', :owner, :now, :now) RETURNING id
                """)
                .set("tenant", tenant)
                .set("name", name)
                .set("owner", owner)
                .set("now", NOW)
                .one(row -> row.number("id"))
                .orElseThrow();
    }

    private long domain(long owner, String name, long member) {
        var id = DB.sql("""
                INSERT INTO domain (tenant_id, name, name_key, description, access, owner_id, created_at, updated_at)
                VALUES (:tenant, :name, :name, 'd', 'private', :owner, :now, :now) RETURNING id
                """)
                .set("tenant", tenant)
                .set("name", name)
                .set("owner", owner)
                .set("now", NOW)
                .one(row -> row.number("id"))
                .orElseThrow();
        join(id, member, owner, "member");
        return id;
    }

    private void join(long domain, long agent, long owner, String state) {
        DB.sql("INSERT INTO membership VALUES (:tenant, :domain, :agent, :owner, :state, :now)")
                .set("tenant", tenant)
                .set("domain", domain)
                .set("agent", agent)
                .set("owner", owner)
                .set("state", state)
                .set("now", NOW)
                .run();
    }

    /** Returns the owner of the thing, given who shares a domain with the caller, and who bans the caller. */
    private long owner(Cell cell, long sharing, long banning) {
        return switch (cell.relation()) {
            case "owner", "itself", "wider", "below" -> caller(cell);
            case "above" -> superior;
            case "peer" -> peer;
            case "member" -> sharing;
            case "banned" -> banning;
            case "tenant" -> foreigner;
            default -> stranger;
        };
    }

    private long caller(Cell cell) {
        return Objects.requireNonNull(callers.get(cell.role()));
    }

    /** Inserts rows for the cells in a relation. The statement selects from {@code c}. */
    private void insert(List<Cell> cells, Predicate<String> relation, Function<Cell, Long> owner, String statement) {
        var chosen =
                cells.stream().filter(cell -> relation.test(cell.relation())).toList();
        if (chosen.isEmpty()) {
            return;
        }
        DB.sql("""
                WITH c AS (SELECT * FROM unnest(CAST(:tenants AS bigint[]), :names, CAST(:owners AS bigint[]), :accesses, :relations,
                                                CAST(:callers AS bigint[]), CAST(:agents AS bigint[]))
                                         c (tenant_id, name, owner_id, access, relation, caller_id, agent_id))
                """ + statement)
                .set(
                        "tenants",
                        chosen.stream()
                                .map(cell -> cell.relation().equals("tenant") ? elsewhere : tenant)
                                .toList())
                .set("tenant", tenant)
                .set("names", chosen.stream().map(Cell::unique).toList())
                .set("owners", chosen.stream().map(owner).toList())
                .set("accesses", chosen.stream().map(Cell::access).toList())
                .set("relations", chosen.stream().map(Cell::relation).toList())
                .set("callers", chosen.stream().map(this::caller).toList())
                .set(
                        "agents",
                        chosen.stream().map(cell -> agents.get(cell.role())).toList())
                .set("now", NOW)
                .run();
    }

    private void agents(List<Cell> cells) {
        insert(cells, _ -> true, cell -> owner(cell, friend, foe), """
                INSERT INTO agent (tenant_id, name, name_key, description, access, owner_id, created_at, updated_at)
                SELECT tenant_id, name, name, 'd', access, owner_id, :now, :now FROM c
                """);
        insert(cells, "roster"::equals, _ -> stranger, """
                INSERT INTO roster
                SELECT c.tenant_id, c.caller_id, a.id, :now FROM c JOIN agent a ON a.tenant_id = c.tenant_id AND a.name = c.name
                """);
    }

    private void domains(List<Cell> cells, long host) {
        insert(cells, _ -> true, cell -> owner(cell, stranger, stranger), """
                , d AS (
                    INSERT INTO domain (tenant_id, name, name_key, description, access, owner_id, host_id, created_at, updated_at)
                    SELECT tenant_id, name, name, 'd', access, owner_id, CASE WHEN relation = 'roster' THEN %d END, :now, :now
                      FROM c
                    RETURNING *),
                z AS MATERIALIZED (
                    SELECT d.tenant_id, d.id, n.name, nextval('entity_id') AS conversation_id
                      FROM d CROSS JOIN (VALUES ('main'), ('tea')) n (name)),
                st AS (INSERT INTO conversation (tenant_id, id) SELECT tenant_id, conversation_id FROM z)
                INSERT INTO zone (tenant_id, domain_id, name, name_key, conversation_id, created_at)
                SELECT tenant_id, id, name, name, conversation_id, :now FROM z
                """.formatted(host));
        insert(cells, relation -> relation.equals("member") || relation.equals("banned"), _ -> stranger, """
                INSERT INTO membership
                SELECT c.tenant_id, d.id, c.agent_id, c.caller_id, c.relation, :now
                  FROM c JOIN domain d ON d.tenant_id = c.tenant_id AND d.name = c.name
                """);
        insert(cells, _ -> true, _ -> stranger, """
                , m AS (INSERT INTO message (tenant_id, conversation_id, seq, id, speaker_id, content, chain, created_at)
                        SELECT c.tenant_id, z.conversation_id, 1, md5(c.name)::uuid, c.owner_id, 'q', '{}', :now
                          FROM c JOIN domain d ON d.tenant_id = c.tenant_id AND d.name = c.name
                          JOIN zone z ON z.tenant_id = d.tenant_id AND z.domain_id = d.id AND z.name = 'tea'
                        RETURNING *),
                st AS (UPDATE conversation st SET last_seq = 1, last_at = :now FROM m
                        WHERE st.tenant_id = m.tenant_id AND st.id = m.conversation_id)
                INSERT INTO question (tenant_id, id, asker_id, created_at)
                SELECT tenant_id, id, speaker_id, :now FROM m
                """);
        insert(cells, _ -> true, _ -> stranger, """
                INSERT INTO task (tenant_id, id, domain_id, title, description, state, creator_id, created_at, updated_at)
                SELECT c.tenant_id, md5(c.name)::uuid, d.id, 't', '', 'open', c.owner_id, :now, :now
                  FROM c JOIN domain d ON d.tenant_id = c.tenant_id AND d.name = c.name
                """);
        // A member receives the messages of every zone of its domain.
        insert(cells, "member"::equals, _ -> stranger, """
                INSERT INTO participant (tenant_id, party_id, conversation_id, owner_id, read_seq)
                SELECT c.tenant_id, c.agent_id, z.conversation_id, c.caller_id, 0
                  FROM c
                  JOIN domain d ON d.tenant_id = c.tenant_id AND d.name = c.name
                  JOIN zone z ON z.tenant_id = d.tenant_id AND z.domain_id = d.id
                """);
    }

    private void banks(List<Cell> cells) {
        insert(cells, _ -> true, cell -> owner(cell, friend, stranger), """
                INSERT INTO bank (tenant_id, name, name_key, access, owner_id, created_at, updated_at)
                SELECT tenant_id, name, name, access, owner_id, :now, :now FROM c
                """);
        insert(cells, List.of("banned", "read", "append", "manage")::contains, _ -> stranger, """
                INSERT INTO bank_grant
                SELECT c.tenant_id, b.id, c.agent_id, c.caller_id, CASE c.relation WHEN 'banned' THEN 'none' ELSE c.relation END
                  FROM c JOIN bank b ON b.tenant_id = c.tenant_id AND b.name = c.name
                """);
        var trashed = cells.stream()
                .filter(cell -> cell.line().group().startsWith("bank.trash"))
                .map(Cell::unique)
                .toList();
        DB.sql("UPDATE bank SET deleted_at = now() WHERE tenant_id IN (:tenant, :elsewhere) AND name = ANY (:names)")
                .set("tenant", tenant)
                .set("elsewhere", elsewhere)
                .set("names", trashed)
                .run();
    }

    /** Inserts keys with unique ids, since ids are unique across tenants. */
    private void keys(List<Cell> cells) {
        insert(cells, relation -> !relation.equals("itself"), cell -> owner(cell, stranger, stranger), """
                INSERT INTO api_key (tenant_id, id, secret_hash, user_id, name, capabilities, created_at)
                SELECT tenant_id, left(md5(tenant_id || name), 12), '', owner_id, 'k',
                       CASE relation WHEN 'wider' THEN '{*}'::text[] ELSE '{key:write}' END, :now
                  FROM c
                """);
        for (var cell : cells) {
            if (cell.relation().equals("below")) {
                DB.sql("""
                        UPDATE api_key k SET parent_id = p.id, ancestors = p.ancestors || p.id, agent_id = p.agent_id
                          FROM api_key p
                         WHERE k.tenant_id = :tenant AND k.id = :id AND p.tenant_id = :tenant AND p.id = :parent
                        """)
                        .set("tenant", tenant)
                        .set("id", keyId(cell))
                        .set("parent", made(cell, true).id())
                        .run();
            }
        }
    }

    String keyId(Cell cell) {
        if (cell.isItself()) {
            return made(cell, true).id();
        }
        return DB.sql("SELECT left(md5(:tenant || :name), 12) AS id")
                .set("tenant", String.valueOf(cell.relation().equals("tenant") ? elsewhere : tenant))
                .set("name", cell.unique())
                .one(row -> row.text("id"))
                .orElseThrow();
    }

    private void users(List<Cell> cells) {
        insert(cells, relation -> !relation.equals("itself"), _ -> stranger, """
                INSERT INTO app_user (tenant_id, name, name_key, role, created_at)
                SELECT tenant_id, name, name, CASE relation WHEN 'above' THEN 'owner' WHEN 'peer' THEN 'admin' ELSE 'member' END, :now FROM c
                """);
    }

    private void invitations(List<Cell> cells) {
        insert(cells, _ -> true, cell -> owner(cell, stranger, stranger), """
                INSERT INTO invitation (tenant_id, id, code_hash, user_id, agent, terms, powers, created_at, expires_at)
                SELECT tenant_id, name, CAST(tenant_id || name AS bytea), owner_id, name, '{}', '{}', :now, '2999-01-01Z' FROM c
                """);
    }

    private void skills(List<Cell> cells) {
        insert(cells, _ -> true, _ -> stranger, """
                INSERT INTO skill (tenant_id, name, card, size, updated_at)
                SELECT tenant_id, name,
                       json_build_object('name', name, 'title', 't', 'description', 'd', 'digest', 'sha256:0',
                                         'frontmatter', '{}'::json, 'files', '[]'::json, 'mentions', '[]'::json), 0, :now
                  FROM c
                """);
    }

    /** Inserts documents that are already validated, so that no worker claims them. */
    private void documents(List<Cell> cells) {
        insert(cells, _ -> true, cell -> owner(cell, friend, foe), """
                , f AS (INSERT INTO document_upload (tenant_id, id, created_at)
                        SELECT tenant_id, md5(name)::uuid, :now FROM c RETURNING 1)
                INSERT INTO document (tenant_id, id, name, name_key, version, upload_id, size, sha256, owner_id, state, created_at,
                                      queued_at, validated_at)
                SELECT tenant_id, gen_random_uuid(), name, lower(name), 1, md5(name)::uuid, 0, md5(name), owner_id, 'accepted', :now,
                       :now, :now
                  FROM c
                """);
    }

    UUID webhookId(Cell cell) {
        return UUID.nameUUIDFromBytes((tenant + cell.thing()).getBytes(StandardCharsets.UTF_8));
    }

    private long where(Cell cell) {
        return cell.relation().equals("tenant") ? elsewhere : tenant;
    }

    /** Inserts an endpoint whose circuit stays open. */
    private void endpoint(Cell cell) {
        var caller = new Caller(where(cell), "t", 1, "nobody", Role.ADMIN, Set.of("*"), "key:test", null);
        var call = new Call(caller, IdleTool.named("WH_Create"), "r", NOW);
        var id = webhookId(cell);
        DB.sql("""
                INSERT INTO webhook_endpoint (tenant_id, id, url, events, created_at, updated_at, secret, open_until)
                VALUES (:tenant, :id, 'http://127.0.0.1:1/', '{agent.deployment.updated}', :now, :now, :secret, '2999-01-01Z')
                """)
                .set("tenant", where(cell))
                .set("id", id)
                .set("now", NOW)
                .set(
                        "secret",
                        ENDPOINTS.seal(call, id.toString(), "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="))
                .run();
    }

    /** Inserts a rule that is disabled. */
    private void rule(Cell cell) {
        DB.sql("""
                INSERT INTO rule (tenant_id, id, name, name_key, applies_to, expression, effect, message, enabled, priority, mode,
                                  examples, created_at, updated_at, counted_since)
                VALUES (:tenant, :id, :name, :name, '{AP_Chat}', 'true', 'deny', 'm', false, 0, 'enforce', '[]', :now, :now, :now)
                """)
                .set("tenant", where(cell))
                .set("id", webhookId(cell))
                .set("name", cell.unique())
                .set("now", NOW)
                .run();
    }

    String upstreamName(Cell cell) {
        return "u" + webhookId(cell).toString().substring(0, 13);
    }

    /** Inserts an upstream server that nothing answers for. */
    private void upstream(Cell cell) {
        DB.sql("""
                INSERT INTO upstream (tenant_id, name, url, credential, timeout_ms, created_at, updated_at)
                VALUES (:tenant, :name, 'http://127.0.0.1:1/', '{"kind": "none"}', 100, :now, :now)
                """)
                .set("tenant", where(cell))
                .set("name", upstreamName(cell))
                .set("now", NOW)
                .run();
    }

    private void delivery(Cell cell) {
        endpoint(cell);
        DB.sql("""
                WITH e AS (INSERT INTO event (tenant_id, id, type, created_at, data, directed)
                           VALUES (:tenant, :id, 'webhook.test', now(), '{}', true))
                INSERT INTO webhook_delivery (tenant_id, id, endpoint_id, event_id, event_type, sequence, state, created_at)
                VALUES (:tenant, :id, :id, :id, 'webhook.test', 0, 'delivered', :now)
                """)
                .set("tenant", where(cell))
                .set("id", webhookId(cell))
                .set("now", Instant.now()) // Old ones are deleted.
                .run();
    }
}
