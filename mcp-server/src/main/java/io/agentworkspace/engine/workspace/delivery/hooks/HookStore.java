package io.agentworkspace.engine.workspace.delivery.hooks;

import io.agentworkspace.engine.kernel.context.Unread;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.workspace.delivery.hooks.HookSession.SessionKey;
import io.agentworkspace.engine.workspace.messages.ReceiptStore;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Stores the sessions of coding agents, and what was announced to each. Read marks are never changed. */
final class HookStore {
    /** How long a session is kept that sends no event. */
    private static final Duration KEPT = Duration.ofDays(30);

    /** The most sessions of an agent. */
    static final int MOST = 100;

    /** The most messages of a stream that are counted. */
    private static final int COUNTED = 1_000;

    private static final String SELF = """
            self AS MATERIALIZED (
                SELECT a.id, a.name, a.description,
                       (SELECT o.name FROM app_user o WHERE o.tenant_id = :tenant AND o.id = a.owner_id) AS owner
                  FROM agent a
                 WHERE a.tenant_id = :tenant AND a.id = :bound AND a.destroyed_at IS NULL
                   AND (a.owner_id = :user OR :admin))
            """;

    /** Makes room for a session that is new: those of the agent that have been silent longest give way. */
    private static final String ROOM = """
            room AS (
                DELETE FROM hook_session
                 WHERE tenant_id = :tenant AND agent_id = :bound
                   AND session IN (SELECT h.session
                                     FROM hook_session h
                                    WHERE h.tenant_id = :tenant AND h.agent_id = :bound
                                      AND NOT EXISTS (SELECT 1 FROM hook_session earlier
                                                       WHERE earlier.tenant_id = :tenant AND earlier.agent_id = :bound
                                                         AND earlier.session = :session)
                                    ORDER BY h.seen_at DESC, h.session
                                   OFFSET :most
                                      FOR UPDATE SKIP LOCKED))
            """;

    /**
     * A session's listeners are numbered from the time in ms at which it was stored. So one that is forgotten and comes back
     * does not use a number again.
     */
    private static final String FIRST_NUMBER = "CAST(extract(epoch FROM CAST(:now AS timestamptz)) * 1000 AS bigint)";

    /** What is known of the client's connection to our tools after an event: its start makes it uncertain, and only proof is certain. */
    private static final String CONNECTED = """
            CASE WHEN :started THEN excluded.connected ELSE COALESCE(excluded.connected, h.connected) END""";

    /** Creates the session, or keeps its state current. Nothing is written if nothing changes within a minute. */
    private static final String TOUCHED = ", " + ROOM + """
            , touched AS (
                INSERT INTO hook_session AS h (tenant_id, agent_id, session, client, state, seen_at, connected, listener)
                SELECT home.tenant_id, self.id, :session, :client, :state, :now, CAST(:connected AS boolean),""" + FIRST_NUMBER + """

                  FROM tenant_plan home CROSS JOIN self
                 WHERE home.tenant_id = :tenant
                ON CONFLICT (tenant_id, agent_id, session) DO UPDATE
                   SET state = excluded.state, client = excluded.client, seen_at = excluded.seen_at, connected =""" + CONNECTED + """

                 WHERE h.state <> excluded.state OR excluded.seen_at - h.seen_at > INTERVAL '1 minute'
                    OR h.connected IS DISTINCT FROM
                 """ + CONNECTED + ")\n";

    private static final String STORED = """
            (SELECT h.announced FROM hook_session h
              WHERE h.tenant_id = :tenant AND h.agent_id = :bound AND h.session = :session)""";

    private static final String LOOK = "WITH " + SELF + TOUCHED + news(STORED);

    private static final String LOOK_AGAIN = "WITH " + SELF + news("CAST(CAST(:announced AS text) AS jsonb)");

    /**
     * Returns the query for messages of others after the read mark and after what was announced.
     *
     * @param announced an expression for a JSON object with the position in each stream
     */
    private static String news(String announced) {
        return SqlTemplate.of("""
            , waiting AS MATERIALIZED (
                SELECT p.conversation_id, st.low_id IS NOT NULL AS is_direct, {last} AS last_seq,
                       greatest(p.read_seq, COALESCE(CAST(note.announced ->> CAST(p.conversation_id AS text) AS bigint), 0)) AS since
                  FROM self
                  CROSS JOIN (SELECT {announced} AS announced) note
                  JOIN participant p ON p.tenant_id = :tenant AND p.party_id = self.id AND {may_wait}
                  CROSS JOIN LATERAL (SELECT * FROM conversation x
                                       WHERE x.tenant_id = :tenant AND x.id = p.conversation_id OFFSET 0) st
                 WHERE {last} > p.read_seq + p.own_unread
                   AND CASE WHEN st.low_id IS NULL THEN :zones ELSE :direct END),
            fresh AS (
                SELECT m.conversation_id, m.speaker_id, count(*) AS count, max(m.created_at) AS at
                  FROM self
                  CROSS JOIN waiting w
                  CROSS JOIN LATERAL (SELECT * FROM message x
                                       WHERE x.tenant_id = :tenant AND x.conversation_id = w.conversation_id AND x.seq > w.since
                                         AND x.speaker_id <> self.id
                                         AND (:notices OR NOT x.notice OR w.is_direct)
                                         AND (x.changes IS NULL OR w.is_direct)
                                       ORDER BY x.seq
                                       LIMIT :counted) m
                 GROUP BY m.conversation_id, m.speaker_id)
            SELECT self.name, self.owner, self.description,
                   COALESCE((SELECT h.connected FROM hook_session h
                              WHERE h.tenant_id = :tenant AND h.agent_id = :bound AND h.session = :session), true) AS readable,
                   (SELECT jsonb_object_agg(CAST(w.conversation_id AS text), w.last_seq) FROM waiting w) AS positions,
                   (SELECT jsonb_agg(jsonb_build_object('name', speaker.name, 'user', speaker.kind = 'user', 'count', f.count,
                                                        'domain', d.name, 'zone', z.name)
                                     ORDER BY f.at DESC)
                      FROM fresh f
                      CROSS JOIN LATERAL (SELECT * FROM party x
                                           WHERE x.tenant_id = :tenant AND x.id = f.speaker_id OFFSET 0) speaker
                      LEFT JOIN LATERAL (SELECT * FROM zone x
                                          WHERE x.tenant_id = :tenant AND x.conversation_id = f.conversation_id OFFSET 0) z ON true
                      LEFT JOIN LATERAL (SELECT * FROM domain x
                                          WHERE x.tenant_id = :tenant AND x.id = z.domain_id OFFSET 0) d ON true) AS senders
              FROM self
            """)
                .with("last", Unread.LAST)
                .with("may_wait", Unread.MAY_WAIT)
                .with("announced", announced)
                .sql();
    }

    private static final String LOCK = """
            SELECT announced, line, unconfirmed, listener, connected IS NOT FALSE AS is_connected,
                   client = 'codex' AND state = 'busy' AND seen_at > CAST(:now AS timestamptz) - INTERVAL '15 minutes' AS hears_by_hook
              FROM hook_session
             WHERE tenant_id = :tenant AND agent_id = :bound AND session = :session
               FOR UPDATE
            """;

    private static final String ANNOUNCE = """
            UPDATE hook_session
               SET announced = CAST(CAST(:announced AS text) AS jsonb), line = :line, listener = :listener,
                   unconfirmed = CAST(CAST(:unconfirmed AS text) AS jsonb)
             WHERE tenant_id = :tenant AND agent_id = :bound AND session = :session
            """;

    private static final String OPEN = "WITH " + ROOM + """
            INSERT INTO hook_session AS h (tenant_id, agent_id, session, client, state, seen_at, connected, listener)
            VALUES (:tenant, :bound, :session, :client, 'idle', :now, CAST(:connected AS boolean),""" + FIRST_NUMBER + """
            )
            ON CONFLICT (tenant_id, agent_id, session) DO UPDATE
               SET seen_at = excluded.seen_at, connected = COALESCE(h.connected, excluded.connected)
            """;

    private static final String END = """
            WITH gone AS (
                DELETE FROM hook_session
                 WHERE tenant_id = :tenant AND agent_id = :bound AND session = :session)
            SELECT EXISTS (SELECT 1 FROM hook_session h
                            WHERE h.tenant_id = :tenant AND h.agent_id = :bound AND h.session <> :session
                              AND h.seen_at > CAST(:now AS timestamptz) - INTERVAL '15 minutes') AS others
            """;

    /** The newest listener of each of these sessions that still exists. */
    private static final String LISTENERS = """
            SELECT h.agent_id, h.session, h.listener AS number, h.line, h.connected IS NOT FALSE AS is_connected
              FROM unnest(CAST(:agents AS bigint[]), CAST(:sessions AS text[])) t (agent, name)
              JOIN hook_session h ON h.tenant_id = :tenant AND h.agent_id = t.agent AND h.session = t.name
            """;

    /** Which of these agents have unread messages, and up to which message of each stream. */
    private static final String WAITING = SqlTemplate.of("""
            SELECT t.id AS party, jsonb_object_agg(CAST(p.conversation_id AS text), {last}) AS positions
              FROM unnest(CAST(:parties AS bigint[])) t (id)
              JOIN participant p ON p.tenant_id = :tenant AND p.party_id = t.id AND {may_wait}
             WHERE {last} > p.read_seq + p.own_unread
             GROUP BY t.id
            """)
            .with("last", Unread.LAST)
            .with("may_wait", Unread.MAY_WAIT)
            .sql();

    private static final String OLD = Db.oldRows("hook_session", "tenant_id, agent_id, session", "seen_at < :until");

    private final Db db;
    private final Clock clock;
    private final ReceiptStore receipts;

    HookStore(Db db, Clock clock) {
        this.db = db;
        this.clock = clock;
        this.receipts = new ReceiptStore(db);
    }

    /** What a session does. */
    enum State {
        IDLE,
        BUSY;

        private String word() {
            return this == IDLE ? "idle" : "busy";
        }
    }

    /** What a session is told: the messages, and the number of the line if it is a wake-up. */
    record Announcement(News news, long line) {}

    /**
     * A listener of a session.
     *
     * @param number later ones have higher numbers, and only the last one is told
     * @param line the last line that was sent to the session
     * @param isConnected whether its client is not known to be without our tools
     */
    record Listener(long number, long line, boolean isConnected) {}

    /** What an event says of the client's connection to our tools: nothing, that it has just started, or that it has used it. */
    enum Evidence {
        NONE,
        STARTED,
        CONNECTED
    }

    /**
     * What a listener is to do.
     *
     * @param announcement null if there is nothing to tell
     * @param isReplaced whether the session has a newer listener, or is forgotten
     * @param isLater whether something waits that a running turn may yet hear of from its hooks
     */
    record Waking(@Nullable Announcement announcement, boolean isReplaced, boolean isLater) {}

    /** Notes what the session does, and returns what it has not been told, in one statement. Empty if there is no such agent. */
    Optional<News> look(HookSession session, State state, Evidence evidence, Instant now) {
        return bound(db.sql(LOOK), session)
                .set("client", session.client().word())
                .set("state", state.word())
                .set("started", evidence == Evidence.STARTED)
                .set("connected", evidence == Evidence.CONNECTED ? Boolean.TRUE : null)
                .set("now", now)
                .set("notices", true)
                .one(HookStore::news);
    }

    /**
     * Returns what the session has not been told, and remembers that it is told now. Of concurrent calls, one gets it.
     *
     * @param all whether it is told what it was told before, too
     * @param inTime is called before anything is remembered; if it returns false, nothing is
     */
    Optional<News> announce(HookSession session, boolean all, BooleanSupplier inTime) {
        return db.transaction(() -> locked(session).flatMap(position -> {
            var before = all ? Positions.NONE : position.announced();
            var news = fresh(session, before, true).filter(found -> (all || !found.isEmpty()) && inTime.getAsBoolean());
            news.ifPresent(found -> {
                save(session, position.announced(found.positions()));
                deliver(session, before, found);
            });
            return news;
        }));
    }

    /**
     * Does the same for a listener, as a numbered line that is taken back if the listener did not get it. While a turn of Codex
     * runs, this is left to its hooks: what is queued for Codex is read in the next turn only.
     */
    Waking wake(HookSession session, long listener) {
        return db.transaction(() -> {
            var position = locked(session).filter(found -> found.listener() == listener);
            var news = position.flatMap(found -> fresh(session, found.announced(), false))
                    .filter(found -> !found.isEmpty());
            var isLater = news.isPresent() && position.get().hearsByHook();
            var announcement =
                    isLater || !position.map(AnnouncementState::isConnected).orElse(false)
                            ? null
                            : news.map(found -> announced(session, position.get(), found))
                                    .orElse(null);
            return new Waking(announcement, position.isEmpty(), isLater);
        });
    }

    private Announcement announced(HookSession session, AnnouncementState before, News news) {
        var line = before.line() + 1;
        var undo = Undo.of(before.announced(), news.positions());
        save(
                session,
                new AnnouncementState(
                        news.positions(),
                        line,
                        before.unconfirmed().with(line, undo),
                        before.listener(),
                        before.isConnected(),
                        before.hearsByHook()));
        deliver(session, before.announced(), news);
        return new Announcement(news, line);
    }

    /** @param notices whether notices in zones count, too */
    private Optional<News> fresh(HookSession session, Positions announced, boolean notices) {
        return bound(db.sql(LOOK_AGAIN), session)
                .set("announced", Json.text(announced.last()))
                .set("notices", notices)
                .one(HookStore::news);
    }

    private void deliver(HookSession session, Positions before, News news) {
        if (!news.isEmpty()) {
            receipts.delivered(
                    session.caller().tenant(),
                    session.agent(),
                    before.last(),
                    news.positions().last(),
                    clock.instant());
        }
    }

    /**
     * Begins to wake a session, which is created if it has sent no event yet. What its last listener did not get is told
     * again; older listeners are told nothing more.
     *
     * @param received the number of the last line that the listener got; -1 if it is new
     * @param isConnected whether nothing says that its client has no tools
     */
    Listener open(HookSession session, long received, boolean isConnected, Instant now) {
        return db.transaction(() -> {
            bound(db.sql(OPEN), session)
                    .set("client", session.client().word())
                    .set("now", now)
                    .set("connected", isConnected ? null : Boolean.FALSE)
                    .run();
            var position = locked(session).orElseThrow(Problem::unavailable);
            return reopen(session, position, received < 0 ? Long.MAX_VALUE : received);
        });
    }

    /** Notes that a listener has woken its session with this line, and with those before. */
    void heard(HookSession session, long line) {
        db.transaction(() -> {
            locked(session)
                    .ifPresent(position -> save(
                            session,
                            new AnnouncementState(
                                    position.announced(),
                                    position.line(),
                                    position.unconfirmed().after(line),
                                    position.listener(),
                                    position.isConnected(),
                                    position.hearsByHook())));
            return true;
        });
    }

    /** Takes back a line that woke nobody, so that the hooks announce its messages. The stream that sent it is told nothing more. */
    void failed(HookSession session, long line) {
        takeBack(session, at -> !at.unconfirmed().after(line - 1).lines().isEmpty(), line - 1);
    }

    /** Takes back the lines of a listener that is gone without having confirmed them, unless the session has a newer one. */
    void abandoned(HookSession session, long listener) {
        takeBack(
                session,
                at -> at.listener() == listener && !at.unconfirmed().lines().isEmpty(),
                -1);
    }

    private void takeBack(HookSession session, Predicate<AnnouncementState> condition, long received) {
        db.transaction(() -> {
            locked(session).filter(condition).ifPresent(position -> reopen(session, position, received));
            return true;
        });
    }

    /** Takes back what a listener did not get, and lets the next one be told what comes. */
    private Listener reopen(HookSession session, AnnouncementState position, long received) {
        var announced = position.unconfirmed().takenBack(position.announced(), received);
        var next = position.listener() + 1;
        save(
                session,
                new AnnouncementState(
                        announced,
                        position.line(),
                        UnconfirmedLines.NONE,
                        next,
                        position.isConnected(),
                        position.hearsByHook()));
        return new Listener(next, position.line(), position.isConnected());
    }

    /** Forgets a session that has ended. Returns whether the agent has others. */
    boolean end(HookSession session) {
        return bound(db.sql(END), session)
                .set("now", clock.instant())
                .one(row -> row.flag("others"))
                .orElse(false);
    }

    /** Returns the newest listener of each session. Sessions that were forgotten are missing. */
    Map<SessionKey, Listener> listeners(long tenant, Collection<SessionKey> sessions) {
        return db
                .sql(LISTENERS)
                .set("tenant", tenant)
                .set("agents", sessions.stream().map(SessionKey::agent).toList())
                .set("sessions", sessions.stream().map(SessionKey::id).toList())
                .list(row ->
                        Map.entry(new SessionKey(row.number("agent_id"), row.text("session")), row.as(Listener.class)))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Returns up to which message of each stream messages wait for these agents. Agents for which none waits are missing. */
    Map<Long, Positions> waiting(long tenant, Collection<Long> agents) {
        return db
                .sql(WAITING)
                .set("tenant", tenant)
                .set("parties", agents)
                .list(row -> Map.entry(row.number("party"), Positions.of(row.textOrNull("positions"))))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Forgets sessions that have sent nothing for long. */
    void purge(Instant now) {
        db.deleteOld(OLD, now.minus(KEPT));
    }

    /**
     * What a session was told.
     *
     * @param isConnected whether its client is not known to be without our tools
     * @param hearsByHook whether a turn runs whose hooks announce what comes, and which nothing else reaches
     */
    private record AnnouncementState(
            Positions announced,
            long line,
            UnconfirmedLines unconfirmed,
            long listener,
            boolean isConnected,
            boolean hearsByHook) {
        AnnouncementState announced(Positions now) {
            return new AnnouncementState(now, line, unconfirmed, listener, isConnected, hearsByHook);
        }
    }

    private Optional<AnnouncementState> locked(HookSession session) {
        return bound(db.sql(LOCK), session)
                .set("now", clock.instant())
                .one(row -> new AnnouncementState(
                        Positions.of(row.textOrNull("announced")),
                        row.number("line"),
                        UnconfirmedLines.of(row.text("unconfirmed")),
                        row.number("listener"),
                        row.flag("is_connected"),
                        row.flag("hears_by_hook")));
    }

    private void save(HookSession session, AnnouncementState position) {
        bound(db.sql(ANNOUNCE), session)
                .set("announced", Json.text(position.announced().last()))
                .set("unconfirmed", position.unconfirmed().json())
                .set("line", position.line())
                .set("listener", position.listener())
                .run();
    }

    private static Statement bound(Statement statement, HookSession session) {
        var caller = session.caller();
        return statement
                .set("tenant", caller.tenant())
                .set("user", caller.user())
                .set("admin", caller.isAdmin())
                .set("bound", session.agent())
                .set("session", session.id())
                .set("zones", session.zones())
                .set("direct", session.direct())
                .set("most", MOST - 1)
                .set("counted", COUNTED);
    }

    private static News news(Row row) throws SQLException {
        return new News(
                row.text("name"),
                row.text("owner"),
                row.text("description"),
                row.jsonList("senders", News.Sender.class),
                row.flag("readable"),
                Positions.of(row.textOrNull("positions")));
    }
}
