package io.agentworkspace.engine.workspace.chat.search;

import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.kernel.text.WordQuery;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.messages.MessageRow;
import io.agentworkspace.engine.workspace.messages.StoredMessage;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds messages by their words, or by their time alone. Access is a part of each statement, and what it finds, counts and
 * orders depends only on messages that the caller may read.
 *
 * <p>{@code COALESCE(… IN …)} makes PostgreSQL look conversations up in a hash table, and {@code OFFSET 0} use the index for each row. A plan for
 * an empty table would compare each with each.
 */
final class MessageSearchQueries {
    /** The conversations of a caller with more than these are not named in the index's condition. */
    private static final int NAMED_STREAMS = 200;

    /**
     * CTE {@code reachable}: the conversations that the caller may read with ZN_Read and AP_Read, in the place that is named. Nobody reads a
     * direct conversation whose parties are gone.
     */
    private static final String REACHABLE = SqlTemplate.of("""
            WITH parties AS MATERIALIZED (
                SELECT :user AS id
                UNION ALL
                SELECT a.id
                  FROM agent a
                 WHERE a.tenant_id = :tenant AND a.owner_id = :user AND a.destroyed_at IS NULL),
            reachable AS MATERIALIZED (
                SELECT z.conversation_id AS id
                  FROM domain d
                  JOIN zone z ON z.tenant_id = :tenant AND z.domain_id = d.id
                 WHERE d.tenant_id = :tenant AND {may_talk}
                   AND (CAST(:domain AS text) IS NULL OR d.name_key = :domain)
                   AND (CAST(:zone AS text) IS NULL OR z.name_key = :zone)
                UNION
                SELECT st.id
                  FROM (SELECT DISTINCT p.conversation_id
                                FROM parties
                                CROSS JOIN LATERAL (SELECT x.conversation_id FROM participant x
                                                     WHERE x.tenant_id = :tenant AND x.party_id = parties.id OFFSET 0) p) own
                  CROSS JOIN LATERAL (SELECT * FROM conversation x
                                       WHERE x.tenant_id = :tenant AND x.id = own.conversation_id OFFSET 0) st
                 WHERE CAST(:domain AS text) IS NULL AND {may_see_conversation}
                UNION
                SELECT st.id
                  FROM conversation st
                 WHERE :admin AND CAST(:domain AS text) IS NULL AND st.tenant_id = :tenant AND st.low_id IS NOT NULL
                   AND {may_see_conversation}
                   AND COALESCE((SELECT true FROM participant there
                                  WHERE there.tenant_id = :tenant AND there.conversation_id = st.id
                                  LIMIT 1), false)),
            speaker AS MATERIALIZED (
                SELECT a.id
                  FROM agent a
                 WHERE a.tenant_id = :tenant AND a.name_key = CAST(:agent AS text) AND a.destroyed_at IS NULL
                   AND ({visible_agent}
                        OR COALESCE((SELECT true FROM message m
                                      WHERE m.tenant_id = :tenant AND m.speaker_id = a.id
                                        AND COALESCE(m.conversation_id IN (SELECT r.id FROM reachable r), false)
                                      LIMIT 1), false)))
            """)
            .with("may_talk", Visibility.talk("d"))
            .with("may_see_conversation", Visibility.conversation("st"))
            .with("visible_agent", Visibility.agent("a"))
            .sql();

    /** What of the narrowing there is. */
    private static final String PLACE = REACHABLE
            + SqlTemplate.of("""
            SELECT CAST(:agent AS text) IS NULL OR EXISTS (SELECT 1 FROM speaker) AS agent_found,
                   d.name AS domain, COALESCE({may_talk}, false) AS takes_part,
                   CAST(:zone AS text) IS NULL OR EXISTS (SELECT 1 FROM reachable) AS zone_found,
                   ARRAY(SELECT z.name FROM zone z WHERE z.tenant_id = :tenant AND z.domain_id = d.id LIMIT 500) AS zones
              FROM (VALUES (1)) one (row)
              LEFT JOIN domain d ON d.tenant_id = :tenant AND d.name_key = CAST(:domain AS text) AND {visible_domain}
            """)
                    .with("may_talk", Visibility.talk("d"))
                    .with("visible_domain", Visibility.domain("d"))
                    .sql();

    /** Returns the condition of a tsquery for all terms of the words in {@code words}, without the tenant's other marks. */
    private static String all(String words) {
        return SqlTemplate.of("""
                (SELECT string_agg(format('''%s.%s''', :tenant, left(t, 255)), ' & ') FROM unnest(string_to_array({words}, ' ')) t)
                """).with("words", words).sql();
    }

    /**
     * CTE {@code item}: what the query asks for. Each has a condition for the index, and its text where the index cannot say
     * that words follow each other. CTE {@code without} has the same for what is excluded.
     */
    private static final String ITEMS = SqlTemplate.of("""
            , item AS MATERIALIZED (
                SELECT words, is_required, {all} || CASE WHEN is_prefix THEN ':*' ELSE '' END AS terms,
                       CASE WHEN strpos(words, ' ') > 0 AND NOT is_prefix THEN ' ' || words || ' ' END AS literal
                  FROM (SELECT DISTINCT message_words(w) AS words, false AS is_required, false AS is_prefix
                          FROM unnest(CAST(:words AS text[])) w
                        UNION ALL
                        SELECT DISTINCT message_words(w), true, false FROM unnest(CAST(:phrases AS text[])) w
                        UNION ALL
                        SELECT DISTINCT message_words(w), false, true FROM unnest(CAST(:prefixes AS text[])) w) x
                 WHERE words <> ''),
            without AS MATERIALIZED (
                SELECT array_agg(' ' || words || ' ') AS every,
                       array_agg(' ' || words || ' ') FILTER (WHERE strpos(words, ' ') > 0) AS literals,
                       string_agg(' & !(' || {all} || ')', '') FILTER (WHERE strpos(words, ' ') = 0) AS terms
                  FROM (SELECT DISTINCT message_words(w) AS words FROM unnest(CAST(:excluded AS text[])) w) x
                 WHERE words <> ''),
            place AS MATERIALIZED (
                SELECT CASE WHEN count(*) = 0 THEN format(' & ''%s#0''', :tenant)
                            WHEN count(*) <= {most} THEN ' & (' || string_agg(format('''%s#%s''', :tenant, r.id), ' | ') || ')'
                            ELSE '' END
                       || COALESCE((SELECT format(' & ''%s.@%s''', :tenant, speaker.id) FROM speaker), '') AS terms
                  FROM (SELECT id FROM reachable LIMIT {most} + 1) r),
            probe AS MATERIALIZED (
                SELECT true AS is_strict, count(*) AS items, array_agg(literal) FILTER (WHERE literal IS NOT NULL) AS literals,
                       CAST(string_agg('(' || item.terms || ')', ' & ') || COALESCE(min(without.terms), '') || min(place.terms) AS tsquery) AS terms
                  FROM item, without, place
                UNION ALL
                SELECT false, count(*), array_agg(item.literal) FILTER (WHERE item.literal IS NOT NULL),
                       CAST(string_agg('(' || item.terms || ')', ' & ') || COALESCE(min(without.terms), '') || min(place.terms) AS tsquery)
                  FROM item, without, place
                 WHERE item.is_required
                HAVING count(*) BETWEEN 1 AND (SELECT count(*) - 1 FROM item)
                UNION ALL
                SELECT false, 1,
                       (SELECT array_agg(r.literal) FROM item r WHERE r.literal IS NOT NULL AND (r.is_required OR r.words = item.words)),
                       CAST('(' || item.terms || ')'
                            || COALESCE((SELECT string_agg(' & (' || r.terms || ')', '') FROM item r WHERE r.is_required), '')
                            || COALESCE(without.terms, '') || place.terms AS tsquery)
                  FROM item, without, place
                 WHERE NOT item.is_required AND (SELECT count(*) FROM item) > 1)
            """)
            .with("all", all("x.words"))
            .with("most", NAMED_STREAMS)
            .sql();

    /** The time, the speaker and the position of a message {@code x}. */
    private static final String NARROWED = """
            (CAST(:since AS timestamptz) IS NULL OR x.created_at >= :since)
            AND (CAST(:until AS timestamptz) IS NULL OR x.created_at <= :until)
            AND (CAST(:agent AS text) IS NULL OR x.speaker_id = (SELECT s.id FROM speaker s))
            """;

    /** Returns the condition that a message {@code x} has none of these texts. {@code OFFSET 0}: its words are computed once, if at all. */
    private static String lacks(String literals) {
        return SqlTemplate.of("""
                CASE WHEN (SELECT {literals} FROM without) IS NOT NULL THEN
                    (SELECT bool_and(strpos(w.words, l) = 0)
                       FROM (SELECT ' ' || message_words(x.content) || ' ' AS words OFFSET 0) w, unnest((SELECT {literals} FROM without)) l)
                    IS NOT FALSE ELSE true END
                """).with("literals", literals).sql();
    }

    /**
     * The messages that the probes of one kind find, in the order of the hits. They are looked up by the terms alone, which contain
     * the tenant: of the tenant's id, a plan for an empty table can choose another index.
     *
     * @param items an expression for the number of items that a message has
     * @param group the clause before the condition: several probes of the loose kind may find a message, so it is grouped
     */
    private static String match(String strict, String when, String items, String group) {
        return SqlTemplate.of("""
                (SELECT f.conversation_id, f.seq, f.created_at, {items} AS matches
                   FROM (SELECT m.*, probe.items
                           FROM probe
                           CROSS JOIN LATERAL (
                               SELECT x.conversation_id, x.seq, x.created_at
                                 FROM message x
                                WHERE x.tenant_id = :tenant
                                  AND message_terms(x.tenant_id, x.conversation_id, x.speaker_id, x.content) @@ probe.terms
                                  AND {narrowed}
                                  AND CASE WHEN probe.literals IS NOT NULL THEN
                                      (SELECT bool_and(strpos(w.words, l) > 0)
                                         FROM (SELECT ' ' || message_words(x.content) || ' ' AS words OFFSET 0) w, unnest(probe.literals) l)
                                      IS NOT FALSE ELSE true END
                                  AND {allowed}
                               OFFSET 0) m
                          WHERE probe.is_strict = {strict} AND {when}
                            AND COALESCE(m.conversation_id IN (SELECT r.id FROM reachable r), false)) f
                  {group} CAST(:matches AS bigint) IS NULL
                     OR ({items}, f.created_at, f.conversation_id, f.seq)
                        < (CAST(:matches AS bigint), CAST(:at AS timestamptz), CAST(:conversation AS bigint), CAST(:seq AS bigint))
                  ORDER BY matches DESC, f.created_at DESC, f.conversation_id DESC, f.seq DESC
                  LIMIT :limit + 1)
                """)
                .with("narrowed", NARROWED)
                .with("allowed", lacks("literals"))
                .with("strict", strict)
                .with("when", when)
                .with("items", items)
                .with("group", group)
                .sql();
    }

    private static String hits(String latest) {
        return SqlTemplate.of("""
                , latest AS (
                    SELECT hit.matches, hit.is_strict, hit.items, m.*
                      FROM ({latest}) hit
                      CROSS JOIN LATERAL (SELECT * FROM message x
                                           WHERE x.tenant_id = :tenant AND x.conversation_id = hit.conversation_id AND x.seq = hit.seq
                                          OFFSET 0) m)
                SELECT m.matches, m.is_strict, m.items, {columns}
                  FROM latest m
                  {joins}
                 ORDER BY m.matches DESC, m.created_at DESC, m.conversation_id DESC, m.seq DESC
                """)
                .with("latest", latest)
                .with("columns", MessageRow.COLUMNS)
                .with("joins", MessageRow.JOINS)
                .sql();
    }

    /** Messages with all that is asked for; if there are none, those with some of it. */
    private static final String BY_WORDS = REACHABLE
            + ITEMS
            + SqlTemplate.of(", strict AS MATERIALIZED {strict}, loose AS MATERIALIZED {loose}")
                    .with("strict", match("true", "CAST(:strict AS boolean) IS NOT FALSE", "f.items", "WHERE"))
                    .with(
                            "loose",
                            match(
                                    "false",
                                    "CAST(:strict AS boolean) IS NOT TRUE AND NOT EXISTS (SELECT 1 FROM strict)",
                                    "sum(f.items)",
                                    "GROUP BY f.conversation_id, f.seq, f.created_at HAVING"))
                    .sql()
            + hits("""
                SELECT strict.*, true AS is_strict, (SELECT count(*) FROM item) AS items FROM strict
                UNION ALL
                SELECT loose.*, false, (SELECT count(*) FROM item) FROM loose
                """);

    private static final String BEFORE = """
            (CAST(:matches AS bigint) IS NULL
             OR (x.created_at, x.conversation_id, x.seq) < (CAST(:at AS timestamptz), CAST(:conversation AS bigint), CAST(:seq AS bigint)))
            """;

    private static final String BY_TIME = REACHABLE
            + ITEMS
            + hits(SqlTemplate.of("""
                SELECT m.conversation_id, m.seq, m.created_at, 1 AS matches, true AS is_strict, 1 AS items
                  FROM reachable r
                  CROSS JOIN LATERAL (SELECT * FROM message x
                                       WHERE x.tenant_id = :tenant AND x.conversation_id = r.id AND {narrowed} AND {before} AND {allowed}
                                       ORDER BY x.created_at DESC, x.seq DESC
                                       LIMIT :limit + 1) m
                 ORDER BY m.created_at DESC, m.conversation_id DESC, m.seq DESC
                 LIMIT :limit + 1
                """)
                    .with("narrowed", NARROWED)
                    .with("before", BEFORE)
                    .with("allowed", lacks("every"))
                    .sql());

    private static final String OF_AGENT_BY_TIME = REACHABLE
            + ITEMS
            + hits(SqlTemplate.of("""
                SELECT x.conversation_id, x.seq, x.created_at, 1 AS matches, true AS is_strict, 1 AS items
                  FROM message x
                 WHERE x.tenant_id = :tenant AND {narrowed} AND {before} AND COALESCE(x.conversation_id IN (SELECT r.id FROM reachable r), false) AND {allowed}
                 ORDER BY x.created_at DESC, x.conversation_id DESC, x.seq DESC
                 LIMIT :limit + 1
                """)
                    .with("narrowed", NARROWED.replace("CAST(:agent AS text) IS NULL OR ", ""))
                    .with("before", BEFORE)
                    .with("allowed", lacks("every"))
                    .sql());

    private static final String FIND_BY_WORDS = String.join(";\n", PLACE, BY_WORDS);

    private static final String FIND_BY_TIME = String.join(";\n", PLACE, BY_TIME);

    private static final String FIND_OF_AGENT_BY_TIME = String.join(";\n", PLACE, OF_AGENT_BY_TIME);

    private final Db db;

    MessageSearchQueries(Db db) {
        this.db = db;
    }

    /**
     * What a search looks for; null does not narrow it.
     *
     * @param isList whether it asks for no words, and at most leaves some out
     */
    record MessageFilter(
            WordQuery query,
            boolean isList,
            @Nullable Name agent,
            @Nullable Name domain,
            @Nullable Name zone,
            @Nullable Instant since,
            @Nullable Instant until,
            @Nullable Position after,
            int limit) {}

    /** A hit after which a page begins. */
    record Position(boolean isStrict, long matches, Instant at, long conversation, long seq) {}

    /** What of the narrowing there is. */
    record Place(
            boolean agentFound, @Nullable String domain, boolean takesPart, boolean zoneFound, List<String> zones) {
        private static Place read(Row row) throws SQLException {
            return row.as(Place.class);
        }
    }

    /**
     * A message that was found.
     *
     * @param matches how many of the words and phrases it has
     * @param items how many the query has
     */
    record Match(StoredMessage message, boolean isStrict, long matches, long items) {
        private static Match read(Row row) throws SQLException {
            return new Match(
                    row.as(StoredMessage.class), row.flag("is_strict"), row.number("matches"), row.number("items"));
        }

        double score() {
            return Math.round(1000.0 * matches / items) / 1000.0;
        }

        Position position() {
            var one = message.message();
            return new Position(
                    isStrict,
                    matches,
                    one.text().createdAt(),
                    message.conversation(),
                    one.place().seq());
        }
    }

    /** The rows may include one more than the limit, which only shows that there are more. */
    record Answer(Place place, List<Match> matches) {}

    /** Reads what is found. */
    Answer find(Call call, MessageFilter filter) {
        var queries = !filter.isList() ? FIND_BY_WORDS : filter.agent() == null ? FIND_BY_TIME : FIND_OF_AGENT_BY_TIME;
        return bind(db.sql(call, queries), filter)
                .all(results -> new Answer(results.next(Place::read).orElseThrow(), results.list(Match::read)));
    }

    private static Statement bind(Statement statement, MessageFilter filter) {
        var query = filter.query();
        var after = filter.after();
        return statement
                .set("words", query.words())
                .set("phrases", query.phrases())
                .set("prefixes", query.prefixes())
                .set("excluded", query.excluded())
                .set("agent", key(filter.agent()))
                .set("domain", key(filter.domain()))
                .set("zone", key(filter.zone()))
                .set("since", filter.since())
                .set("until", filter.until())
                .set("strict", after == null ? null : after.isStrict())
                .set("matches", after == null ? null : after.matches())
                .set("at", after == null ? null : after.at())
                .set("conversation", after == null ? null : after.conversation())
                .set("seq", after == null ? null : after.seq())
                .set("limit", filter.limit());
    }

    private static @Nullable String key(@Nullable Name name) {
        return name == null ? null : name.key();
    }
}
