package io.agentworkspace.engine.domains;

import io.agentworkspace.engine.access.Visibility;
import io.agentworkspace.engine.context.ContextStore;
import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.db.ListSlice;
import io.agentworkspace.engine.db.NamePrefix;
import io.agentworkspace.engine.db.Row;
import io.agentworkspace.engine.db.SqlTemplate;
import io.agentworkspace.engine.messages.MessageRow;
import io.agentworkspace.engine.messages.TextSize;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.domain.Zone;
import io.agentworkspace.engine.model.page.Cursor;
import io.agentworkspace.engine.model.page.Page;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads of zones and their messages: one statement each, including the context. */
public final class ZoneQueries {
    private static final String LIST = ContextStore.WITH_CONTEXT + ", " + DomainQueries.DOMAIN
            + SqlTemplate.of("""
            , page AS (
                SELECT z.*
                  FROM d JOIN zone z ON z.tenant_id = d.tenant_id AND z.domain_id = d.id
                 WHERE z.name_key > :after AND {begins}
                 ORDER BY z.name_key
                 LIMIT :limit + 1)
            SELECT ctx.*, EXISTS (SELECT 1 FROM d) AS found,
                   (SELECT jsonb_agg(jsonb_build_object(
                               'zone', {zone_json}, 'unread', COALESCE(st.last_seq - p.read_seq - p.own_unread, 0),
                               'last_message_at', CASE WHEN {may_talk} THEN st.last_at END)
                           ORDER BY z.name_key)
                      FROM page z
                      JOIN d ON true
                      JOIN stream st ON st.tenant_id = z.tenant_id AND st.id = z.stream_id
                      LEFT JOIN participant p
                             ON p.tenant_id = st.tenant_id AND p.stream_id = st.id
                            AND p.party_id = COALESCE(ctx.self_id, ctx.user_id)) AS rows
              FROM ctx
            """)
                    .with("begins", NamePrefix.of("z"))
                    .with("zone_json", ZoneStore.RECORD)
                    .with("may_talk", Visibility.talk("d"))
                    .sql();

    /** The order of a stream's messages is their seq, whatever the senders' clocks. */
    private static final String READ = ContextStore.WITH_CONTEXT + ", " + DomainQueries.DOMAIN
            + SqlTemplate.of("""
            , caller AS (SELECT {may_talk} AS takes_part FROM d, ctx),
            z AS (
                SELECT z.*
                  FROM ctx CROSS JOIN d
                  JOIN zone z ON z.tenant_id = d.tenant_id AND z.domain_id = d.id
                 WHERE CASE WHEN CAST(:zone AS text) IS NOT NULL THEN z.name_key = :zone
                            WHEN CAST(:domain AS text) IS NOT NULL THEN z.name_key = :main
                            ELSE z.id = ctx.zone_id END),
            latest AS (
                SELECT m.*
                  FROM caller CROSS JOIN z
                  JOIN message m ON m.tenant_id = z.tenant_id AND m.stream_id = z.stream_id
                 WHERE caller.takes_part AND (CAST(:before AS bigint) IS NULL OR m.seq < :before)
                 ORDER BY m.seq DESC
                 LIMIT :limit + 1),
            {shown},
            reader AS (SELECT COALESCE(ctx.self_id, ctx.user_id) AS party_id FROM ctx, caller WHERE caller.takes_part),
            {mark_shown}
            SELECT ctx.*,
                   (SELECT name FROM d) AS domain,
                   (SELECT takes_part FROM caller) AS takes_part,
                   (SELECT {zone_json} FROM z) AS zone,
                   ARRAY(SELECT near.name
                           FROM d JOIN zone near ON near.tenant_id = d.tenant_id AND near.domain_id = d.id
                          WHERE NOT EXISTS (SELECT 1 FROM z)
                          ORDER BY near.name_key
                          LIMIT 500) AS zones,
                   {cleared} AS cleared, {more},
                   (SELECT jsonb_agg({message_json} ORDER BY m.seq) FROM shown m {message_joins}) AS messages
              FROM ctx
            """)
                    .with("may_talk", Visibility.talk("d"))
                    .with(
                            "shown",
                            TextSize.newest("m.seq DESC", "SELECT 2000 + " + TextSize.of("z.description") + " FROM z"))
                    .with("mark_shown", MessageRow.MARK_SHOWN)
                    .with("zone_json", ZoneStore.RECORD)
                    .with("cleared", MessageRow.CLEARED)
                    .with("more", TextSize.MORE)
                    .with("message_json", MessageRow.RECORD)
                    .with("message_joins", MessageRow.JOINS)
                    .sql();

    private final Db db;
    private final DomainQueries domains;

    public ZoneQueries(Db db, DomainQueries domains) {
        this.db = db;
        this.domains = domains;
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
                .one(row -> {
                    ContextStore.read(call, row);
                    return new ZonePage(row.flag("found"), row.jsonList("rows", ZoneSummary.class));
                })
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

    private record ZoneRead(
            @Nullable String domain,
            boolean takesPart,
            @Nullable Zone zone,
            List<String> zones,
            List<Message> messages,
            boolean more) {}

    /**
     * Returns the named zone of the named domain, else the entered one; {@code main} if only a domain is named.
     * Reading marks the zone's messages as read for the speaker.
     *
     * @throws Problem {@code no_context}, {@code not_found}, or {@code conflict} for a user who takes no part in
     *     the domain
     */
    ZoneWithMessages read(Call call, @Nullable Name domain, @Nullable Name zone, @Nullable Page page) {
        var limit = Page.limit(page);
        var found = db.sql(call, READ)
                .set("domain", domain == null ? null : domain.key())
                .set("zone", zone == null ? null : zone.key())
                .set("main", ZoneStore.MAIN)
                .set("readonly", call.isReadOnly())
                .set("before", before(page))
                .set("limit", limit)
                .one(row -> zoneRead(call, row))
                .orElseThrow();
        if (found.domain() == null) {
            throw domains.absent(call, domain);
        }
        if (!found.takesPart()) {
            throw Problem.conflict(ZoneEntry.notMember(call, found.domain()));
        }
        call.checked(OfDomain.HEAR);
        if (found.zone() == null) {
            throw zone == null
                    ? Problem.noContext("no zone is entered: give target.zone, or enter one with ZN_Enter")
                    : ZoneStore.missing(zone, found.zones());
        }
        call.budget().spend(found.zone());
        return new ZoneWithMessages(
                found.zone(),
                ListSlice.newest(call, found.messages(), found.more(), message -> String.valueOf(message.seq())));
    }

    private static ZoneRead zoneRead(Call call, Row row) throws SQLException {
        var context = ContextStore.read(call, row);
        call.context(context.withUnread(context.unread() - row.number("cleared")));
        return new ZoneRead(
                row.textOrNull("domain"),
                row.flag("takes_part"),
                row.json("zone", Zone.class),
                row.texts("zones"),
                row.jsonList("messages", Message.class),
                row.flag("more"));
    }

    private static @Nullable Long before(@Nullable Page page) {
        var keys = Page.after(page, 1);
        try {
            return keys.isEmpty() ? null : (Long) Long.parseLong(keys.getFirst());
        } catch (NumberFormatException e) {
            throw Cursor.invalid();
        }
    }
}
