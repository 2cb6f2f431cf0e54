package io.agentworkspace.engine.domains;

import io.agentworkspace.engine.access.Visibility;
import io.agentworkspace.engine.context.ContextStore;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.ListSlice;
import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.db.SqlTemplate;
import io.agentworkspace.engine.messages.MessageRow;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.domain.Domain;
import io.agentworkspace.engine.model.domain.Member;
import io.agentworkspace.engine.model.domain.MemberState;
import io.agentworkspace.engine.model.domain.Zone;
import io.agentworkspace.engine.model.page.Cursor;
import io.agentworkspace.engine.model.page.Page;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads of domains: one statement each, including the context. */
public final class DomainQueries {
    /** How many of the latest messages a domain shows. */
    static final int MESSAGES = 20;

    static final int ZONES = 200;

    /** CTE {@code d}: the domain whose key is :domain, else the entered one, if the acting user may see it. */
    static final String DOMAIN =
            SqlTemplate.of("""
            d AS (
                SELECT d.*
                  FROM domain d, ctx
                 WHERE d.tenant_id = :tenant
                   AND d.id = CASE WHEN CAST(:domain AS text) IS NULL THEN ctx.domain_id
                                   ELSE (SELECT x.id FROM domain x
                                          WHERE x.tenant_id = :tenant AND x.name_key = :domain) END
                   AND {visible_domain})
            """).with("visible_domain", Visibility.domain("d")).sql();

    private static final String LIST = ContextStore.WITH_CONTEXT
            + SqlTemplate.of("""
            , page AS (
                SELECT d.*
                  FROM domain d, ctx
                 WHERE d.tenant_id = :tenant AND d.name_key > :after AND {visible_domain}
                   AND starts_with(d.name_key, :prefix) AND d.name_key >= :prefix
                 ORDER BY d.name_key
                 LIMIT :limit + 1)
            SELECT ctx.*,
                   (SELECT jsonb_agg(jsonb_build_object(
                               'domain', {domain_json},
                               'state', (SELECT m.state FROM membership m
                                          WHERE m.tenant_id = d.tenant_id AND m.domain_id = d.id
                                            AND m.owner_id = ctx.user_id
                                          ORDER BY array_position(ARRAY['member', 'invited', 'requested', 'banned'],
                                                                  m.state)
                                          LIMIT 1),
                               'members', (SELECT count(*) FROM membership m
                                            WHERE m.tenant_id = d.tenant_id AND m.domain_id = d.id
                                              AND m.state = 'member'))
                           ORDER BY d.name_key)
                      FROM page d {join_owner}) AS rows
              FROM ctx
            """)
                    .with("visible_domain", Visibility.domain("d"))
                    .with("domain_json", DomainStore.RECORD)
                    .with("join_owner", DomainStore.JOINS)
                    .sql();

    private static final String READ = ContextStore.WITH_CONTEXT + ", " + DOMAIN
            + SqlTemplate.of("""
            , caller AS (SELECT d.owner_id = ctx.user_id OR :admin AS owns, {may_talk} AS takes_part FROM d, ctx),
            listed AS (
                SELECT a.*, m.state, m.since, d.host_id
                  FROM d CROSS JOIN caller
                  JOIN membership m ON m.tenant_id = d.tenant_id AND m.domain_id = d.id
                  JOIN agent a ON a.tenant_id = m.tenant_id AND a.id = m.agent_id
                 WHERE (m.state <> 'banned' OR caller.owns)
                   AND a.name_key > :after AND (CAST(:agent AS text) IS NULL OR a.name_key = :agent)
                 ORDER BY a.name_key
                 LIMIT :limit + 1),
            zones AS (
                SELECT z.*
                  FROM d JOIN zone z ON z.tenant_id = d.tenant_id AND z.domain_id = d.id
                 ORDER BY z.name_key <> :main, z.name_key
                 LIMIT :zones),
            spoken AS (
                SELECT z.tenant_id, z.stream_id
                  FROM d CROSS JOIN caller
                  JOIN zone z ON z.tenant_id = d.tenant_id AND z.domain_id = d.id
                  CROSS JOIN LATERAL (SELECT * FROM stream x
                                       WHERE x.tenant_id = z.tenant_id AND x.id = z.stream_id AND x.last_seq > 0
                                      OFFSET 0) st
                 WHERE caller.takes_part
                 ORDER BY st.last_at DESC, st.id DESC
                 LIMIT :messages),
            recent AS (
                SELECT m.*, max(m.created_at) OVER (PARTITION BY m.stream_id ORDER BY m.seq) AS reached
                  FROM spoken z
                  CROSS JOIN LATERAL (SELECT * FROM message x
                                       WHERE x.tenant_id = z.tenant_id AND x.stream_id = z.stream_id
                                       ORDER BY x.seq DESC
                                       LIMIT :messages) m),
            latest AS (SELECT * FROM recent ORDER BY reached DESC, stream_id DESC, seq DESC LIMIT :messages)
            SELECT ctx.*,
                   (SELECT {domain_json} FROM d {join_owner}) AS domain,
                   (SELECT jsonb_agg(jsonb_build_object(
                               'agent', a.name, 'role', CASE WHEN a.id = a.host_id THEN 'host' ELSE 'member' END,
                               'online', {online}, 'since', a.since, 'state', a.state)
                           ORDER BY a.name_key)
                      FROM listed a) AS members,
                   (SELECT jsonb_agg({zone_json} ORDER BY z.name_key <> :main, z.name_key) FROM zones z) AS zones,
                   (SELECT takes_part FROM caller) AS takes_part,
                   (SELECT jsonb_agg({message_json} ORDER BY m.reached, m.stream_id, m.seq) FROM latest m {message_joins}) AS messages
              FROM ctx
            """)
                    .with("may_talk", Visibility.talk("d"))
                    .with("domain_json", DomainStore.RECORD)
                    .with("join_owner", DomainStore.JOINS)
                    .with("online", ContextStore.online("a"))
                    .with("zone_json", ZoneStore.RECORD)
                    .with("message_json", MessageRow.RECORD)
                    .with("message_joins", MessageRow.JOINS)
                    .sql();

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
                .one(row -> {
                    ContextStore.read(call, row);
                    return row.jsonList("rows", DomainSummary.class);
                })
                .orElseThrow();
        return ListSlice.of(
                call,
                rows,
                limit,
                last -> Cursor.ofName(call.service(), Name.key(last.domain().name())));
    }

    /** A domain. {@code messages} is null for a user who takes no part in it. */
    record DomainDetails(
            Domain domain,
            ListSlice<Member> members,
            List<Zone> zones,
            @Nullable List<Message> messages) {}

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
                .one(row -> found(call, row, limit))
                .orElseThrow()
                .orElseThrow(() -> absent(call, name));
    }

    private static Optional<DomainDetails> found(Call call, Row row, int limit) throws SQLException {
        ContextStore.read(call, row);
        var domain = row.json("domain", Domain.class);
        if (domain == null) {
            return Optional.empty();
        }
        var budget = call.budget();
        budget.spend(domain);
        // The list of members has pages. It gets the room that the other lists leave: at least a third.
        var zones = budget.fit(row.jsonList("zones", Zone.class), budget.left() / 3);
        var messages = row.flag("takes_part")
                ? budget.fit(row.jsonList("messages", Message.class).reversed(), budget.left() / 2)
                        .reversed()
                : null;
        var members = ListSlice.of(
                call,
                row.jsonList("members", Member.class),
                limit,
                last -> Cursor.ofName(call.service(), Name.key(last.agent())));
        return Optional.of(new DomainDetails(domain, members, zones, messages));
    }

    /** Returns why a read of a domain found none. */
    Problem absent(Call call, @Nullable Name name) {
        return name == null
                ? Problem.noContext(
                        "no domain that you may see is entered: give target.domain, or enter one with ZN_Enter")
                : domains.missing(call, name);
    }
}
