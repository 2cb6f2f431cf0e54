package io.agentworkspace.engine.workspace.tasks;

import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.context.TagQueries;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.task.TaskState;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.domains.DomainQueries;
import io.agentworkspace.engine.workspace.domains.ZoneEntry;
import io.agentworkspace.engine.workspace.reservations.Reservation;
import io.agentworkspace.engine.workspace.reservations.ReservationRow;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads of tasks: one statement each. */
final class TaskQueries {
    private static final String SPEAKER = "COALESCE(:self, :user)";

    private static final String AGENT =
            SqlTemplate.of("""
            (SELECT a.id FROM agent a
              WHERE a.tenant_id = :tenant AND a.name_key = :agent AND a.destroyed_at IS NULL
                AND ({visible_agent} OR EXISTS (SELECT 1 FROM membership m JOIN d ON d.id = m.domain_id
                                                 WHERE m.tenant_id = :tenant AND m.agent_id = a.id AND m.state = 'member')))
            """).with("visible_agent", Visibility.agent("a")).sql();

    /** Which state a task shows that its holder has lost, though it is not yet freed. */
    private static final String PRESENT_STATE = "CASE WHEN " + TaskRow.EXPIRED + " THEN 'open' ELSE t.state END";

    /** What else is asked of the tasks of a party. */
    private static final String CONDITION = SqlTemplate.of("""
            (CAST(:state AS text) IS NULL OR {state_now} = :state)
                    AND (NOT :ready OR {ready})
                    AND (NOT :mine OR t.holder_id = {speaker} OR t.assignee_id = {speaker})""")
            .with("state_now", PRESENT_STATE)
            .with("ready", TaskRow.READY)
            .with("speaker", SPEAKER)
            .sql();

    private static final String LIST_ALL = listStatement(slice("true"));

    private static final String LIST_STATE = listStatement(slice("t.state = :state AND NOT " + TaskRow.EXPIRED));

    private static final String LIST_OPEN = listStatement(slice("t.state = 'open'") + " UNION ALL " + expired("true"));

    /** Nothing is both ready and in another state than open. */
    private static final String LIST_READY =
            listStatement(slice("t.state = 'open' AND t.unmet = 0 AND COALESCE(:state, 'open') = 'open'")
                    + " UNION ALL "
                    + expired("t.unmet = 0 AND COALESCE(:state, 'open') = 'open'"));

    private static final String LIST_MINE = listStatement(ofParty(SPEAKER));

    private static final String LIST_AGENT = listStatement(ofParty(AGENT));

    private static String expired(String condition) {
        return slice(TaskRow.expiredIn("(SELECT d.id FROM d)") + " AND " + condition);
    }

    /** What a party holds, and what it is assigned: each in the order of an index, state by state. */
    private static String ofParty(String party) {
        var assigned = SqlTemplate.of(
                        "t.assignee_id = {party} AND t.state = one.state AND t.holder_id IS DISTINCT FROM {party} AND {condition}")
                .with("party", party)
                .with("condition", CONDITION)
                .sql();
        return SqlTemplate.of("""
                {own_work}
                 UNION ALL
                (SELECT mine.*
                   FROM unnest(CASE WHEN CAST(:state AS text) IS NULL THEN ARRAY['open', 'doing', 'blocked', 'done', 'cancelled']
                                    WHEN :state = 'open' THEN ARRAY['open', 'doing']
                                    ELSE ARRAY[CAST(:state AS text)] END) one (state)
                  CROSS JOIN LATERAL {assigned} mine)
                """)
                .with("own_work", slice("t.holder_id = " + party + " AND " + CONDITION))
                .with("assigned", slice(assigned))
                .sql();
    }

    /** The newest tasks of the domain on a page that one index leads to. */
    private static String slice(String condition) {
        return SqlTemplate.of("""
                (SELECT t.*
                   FROM task t
                  WHERE t.tenant_id = :tenant AND t.domain_id = (SELECT d.id FROM d WHERE {may_talk}) AND {condition}
                    AND {has_tags}
                    AND (t.created_at, t.id) < (COALESCE(CAST(:before AS timestamptz), 'infinity'),
                                                COALESCE(CAST(:before_id AS uuid), CAST({last} AS uuid)))
                  ORDER BY t.created_at DESC, t.id DESC
                  LIMIT :limit + 1)
                """)
                .with("may_talk", Visibility.talk("d"))
                .with("condition", condition)
                .with("has_tags", TagQueries.hasAll("t.tags"))
                .with("last", "'ffffffff-ffff-ffff-ffff-ffffffffffff'")
                .sql();
    }

    private static String listStatement(String slices) {
        return "WITH "
                + DomainQueries.DOMAIN
                + SqlTemplate.of("""
                , page AS (SELECT t.* FROM ({slices}) t ORDER BY t.created_at DESC, t.id DESC LIMIT :limit + 1)
                SELECT (SELECT d.name FROM d) AS found, (SELECT {may_talk} FROM d) AS takes_part,
                       CASE WHEN CAST(:agent AS text) IS NULL THEN true ELSE {agent} IS NOT NULL END AS agent_found,
                       (SELECT jsonb_agg(jsonb_build_object('task', {record}, 'unmet', t.unmet)
                                         ORDER BY t.created_at DESC, t.id DESC)
                          FROM page t CROSS JOIN d) AS rows,
                       (SELECT jsonb_agg({reservation} ORDER BY r.repository, r.path, r.id)
                          FROM reservation r CROSS JOIN d
                         WHERE :paths AND {may_talk} AND r.tenant_id = :tenant AND r.domain_id = d.id
                           AND r.lease_until > clock_timestamp()) AS reservations
                """)
                        .with("slices", slices)
                        .with("may_talk", Visibility.talk("d"))
                        .with("agent", AGENT)
                        .with("record", TaskRow.RECORD)
                        .with("reservation", ReservationRow.RECORD)
                        .sql();
    }

    private static final String READ = SqlTemplate.of("""
            WITH found AS (SELECT t.id, d.id AS domain_id, d.name, {may_talk} AS takes_part
                          FROM task t JOIN domain d ON d.tenant_id = :tenant AND d.id = t.domain_id
                         WHERE t.tenant_id = :tenant AND t.id = :id AND {visible_domain})
            SELECT (SELECT f.name FROM found f) AS found, (SELECT f.takes_part FROM found f) AS takes_part,
                   (SELECT {record}
                      FROM found f JOIN task t ON t.tenant_id = :tenant AND t.id = f.id
                      JOIN domain d ON d.tenant_id = :tenant AND d.id = t.domain_id
                     WHERE f.takes_part) AS record,
                   (SELECT jsonb_agg(jsonb_build_object('revision', t.revision, 'at', t.at, 'by', {by}, 'what', t.what,
                                                        'note', t.note) ORDER BY t.revision DESC)
                      FROM (SELECT h.*
                              FROM found f JOIN task_change h ON h.tenant_id = :tenant AND h.task_id = f.id
                             WHERE f.takes_part AND (CAST(:before AS bigint) IS NULL OR h.revision < :before)
                             ORDER BY h.revision DESC
                             LIMIT :limit + 1) t) AS history
            """)
            .with("may_talk", Visibility.talk("d"))
            .with("visible_domain", Visibility.domain("d"))
            .with("record", TaskRow.RECORD)
            .with("by", TaskRow.party("t.by_id"))
            .sql();

    private final Db db;
    private final DomainQueries domains;
    private final AgentStore agents;

    TaskQueries(Db db, DomainQueries domains, AgentStore agents) {
        this.db = db;
        this.domains = domains;
        this.agents = agents;
    }

    /** Which tasks of a domain to list. */
    record TaskFilter(
            @Nullable TaskState state,
            boolean ready,
            boolean mine,
            @Nullable Name agent,
            List<String> tags,
            boolean paths) {
        String statement() {
            return agent != null
                    ? LIST_AGENT
                    : mine ? LIST_MINE : ready ? LIST_READY : state == null ? LIST_ALL : ofState(state);
        }

        private static String ofState(TaskState state) {
            return state == TaskState.OPEN ? LIST_OPEN : LIST_STATE;
        }
    }

    /** A task of a list, and how many of those before it are not done. */
    record ListedTask(Task task, long unmet) {}

    /** A page of tasks, and the reservations of the domain if they were asked for. */
    record TaskPage(ListSlice<ListedTask> tasks, List<Reservation> reservations) {}

    private record FoundPage(
            @Nullable String domain,
            boolean takesPart,
            boolean agentFound,
            List<ListedTask> rows,
            List<Reservation> reservations) {}

    /** @throws Problem {@code no_context}, {@code not_found}, or {@code conflict} for a user who takes no part */
    TaskPage list(Call call, @Nullable Name domain, TaskFilter filter, @Nullable Page page) {
        var limit = Page.limit(page);
        var keys = Page.after(page, 3);
        if (!keys.isEmpty() && !keys.getFirst().equals(call.service())) {
            throw Cursor.invalid();
        }
        var found = db.sql(call, filter.statement())
                .set("domain", domain == null ? null : domain.key())
                .set("state", filter.state() == null ? null : filter.state().word())
                .set("ready", filter.ready())
                .set("mine", filter.mine())
                .set("agent", filter.agent() == null ? null : filter.agent().key())
                .set("tags", TagQueries.patterns(filter.tags()))
                .set("paths", filter.paths())
                .set("before", keys.isEmpty() ? null : at(keys.get(1)))
                .set("before_id", keys.isEmpty() ? null : id(keys.get(2)))
                .set("limit", limit)
                .one(row -> new FoundPage(
                        row.textOrNull("found"),
                        row.flag("takes_part"),
                        row.flag("agent_found"),
                        row.jsonList("rows", ListedTask.class),
                        row.jsonList("reservations", Reservation.class)))
                .orElseThrow();
        if (found.domain() == null) {
            throw domains.absent(call, domain);
        }
        requireTakesPart(call, found.domain(), found.takesPart());
        if (!found.agentFound()) {
            throw agents.missing(call, Objects.requireNonNull(filter.agent()));
        }
        return new TaskPage(
                ListSlice.of(
                        call,
                        found.rows(),
                        limit,
                        last -> Cursor.of(
                                call.service(),
                                last.task().createdAt().toString(),
                                last.task().id())),
                found.reservations());
    }

    private static void requireTakesPart(Call call, String domain, boolean takesPart) {
        if (!takesPart) {
            throw Problem.conflict(ZoneEntry.notMember(call, domain));
        }
        call.checked(OfDomain.HEAR);
    }

    private static Instant at(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw Cursor.invalid();
        }
    }

    private static UUID id(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw Cursor.invalid();
        }
    }

    /** A task and a part of its history, oldest first. */
    record TaskWithHistory(Task task, ListSlice<TaskChange> history) {}

    private record FoundTask(
            @Nullable String domain,
            boolean takesPart,
            @Nullable Task task,
            List<TaskChange> history) {}

    /** @throws Problem {@code not_found}, or {@code conflict} for a user who takes no part in its domain */
    TaskWithHistory read(Call call, UUID id, @Nullable Page page) {
        var limit = Page.limit(page);
        var keys = Page.after(page, 2);
        if (!keys.isEmpty() && !keys.getFirst().equals(id.toString())) {
            throw Cursor.invalid();
        }
        var found = db.sql(call, READ)
                .set("id", id)
                .set("before", keys.isEmpty() ? null : revision(keys.get(1)))
                .set("limit", limit)
                .one(row -> new FoundTask(
                        row.textOrNull("found"),
                        row.flag("takes_part"),
                        row.json("record", Task.class),
                        row.jsonList("history", TaskChange.class)))
                .orElseThrow();
        if (found.domain() == null) {
            throw TaskStore.missing(id);
        }
        requireTakesPart(call, found.domain(), found.takesPart());
        var history = ListSlice.of(
                call, found.history(), limit, last -> Cursor.of(id.toString(), Long.toString(last.revision())));
        return new TaskWithHistory(
                Objects.requireNonNull(found.task()),
                new ListSlice<>(history.rows().reversed(), history.nextCursor()));
    }

    private static long revision(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw Cursor.invalid();
        }
    }
}
