package io.agentworkspace.engine.workspace.domains;

import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.NamePrefix;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.messages.MessagePages;
import io.agentworkspace.engine.workspace.messages.StoredMessage;
import io.agentworkspace.engine.workspace.messages.ThreadQueries;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads of zones and their messages: one statement each. */
final class ZoneQueries {
    private static final String LIST = "WITH " + DomainQueries.DOMAIN
            + SqlTemplate.of("""
            , page AS (
                SELECT z.*
                  FROM d JOIN zone z ON z.tenant_id = :tenant AND z.domain_id = d.id
                 WHERE z.name_key > :after AND {begins}
                 ORDER BY z.name_key
                 LIMIT :limit + 1)
            SELECT EXISTS (SELECT 1 FROM d) AS found,
                   (SELECT jsonb_agg(jsonb_build_object(
                               'zone', {zone_json}, 'unread', COALESCE(st.last_seq - p.read_seq - p.own_unread, 0),
                               'last_message_at', CASE WHEN {may_talk} THEN st.last_at END)
                           ORDER BY z.name_key)
                      FROM page z
                      JOIN d ON true
                      JOIN conversation st ON st.tenant_id = :tenant AND st.id = z.conversation_id
                      LEFT JOIN participant p
                             ON p.tenant_id = :tenant AND p.conversation_id = st.id
                            AND p.party_id = COALESCE(:self, :user)) AS rows
            """)
                    .with("begins", NamePrefix.of("z"))
                    .with("zone_json", ZoneStore.RECORD)
                    .with("may_talk", Visibility.talk("d"))
                    .sql();

    /** The named zone {@code z} of the domain {@code d}; {@code main} if only a domain is named; else the entered one. */
    private static final String ZONE = """
            zone z ON z.tenant_id = :tenant AND z.domain_id = d.id
                  AND CASE WHEN CAST(:zone AS text) IS NOT NULL THEN z.name_key = :zone
                           WHEN CAST(:domain AS text) IS NOT NULL THEN z.name_key = :main
                           ELSE z.id = COALESCE(:entered_zone, 0) END
            """;

    private static final String READ_ZONE = SqlTemplate.of("""
            SELECT d.name AS domain, {may_talk} AS takes_part, z.conversation_id, z.name, z.description, {whole}, z.created_at
              FROM domain d LEFT JOIN {zone}
             WHERE {condition}
            """)
            .with("whole", SqlTemplate.WHOLE)
            .with("may_talk", Visibility.talk("d"))
            .with("zone", ZONE)
            .with("condition", DomainQueries.CONDITION)
            .sql();

    /** The order of a stream's messages is their seq, whatever the senders' clocks. */
    private static final String READ_MESSAGES = SqlTemplate.of("""
            WITH latest AS (
                SELECT m.*
                  FROM domain d JOIN {zone}
                  CROSS JOIN LATERAL (SELECT * FROM message x
                                       WHERE x.tenant_id = :tenant AND x.conversation_id = z.conversation_id
                                         AND (CAST(:before AS bigint) IS NULL OR x.seq < :before)
                                       ORDER BY x.seq DESC
                                       LIMIT :limit + 1) m
                 WHERE {condition} AND {may_talk})
            {messages}
            """)
            .with("zone", ZONE)
            .with("condition", DomainQueries.CONDITION)
            .with("may_talk", Visibility.talk("d"))
            .with("messages", MessagePages.columns("", "seq DESC"))
            .sql();

    private static final String READ = String.join(";\n", READ_ZONE, READ_MESSAGES);

    private static final String THREAD = ThreadQueries.page(
            "",
            SqlTemplate.of("""
            domain d JOIN {zone}
                      JOIN message m ON m.tenant_id = :tenant AND m.conversation_id = z.conversation_id
                     WHERE {condition} AND {may_talk}
            """)
                    .with("zone", ZONE)
                    .with("condition", DomainQueries.CONDITION)
                    .with("may_talk", Visibility.talk("d"))
                    .sql());

    private static final String READ_THREAD = String.join(";\n", READ_ZONE, "WITH " + THREAD);

    private static final String NAMES =
            SqlTemplate.of("""
            SELECT z.name
              FROM domain d JOIN zone z ON z.tenant_id = :tenant AND z.domain_id = d.id
             WHERE {condition}
             ORDER BY z.name_key
             LIMIT 500
            """).with("condition", DomainQueries.CONDITION).sql();

    private final Db db;
    private final DomainQueries domains;
    private final MessagePages pages;

    public ZoneQueries(Db db, DomainQueries domains) {
        this.db = db;
        this.domains = domains;
        this.pages = new MessagePages(db);
    }

    /** One row of a list, with the number of messages there that the speaker has not read. */
    record ZoneSummary(Zone zone, long unread, @Nullable Instant lastMessageAt) {}

    private record ZonePage(boolean found, List<ZoneSummary> rows) {}

    /**
     * Returns the zones of the named domain, else of the entered one. With a prefix, only those whose names start
     * with it.
     *
     * @throws Problem {@code no_context}, {@code not_found}
     */
    ListSlice<ZoneSummary> list(Call call, @Nullable Name domain, @Nullable Name prefix, @Nullable Page page) {
        var limit = Page.limit(page);
        var after = Cursor.readName(call.service(), page);
        var listed = db.sql(call, LIST)
                .set("domain", domain == null ? null : domain.key())
                .set("prefix", prefix == null ? "" : prefix.key())
                .set("after", after)
                .set("limit", limit)
                .one(row -> row.as(ZonePage.class))
                .orElseThrow();
        if (!listed.found()) {
            throw domains.absent(call, domain);
        }
        return ListSlice.of(
                call,
                listed.rows(),
                limit,
                last -> Cursor.ofName(call.service(), Name.key(last.zone().name())));
    }

    /** A zone, and its latest messages, oldest first. */
    record ZoneWithMessages(Zone zone, ListSlice<Message> messages) {}

    /** The rows of a read; the messages in the order of the statement. {@code zone} is null if there is no such zone. */
    private record ZoneRead(
            String domain,
            boolean takesPart,
            long conversation,
            @Nullable Zone zone,
            List<StoredMessage> messages) {}

    /**
     * Returns the named zone of the named domain, else the entered one; {@code main} if only a domain is named.
     * Reading marks the zone's messages as read for the speaker.
     *
     * @throws Problem {@code no_context}, {@code not_found}, or {@code conflict} for a user who takes no part in
     *     the domain
     */
    ZoneWithMessages read(Call call, @Nullable Name domain, @Nullable Name zone, @Nullable Page page) {
        var limit = Page.limit(page);
        var keys = Page.after(page, 2);
        var before = before(keys);
        var read = find(
                call, domain, zone, db.sql(call, READ).set("before", before).set("limit", limit));
        Cursor.requireSame(keys, read.conversation());
        var messages = MessagePages.fit(
                call,
                read.messages(),
                limit,
                read.conversation(),
                message -> Long.toString(message.place().seq()));
        pages.mark(call, read.messages(), messages);
        return new ZoneWithMessages(Objects.requireNonNull(read.zone()), messages);
    }

    /**
     * Returns the same zone, and a thread instead of its latest messages. Nothing is marked as read, since others may have been
     * sent between its messages.
     */
    ZoneWithMessages readThread(
            Call call, @Nullable Name domain, @Nullable Name zone, UUID thread, @Nullable Page page) {
        var read = find(
                call,
                domain,
                zone,
                db.sql(call, READ_THREAD)
                        .set("thread", thread)
                        .set("after", ThreadQueries.after(page))
                        .set("limit", Page.limit(page)));
        return new ZoneWithMessages(
                Objects.requireNonNull(read.zone()), ThreadQueries.fit(call, thread, read.messages(), page));
    }

    private ZoneRead find(Call call, @Nullable Name domain, @Nullable Name zone, Statement statement) {
        var read = named(statement, domain)
                .set("zone", zone == null ? null : zone.key())
                .set("main", ZoneStore.MAIN)
                .all(ZoneQueries::zoneRead)
                .orElseThrow(() -> domains.absent(call, domain));
        if (!read.takesPart()) {
            throw Problem.conflict(ZoneEntry.notMember(call, read.domain()));
        }
        call.checked(OfDomain.HEAR);
        if (read.zone() == null) {
            throw zone == null
                    ? Problem.noContext("no zone is entered: give target.zone, or enter one with ZN_Enter")
                    : ZoneStore.missing(zone, named(db.sql(call, NAMES), domain).list(row -> row.text("name")));
        }
        call.budget().spend(read.zone());
        return read;
    }

    private static Statement named(Statement statement, @Nullable Name domain) {
        return statement.set("domain", domain == null ? null : domain.key());
    }

    private static Optional<ZoneRead> zoneRead(Statement.Results results) throws SQLException {
        var found = results.next(row ->
                new FoundZone(row.text("domain"), row.flag("takes_part"), row.number("conversation_id"), zone(row)));
        var newest = results.list(row -> row.as(StoredMessage.class));
        return found.map(zone -> new ZoneRead(
                zone.domain(),
                zone.takesPart(),
                zone.conversation(),
                zone.zone(),
                // Another zone may have got the name between the two statements.
                newest.stream()
                        .filter(message -> message.conversation() == zone.conversation())
                        .toList()));
    }

    private record FoundZone(
            String domain,
            boolean takesPart,
            long conversation,
            @Nullable Zone zone) {}

    private static @Nullable Zone zone(Row row) throws SQLException {
        return row.numberOrNull("conversation_id") == null ? null : row.as(Zone.class);
    }

    private static @Nullable Long before(List<String> keys) {
        try {
            return keys.isEmpty() ? null : (Long) Long.parseLong(keys.getLast());
        } catch (NumberFormatException e) {
            throw Cursor.invalid();
        }
    }
}
