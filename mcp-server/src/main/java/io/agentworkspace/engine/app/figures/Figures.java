package io.agentworkspace.engine.app.figures;

import io.agentworkspace.engine.app.figures.Figure.Limit;
import io.agentworkspace.engine.app.figures.Figure.Runbook;
import java.util.List;
import java.util.Set;

/** The ten figures, the most urgent ones first. */
public final class Figures {
    private static final Set<String> OWN_FAULT = Set.of("internal", "unavailable");

    /** Requests over MCP that are refused before a tool runs, as while the database is away; its format needs the function. */
    private static final String REFUSED_BEFORE =
            "(sum(%1$s(engine_http_requests_total{endpoint=\"mcp\",status=~\"5..\"}[5m])) or vector(0))";

    private static final String FAULTS =
            "((sum(%1$s(engine_tool_calls_total{outcome=~\"internal|unavailable\"}[5m])) or vector(0)) + "
                    + REFUSED_BEFORE + ")";

    /** They wait for others, as long as the caller says. */
    private static final String WAITING = "AP_Wait|AP_Ask|AP_Chat|upstream";

    public static final List<Figure> ALL = List.of(
            new Figure(
                    "database",
                    "The database takes writes",
                    "bool_yes_no",
                    "min by (instance) (engine_db_state{state=\"reachable\"})",
                    scrape -> scrape.sum(
                            "engine_db_state", value -> value.label("state").equals("reachable")),
                    Limit.under(1),
                    "1m",
                    new Runbook(
                            "The database cannot be reached, takes no writes, or its disk is full. Writes are refused with 5002; reads work while it is `full` or `read_only`.",
                            "The other values of `engine_db_state` (`unreachable`, `full`, `read_only`), and `./engine doctor`: its line `database`. The log of PostgreSQL has the reason: *No space left on device*, *the database system is in recovery mode*, or nothing if its machine is gone.",
                            "`full`: make room on the database's disk, and restart nothing; deleting memories does not help ([when the disk is full](backup.md#when-the-disk-is-full)). `read_only`: the URL leads to a standby; name all servers and add `targetServerType=primary`. `unreachable` with the embedded database: it has stopped, most often since its disk is full. Look at the figure *disk*; with room it starts again by itself. `unreachable` with your own: start the server, or promote its standby ([a database that may fail](scale.md#a-database-that-may-fail)). If that server answers `psql` and *waits* is high, all connections are in use: go on there, and do not promote.")),
            new Figure(
                    "notifications",
                    "Notifications of the database arrive",
                    "bool_yes_no",
                    "min by (instance) (engine_db_notifications)",
                    scrape -> scrape.sum("engine_db_notifications"),
                    Limit.under(1),
                    "1m",
                    new Runbook(
                            "Replicas do not learn of each other's changes. Revoked keys do not go on working, since each key and session is looked up at each request. Calls cost more, and streams and wake-ups come late.",
                            "`./engine doctor`: its lines `pooler` and `notifications`. Has a pooler of transactions come in between, or was its `pool_mode` changed? Then the log has *prepared statement … does not exist*, and the engine refuses everything until it is restarted: a statement could run in the session of another client.",
                            "First let the pooler pool sessions again, or set both `ENGINE_DATABASE_NOTIFY_URL` and the pooler's `connect_query` ([an external PostgreSQL](operations.md#an-external-postgresql)). Then restart the replicas one after the other.")),
            new Figure(
                    "disk",
                    "Free space at the data directory",
                    "bytes",
                    "min by (instance) (engine_data_dir_free_bytes)",
                    scrape -> scrape.sum("engine_data_dir_free_bytes"),
                    Limit.under(2e9),
                    "5m",
                    new Runbook(
                            "The disk of the data directory is nearly full: with the embedded database, writes will be refused. With another database it has only the log and the indexes of banks; watch the database's disk there.",
                            "`df -h .engine` shows which disk it is, and `du -xah <that disk> | sort -h | tail` what is on it: often files of another program. The page *Backup* says [what grows](backup.md#what-grows) of the engine's.",
                            "Make the disk larger, or remove other files from it. Shorten `ENGINE_AUDIT_DAYS` and `ENGINE_EVENTS_DAYS`, so that it grows more slowly. Never delete anything below `postgres/`.")),
            new Figure(
                    "commits",
                    "Time of a commit",
                    "s",
                    "max by (instance) (engine_db_commit_seconds)",
                    scrape -> scrape.sum("engine_db_commit_seconds"),
                    Limit.over(0.1),
                    "2m",
                    new Runbook(
                            "The primary is slow: each write waits this long for it, besides its own work. A commit takes 1 to 5 ms on a disk of its own, more with a synchronous standby that is far away.",
                            "`./engine doctor`: `distance` is the network, `commits` the rest. If only the latter is slow, look at the primary's disk (`iostat -x 1`), at `pg_stat_activity` (`wait_event` is `WALSync` or `WALWrite` for the disk, `SyncRep` for a standby), at `commit_delay` and `synchronous_standby_names` in `pg_settings`, and at other programs on that machine.",
                            "Set `commit_delay` to 0. Give the write-ahead log a faster disk. If a synchronous standby is slow, repair it, or let another one be synchronous. Stop what else uses the disk, such as a dump.")),
            new Figure(
                    "errors",
                    "Calls that fail",
                    "percentunit",
                    FAULTS.formatted("rate") + " / ((sum(rate(engine_tool_calls_total[5m])) or vector(0)) + "
                            + REFUSED_BEFORE.formatted("rate") + ")",
                    Figures::failed,
                    Limit.over(0.01).and(FAULTS.formatted("increase") + " > 5"),
                    "2m",
                    new Runbook(
                            "More than one call of a hundred, and more than five in five minutes, are refused through no fault of their callers: `unavailable` (5002) or `internal` (5001).",
                            "`engine_tool_calls_total` by `tool` and `outcome`, and `engine_http_requests_total` with a status of 500 or more. For `unavailable`, the figures *database*, *turns* and *waits*. For `internal`, the log: each has a stack.",
                            "`unavailable`: remove the cause; clients repeat these calls. `internal` is a defect of the engine: report it with the archive of `./engine bundle`.")),
            new Figure(
                    "latency",
                    "99 of 100 calls take less",
                    "s",
                    "histogram_quantile(0.99, sum by (le) (rate(engine_tool_duration_seconds_bucket{tool!~\"" + WAITING
                            + "\"}[5m])))",
                    scrape -> scrape.quantile(
                            0.99,
                            "engine_tool_duration_seconds",
                            value -> !value.label("tool").matches(WAITING)),
                    Limit.over(1),
                    "5m",
                    new Runbook(
                            "One call of a hundred takes longer than a second, apart from those that wait for others.",
                            "`engine_tool_duration_seconds` by `tool`: one tool, or all? For all: *commits*, *waits* and the processors of the engine and of the database. For MB_Search: `engine_search_indexes_building`.",
                            "All tools and a busy processor: add a replica, or processors to the primary ([scale](scale.md)). One tool: look at its callers in the audit, and report it.")),
            new Figure(
                    "turns",
                    "Requests that wait for their turn",
                    "short",
                    "max by (instance) (engine_http_calls_waiting)",
                    scrape -> scrape.sum("engine_http_calls_waiting"),
                    Limit.over(32),
                    "1m",
                    new Runbook(
                            "More comes than the engine can serve. From 64 on, calls that would wait too long are refused with `Retry-After` ([overload](limits.md#overload)).",
                            "`rate(engine_tool_calls_total[1m])` by `tool`: who sends more than usual? `engine_http_requests_total` with the status 429.",
                            "One key sends too much: lower `ENGINE_RATE_LIMIT`, or speak to its user. All do: add a replica if the engine's processors are busy, processors to the primary if its are.")),
            new Figure(
                    "waits",
                    "Calls that wait for a connection to the database, as a share of the connections",
                    "percentunit",
                    "max by (instance) (engine_db_calls_waiting / engine_db_connections_max)",
                    scrape -> share(scrape.sum("engine_db_calls_waiting"), scrape.sum("engine_db_connections_max")),
                    Limit.over(0.5),
                    "1m",
                    new Runbook(
                            "All connections are in use, and half as many calls wait for one: statements take long, or something holds locks. More cannot wait than the memory for answers allows, so the limit is low.",
                            "*commits* first: if they are slow, so is everything. Then `SELECT state, wait_event_type, wait_event, count(*) FROM pg_stat_activity GROUP BY 1, 2, 3`, also in `database.txt` of `./engine bundle`.",
                            "End the session that holds the locks, such as a dump or a `VACUUM FULL` by hand. If the primary has processors to spare, raise `ENGINE_DATABASE_POOL_SIZE`.")),
            new Figure(
                    "webhooks",
                    "Oldest webhook delivery that is due",
                    "s",
                    "max by (instance) (engine_outbox_oldest_due_seconds)",
                    scrape -> scrape.sum("engine_outbox_oldest_due_seconds"),
                    Limit.over(60),
                    "5m",
                    new Runbook(
                            "Webhooks are sent later than they should. Those that wait for another attempt do not count.",
                            "`engine_outbox_attempts_total` by `outcome`: do all fail? `WH_Deliveries` shows why. `engine_outbox_deliveries` with `state=\"due\"`: how many wait?",
                            "If receivers are slow, their owners must answer faster. If the network out of the engine is cut, open it; deliveries go on by themselves. If there are only many, add a replica.")),
            new Figure(
                    "connections",
                    "Share of the connections of clients",
                    "percentunit",
                    "max by (instance) (engine_http_connections / engine_http_connections_max)",
                    scrape -> share(scrape.sum("engine_http_connections"), scrape.sum("engine_http_connections_max")),
                    Limit.over(0.8),
                    "2m",
                    new Runbook(
                            "Soon the engine closes connections that have no request, and then refuses new ones.",
                            "`engine_streams_open`: listeners, or others? `ss -tn sport = :8080` on the engine's machine: does one address have most of them?",
                            "Raise the limit of open files (`ulimit -n`), which the number of connections follows, or add a replica. Limit the client that opens them at the proxy.")));

    private Figures() {}

    /** Returns 0 if nothing was counted yet. */
    private static double failed(Scrape scrape) {
        var before = orZero(scrape.sum(
                "engine_http_requests_total",
                value -> value.label("endpoint").equals("mcp")
                        && value.label("status").startsWith("5")));
        var ran = scrape.sum("engine_tool_calls_total", value -> OWN_FAULT.contains(value.label("outcome")));
        return share(orZero(ran) + before, orZero(scrape.sum("engine_tool_calls_total")) + before);
    }

    private static double orZero(double sum) {
        return Double.isNaN(sum) ? 0 : sum;
    }

    private static double share(double part, double all) {
        return Double.isNaN(all) || all == 0 ? 0 : Double.isNaN(part) ? 0 : part / all;
    }
}
