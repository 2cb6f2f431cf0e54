package io.agentworkspace.engine.workspace.domains;

import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.context.ContextStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.NamePrefix;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.guard.GuardLimits;
import io.agentworkspace.engine.workspace.guard.GuardStore;
import io.agentworkspace.engine.workspace.messages.MessageRow;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads of domains: one round trip each. */
public final class DomainQueries {
    /** How many of the latest messages a domain shows. */
    static final int MESSAGES = 20;

    static final int ZONES = 200;

    /** Returns whether {@code d} is the domain whose key is :domain, else the entered one, if the user may see it. */
    static final String CONDITION =
            SqlTemplate.of("""
            d.tenant_id = :tenant
            AND d.id = CASE WHEN CAST(:domain AS text) IS NULL
                            THEN :entered_domain
                            ELSE (SELECT x.id FROM domain x
                                   WHERE x.tenant_id = :tenant AND x.name_key = :domain) END
            AND {visible_domain}
            """).with("visible_domain", Visibility.domain("d")).sql();

    /** CTE {@code d}: that domain. */
    public static final String DOMAIN = "d AS (SELECT d.* FROM domain d WHERE " + CONDITION + ")";

    private static final String LIST = SqlTemplate.of("""
            WITH page AS (
                SELECT d.*
                  FROM domain d
                 WHERE d.tenant_id = :tenant AND d.name_key > :after AND {visible_domain}
                   AND {begins}
                 ORDER BY d.name_key
                 LIMIT :limit + 1)
            SELECT (SELECT jsonb_agg(jsonb_build_object(
                               'domain', {domain_json},
                               'state', (SELECT m.state FROM membership m
                                          WHERE m.tenant_id = :tenant AND m.domain_id = d.id
                                            AND m.owner_id = :user
                                          ORDER BY array_position(ARRAY['member', 'invited', 'requested', 'banned'],
                                                                  m.state)
                                          LIMIT 1),
                               'members', (SELECT count(*) FROM membership m
                                            WHERE m.tenant_id = :tenant AND m.domain_id = d.id
                                              AND m.state = 'member'))
                           ORDER BY d.name_key)
                      FROM page d {join_owner}) AS rows
            """)
            .with("visible_domain", Visibility.domain("d"))
            .with("begins", NamePrefix.of("d"))
            .with("domain_json", DomainStore.RECORD)
            .with("join_owner", DomainStore.JOINS)
            .sql();

    private static final String READ_DOMAIN = SqlTemplate.of("""
            SELECT d.id, d.name, d.description, {whole}, d.profile, CAST(NULL AS integer) AS profile_length, d.access, d.revision,
                   d.created_at, d.updated_at, CASE WHEN d.separate_worktrees THEN 'separate' END AS worktrees,
                   (SELECT o.name FROM app_user o WHERE o.tenant_id = :tenant AND o.id = d.owner_id) AS owner,
                   (SELECT h.name FROM agent h WHERE h.tenant_id = :tenant AND h.id = d.host_id) AS host,
                   {may_talk} AS takes_part, (d.owner_id = :user OR :admin) AS may_set, {guard}
              FROM domain d
             WHERE {condition}
            """)
            .with("whole", SqlTemplate.WHOLE)
            .with("may_talk", Visibility.talk("d"))
            .with("guard", GuardStore.columns("d"))
            .with("condition", CONDITION)
            .sql();

    private static final String READ_MEMBERS = SqlTemplate.of("""
            SELECT a.domain_id, a.name AS agent, a.role, a.state, a.since, {online} AS online
              FROM (SELECT m.tenant_id, m.domain_id, CASE WHEN d.host_id = a.id THEN 'host' ELSE 'member' END AS role, a.id, a.name, a.name_key, m.state, m.since
                      FROM domain d
                      JOIN membership m ON m.tenant_id = :tenant AND m.domain_id = d.id
                      CROSS JOIN LATERAL (SELECT x.id, x.name, x.name_key FROM agent x
                                           WHERE x.tenant_id = :tenant AND x.id = m.agent_id OFFSET 0) a
                     WHERE {condition} AND (m.state <> 'banned' OR d.owner_id = :user OR :admin)
                       AND a.name_key > :after AND (CAST(:agent AS text) IS NULL OR a.name_key = :agent)
                     ORDER BY a.name_key
                     LIMIT :limit + 1) a
             ORDER BY a.name_key
            """)
            .with("online", ContextStore.online("a"))
            .with("condition", CONDITION)
            .sql();

    private static final String READ_ZONES = SqlTemplate.of("""
            SELECT z.domain_id, z.name, z.description, {whole}, z.created_at
              FROM domain d
              JOIN zone z ON z.tenant_id = :tenant AND z.domain_id = d.id
             WHERE {condition}
             ORDER BY z.name_key <> :main, z.name_key
             LIMIT :zones
            """)
            .with("whole", SqlTemplate.WHOLE)
            .with("condition", CONDITION)
            .sql();

    private static final String READ_MESSAGES = SqlTemplate.of("""
            SELECT s.domain_id, {columns}
              FROM (SELECT z.tenant_id, z.domain_id, z.conversation_id
                      FROM domain d
                      JOIN zone z ON z.tenant_id = :tenant AND z.domain_id = d.id
                      CROSS JOIN LATERAL (SELECT * FROM conversation x
                                           WHERE x.tenant_id = :tenant AND x.id = z.conversation_id AND x.last_seq > 0
                                          OFFSET 0) st
                     WHERE {condition} AND {may_talk}
                     ORDER BY st.last_at DESC, st.id DESC
                     LIMIT :messages) s
              CROSS JOIN LATERAL (SELECT * FROM message x
                                   WHERE x.tenant_id = :tenant AND x.conversation_id = s.conversation_id
                                   ORDER BY x.seq DESC
                                   LIMIT :messages) m
              {joins}
             ORDER BY m.created_at DESC, m.conversation_id DESC, m.seq DESC
             LIMIT :messages
            """)
            .with("columns", MessageRow.COLUMNS)
            .with("joins", MessageRow.JOINS)
            .with("may_talk", Visibility.talk("d"))
            .with("condition", CONDITION)
            .sql();

    private static final String READ = String.join(";\n", READ_DOMAIN, READ_MEMBERS, READ_ZONES, READ_MESSAGES);

    private final Db db;
    private final DomainStore domains;

    public DomainQueries(Db db, DomainStore domains) {
        this.db = db;
        this.domains = domains;
    }

    /** One row of a list: the membership state of the acting user's closest agent, and the number of members. */
    record DomainSummary(Domain domain, @Nullable MemberState state, long members) {}

    /** Returns the domains that the acting user may see. With a prefix, only those whose names start with it. */
    ListSlice<DomainSummary> list(Call call, @Nullable Name prefix, @Nullable Page page) {
        var limit = Page.limit(page);
        var after = Cursor.readName(call.service(), page);
        var rows = db.sql(call, LIST)
                .set("prefix", prefix == null ? "" : prefix.key())
                .set("after", after)
                .set("limit", limit)
                .one(row -> row.jsonList("rows", DomainSummary.class))
                .orElseThrow();
        return ListSlice.of(
                call,
                rows,
                limit,
                last -> Cursor.ofName(call.service(), Name.key(last.domain().name())));
    }

    /** A domain. {@code messages} is null for a user who takes no part in it, {@code guard} for one who may not set it. */
    record DomainDetails(
            Domain domain,
            ListSlice<Member> members,
            List<Zone> zones,
            @Nullable List<Message> messages,
            @Nullable GuardLimits guard) {}

    /**
     * Returns the named domain, else the entered one.
     *
     * @param agent the only member to show, or null for all
     * @throws Problem {@code no_context}, {@code not_found}
     */
    DomainDetails read(Call call, @Nullable Name name, @Nullable Name agent, @Nullable Page page) {
        var limit = Page.limit(page);
        var after = Cursor.readName(call.service(), page);
        return db.sql(call, READ)
                .set("domain", name == null ? null : name.key())
                .set("agent", agent == null ? null : agent.key())
                .set("after", after)
                .set("limit", limit)
                .set("main", ZoneStore.MAIN)
                .set("zones", ZONES)
                .set("messages", MESSAGES)
                .all(results -> found(call, results, limit))
                .orElseThrow(() -> absent(call, name));
    }

    /** The domain's row. Rows of the other statements belong to it if they carry its id. */
    private record FoundDomain(
            long id, boolean takesPart, @Nullable GuardLimits guard, Domain domain) {
        static FoundDomain of(Row row) throws SQLException {
            return new FoundDomain(
                    row.number("id"),
                    row.flag("takes_part"),
                    row.flag("may_set") ? GuardStore.read(row) : null,
                    row.as(Domain.class));
        }

        /** The rows of this domain. Another one may have got its name between two statements. */
        <T> List<T> list(Statement.Results results, Statement.Reader<T> reader) throws SQLException {
            return results
                    .list(row -> row.number("domain_id") == id ? Optional.of(reader.read(row)) : Optional.<T>empty())
                    .stream()
                    .flatMap(Optional::stream)
                    .toList();
        }
    }

    private static Optional<DomainDetails> found(Call call, Statement.Results results, int limit) throws SQLException {
        var read = results.next(FoundDomain::of);
        if (read.isEmpty()) {
            return Optional.empty();
        }
        var found = read.get();
        var listed = found.list(results, row -> row.as(Member.class));
        var zoned = found.list(results, row -> row.as(Zone.class));
        var said = found.list(results, row -> row.as(Message.class));
        var budget = call.budget();
        budget.spend(found.domain());
        // The list of members has pages. It gets the room that the other lists leave: at least a third.
        var zones = budget.fit(zoned, budget.left() / 3);
        var messages = found.takesPart() ? budget.fit(said, budget.left() / 2).reversed() : null;
        var members = ListSlice.of(call, listed, limit, last -> Cursor.ofName(call.service(), Name.key(last.agent())));
        return Optional.of(new DomainDetails(found.domain(), members, zones, messages, found.guard()));
    }

    /** Returns why a read of a domain found none. */
    public Problem absent(Call call, @Nullable Name name) {
        return name == null
                ? Problem.noContext(
                        "no domain that you may see is entered: give target.domain, or enter one with ZN_Enter")
                : domains.missing(call, name);
    }
}
