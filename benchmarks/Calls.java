import io.agentworkspace.engine.identity.credentials.ApiKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Compares calls with the limit: a bare handler with one statement on the same database. All servers run at the same
 * time and are measured in turn, in several rounds. Only the ratios within one run are meaningful.
 */
final class Calls implements Bench.Benchmark {
    private static final Path PAGE = Path.of("docs", "dev", "performance.md");
    /** What follows this line in the page is replaced. */
    private static final String MARK = "<!-- measured -->\n";
    private static final int CONNECTIONS = 32;
    private static final Duration WARM_SLICE = Duration.ofSeconds(2);
    private static final int WARM_SLICES = 30;
    /** A row is warm when this many slices in a row were not faster than the best before them by this factor. */
    private static final int STEADY = 3;

    private static final double FASTER = 1.03;

    /** The agents, messages and memories of the tenant. */
    private static final List<Integer> SIZES = List.of(100, 10_000, 1_000_000);

    private static final int TENANTS = 1_000;

    @Override
    public String words() {
        return "calls beside a bare handler [--rounds 5] [--seconds 3] [--warm 20000] [--only AP_Read,...] [--rows 10000] [--tenants 1000] [--workers 3: on a cluster of Citus, without rows] [--growth 1: as the tenant grows]"
                + " [--write 1: into docs/dev/performance.md] [--short 1: quick]";
    }

    /** One measured case, and the limit that it is compared with. */
    private record Row(
            String name,
            String limit,
            String address,
            Usage usage,
            int connections,
            IntFunction<List<byte[]>> requests,
            List<Load.Measured> measured,
            List<Usage.Sum> used) {
        /** Until the JVM has compiled what it runs often: after this many calls, and when they no longer become faster. */
        void warm(int calls, boolean untilSteady) throws Exception {
            var done = 0L;
            var best = 0.0;
            var steady = untilSteady ? 0 : STEADY;
            for (var slice = 0; (done < calls || steady < STEADY) && slice < WARM_SLICES; slice++) {
                var result = Load.run(address, connections, WARM_SLICE, requests);
                done += result.calls();
                steady = untilSteady && result.perSecond() > FASTER * best ? 0 : steady + 1;
                best = Math.max(best, result.perSecond());
            }
        }

        void run(Duration time) throws Exception {
            var before = usage.now();
            var result = Load.run(address, connections, time, requests);
            used.add(usage.now().minus(before));
            measured.add(result);
        }

        void forget() {
            measured.clear();
            used.clear();
        }

        double median(Function<Load.Measured, Double> figure) {
            return Calls.median(measured.stream().map(figure).toList());
        }

        double each(Function<Usage.Sum, Double> figure) {
            var all = new ArrayList<Double>();
            for (var i = 0; i < used.size(); i++) {
                all.add(figure.apply(used.get(i)) / measured.get(i).calls());
            }
            return Calls.median(all);
        }
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var isShort = options.number("short", 0) > 0;
        var rounds = options.number("rounds", isShort ? 1 : 5);
        var time = Duration.ofSeconds(options.number("seconds", isShort ? 2 : 3));
        var warm = options.number("warm", isShort ? 2_000 : 20_000);
        var only = List.of(options.text("only", "").split(","));
        var echo = only.getFirst().isEmpty() || only.contains("echo") ? Echo.start() : null;
        var tenants = options.number("tenants", 1);
        var workers = options.number("workers", 0);
        try (var cluster = workers == 0 ? null : new CitusCluster(workers);
                var engine = cluster == null ? Engine.start() : distributed(cluster, tenants);
                var limit = limit(engine);
                var ours = new Usage(engine.pid(), true, cluster == null ? List.of(engine.postmaster()) : cluster.postmasters());
                var bare = new Usage(limit.pid(), true, List.of(cluster == null ? engine.postmaster() : cluster.coordinator().postmaster()))) {
            var workspace = new Workspace(engine);
            if (cluster == null) {
                Growth.fill(engine, 0, options.number("rows", 0), tenants);
            }
            Growth.tasks(engine, isShort ? 20_000 : 300_000);
            var rows = rows(workspace, ours, limit.url(), bare);
            if (echo != null) {
                rows.add(row("TypeScript echo", "AP_Read, MCP modern", echo.url() + "/mcp", new Usage(echo.pid(), false, List.of()),
                        _ -> List.of(Workspace.modern(echo.url() + "/mcp", "", "echo", "{\"text\":\"hello\"}"))));
            }
            rows.removeIf(row -> !only.getFirst().isEmpty()
                    && !row.name().startsWith("bare")
                    && only.stream().noneMatch(row.name()::contains));
            for (var row : rows) {
                row.warm(warm, !isShort);
            }
            if (options.number("growth", 0) > 0) {
                System.out.print(growth(engine, rows, rounds, time));
                return;
            }
            for (var round = 0; round < rounds; round++) {
                for (var row : rows) {
                    row.run(time);
                }
                System.err.printf("round %d of %d%n", round + 1, rounds);
            }
            var table = table(rows);
            System.out.print(table);
            var size = Load.ask(workspace.address(Workspace.Way.BARE), workspace.list()).length();
            System.out.printf("tools/list: %,d bytes%n", size);
            var half = isShort ? "" : half(rows, time);
            System.out.print(half);
            if (options.number("write", 0) > 0) {
                write(table + half, rounds, time);
            }
        } finally {
            if (echo != null) {
                echo.close();
            }
        }
    }

    /** What calls cost as the tenant grows, and then among 1,000 tenants. */
    private static String growth(Engine engine, List<Row> rows, int rounds, Duration time) throws Exception {
        var columns = new ArrayList<List<String>>();
        var size = 0;
        for (var next : SIZES) {
            Growth.fill(engine, size, next, 1);
            size = next;
            columns.add(measured(rows, rounds, time));
        }
        Growth.fill(engine, size, size, TENANTS);
        columns.add(measured(rows, rounds, time));
        var table = new StringBuilder("| p50 ms, processor µs, × the bare statement |");
        SIZES.forEach(rowsOfEach -> table.append(" %,d |".formatted(rowsOfEach)));
        table.append(" and %,d tenants |%n".formatted(TENANTS)).append("|---".repeat(columns.size() + 1)).append("|\n");
        for (var i = 0; i < rows.size(); i++) {
            table.append("| ").append(rows.get(i).name());
            for (var column : columns) {
                table.append(" | ").append(column.get(i));
            }
            table.append(" |\n");
        }
        return table.toString();
    }

    /** Returns for each row the p50, the processor time, and that as a multiple of the limit's. */
    private static List<String> measured(List<Row> rows, int rounds, Duration time) throws Exception {
        rows.forEach(Row::forget);
        for (var round = 0; round < rounds; round++) {
            for (var row : rows) {
                row.run(time);
            }
        }
        var byName = rows.stream().collect(Collectors.toMap(Row::name, row -> row));
        return rows.stream()
                .map(row -> "%.1f, %,.0f, %.1f".formatted(
                        row.median(Load.Measured::p50), row.each(Calls::sum),
                        row.each(Calls::sum) / byName.get(row.limit()).each(Calls::sum)))
                .toList();
    }

    /** How long calls take when half as many come as can. */
    private static String half(List<Row> rows, Duration time) throws Exception {
        var lines = new StringBuilder("\n| at half the peak | calls/s | p50 ms | p99 ms | p99 of p50 |\n|---|---|---|---|---|\n");
        for (var row : rows) {
            if (row.name().equals("bare select") || row.name().equals("bare insert") || row.name().startsWith("AP_Read") || row.name().equals("MB_Store") || row.name().equals("AP_Chat to 32")) {
                var rate = row.median(Load.Measured::perSecond) / 2;
                var paced = Load.run(row.address(), row.connections(), time.multipliedBy(2), row.requests(), rate);
                lines.append("| %s | %,.0f | %.1f | %.1f | %.1f |%n"
                        .formatted(row.name(), paced.perSecond(), paced.p50(), paced.p99(), paced.p99() / paced.p50()));
            }
        }
        return lines.toString();
    }

    /** Returns an engine on the cluster beside other tenants. The tables of the bare handler stay on the coordinator. */
    private static Engine distributed(CitusCluster cluster, int tenants) throws Exception {
        var environment = Servers.engine(cluster.coordinator().url(), ApiKey.generate(new SecureRandom()).reveal());
        cluster.tenants(environment, tenants);
        System.err.print(Engine.command(environment, "distribute"));
        return Engine.startIn(environment);
    }

    private static Peer limit(Engine engine) throws Exception {
        var file = Files.createTempFile("bench", ".json");
        var callers = Load.request(
                engine.url() + "/mcp",
                "X-API-Key: " + engine.key() + "\r\n",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}");
        Files.writeString(file, Load.ask(engine.url() + "/mcp", callers));
        return Peer.start(Path.of("").toAbsolutePath(), engine.java("Limit", engine.jdbcUrl(), engine.user(), engine.password(), file.toString()));
    }

    private static Row row(String name, String limit, String address, Usage usage, IntFunction<List<byte[]>> requests) {
        return new Row(name, limit, address, usage, CONNECTIONS, requests, new ArrayList<>(), new ArrayList<>());
    }

    private static List<Row> rows(Workspace workspace, Usage ours, String bare, Usage its) {
        var rows = new ArrayList<Row>();
        for (var what : List.of("none", "select", "insert", "bytes")) {
            var body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"AP_Read\",\"arguments\":{\"content\":\"%s\"}}}"
                    .formatted("The tide turns at seven. ".repeat(4));
            rows.add(row("bare " + what, "bare none", bare + "/" + what, its, _ -> List.of(Load.request(bare + "/" + what, "", body))));
        }
        for (var way : Workspace.Way.values()) {
            var name = "AP_Read, " + (way == Workspace.Way.REST ? "REST" : "MCP " + way.name().toLowerCase(Locale.ROOT));
            rows.add(row(name, "bare select", workspace.address(way), ours, workspace.read(way, "AP_Read")));
        }
        var mcp = workspace.address(Workspace.Way.BARE);
        for (var tool : List.of("AP_List", "DM_Read", "MB_Read")) {
            rows.add(row(tool, "bare select", mcp, ours, workspace.read(Workspace.Way.BARE, tool)));
        }
        rows.add(row("AP_Chat to one", "bare insert", mcp, ours, workspace.chat(1)));
        rows.add(row("AP_Chat to 32", "bare insert", mcp, ours, workspace.chat(Workspace.TARGETS)));
        rows.add(new Row("20 in one zone", "bare insert", mcp, ours, Workspace.CHATTERS, workspace.zone(), new ArrayList<>(), new ArrayList<>()));
        rows.add(row("MB_Store", "bare insert", mcp, ours, workspace.store()));
        rows.add(row("TK_Claim", "bare insert", mcp, ours, workspace.claim()));
        for (var tool : List.of("AP_Create", "DM_Create", "MB_Create")) {
            rows.add(row(tool, "bare insert", mcp, ours, workspace.create(tool)));
        }
        rows.add(row("AP_Update", "bare insert", mcp, ours, workspace.update()));
        rows.add(row("tools/list", "bare bytes", mcp, ours, _ -> List.of(workspace.list())));
        return rows;
    }

    private static String table(List<Row> rows) throws IOException {
        var trips = roundTrips();
        var byName = rows.stream().collect(Collectors.toMap(Row::name, row -> row));
        var table = new StringBuilder("""
                | what | calls/s | spread | of | ratio | by processor time | p50 ms | p99 ms | JVM µs | PostgreSQL µs | kB allocated | round trips |
                |---|---|---|---|---|---|---|---|---|---|---|---|
                """);
        for (var row : rows) {
            var each = row.measured().stream().map(Load.Measured::perSecond).sorted().toList();
            var limit = byName.get(row.limit());
            var ratio = limit == null ? Double.NaN : row.median(Load.Measured::perSecond) / limit.median(Load.Measured::perSecond);
            table.append("| %s | %,.0f | %,.0f–%,.0f | %s | %.2f | %s | %.1f | %.1f | %.0f | %s | %s | %s |%n".formatted(
                    row.name(), row.median(Load.Measured::perSecond), each.getFirst(), each.getLast(), row.limit(), ratio, figure(limit == null ? Double.NaN : limit.each(Calls::sum) / row.each(Calls::sum), "%.2f"),
                    row.median(Load.Measured::p50), row.median(Load.Measured::p99), row.each(Usage.Sum::jvm),
                    figure(row.each(Usage.Sum::postgres), "%.0f"), figure(row.each(sum -> sum.allocated() / 1024), "%.1f"),
                    trips.getOrDefault(row.name().equals("20 in one zone") ? "AP_Chat" : row.name().split("[ ,]")[0], "")));
        }
        return table.toString();
    }

    /** Of the JVM and PostgreSQL: less than the calls a second does it depend on what else the machine does. */
    private static double sum(Usage.Sum used) {
        return used.jvm() + used.postgres();
    }

    private static String figure(double value, String format) {
        return Double.isNaN(value) ? "" : format.formatted(value);
    }

    /** Returns the round trips that a test counts on the wire. */
    private static Map<String, String> roundTrips() throws IOException {
        var trips = new LinkedHashMap<String, String>(Map.of("bare", "1"));
        var row = Pattern.compile("\\| (\\w+) \\| \\w+ \\| (\\d+) \\|.*");
        for (var line : Files.readAllLines(Path.of("mcp-server/src/test/resources/golden/round-trips.md"))) {
            var found = row.matcher(line);
            if (found.matches()) {
                trips.put(found.group(1), found.group(2));
            }
        }
        return trips;
    }

    private static void write(String table, int rounds, Duration time) throws IOException {
        var words = "\nMeasured on %s with JDK %s, %d processors, %d rounds of %d s for each row.\n\n".formatted(
                LocalDate.now(), Runtime.version().feature(), Runtime.getRuntime().availableProcessors(), rounds, time.toSeconds());
        var page = Files.readString(PAGE);
        Files.writeString(PAGE, page.substring(0, page.indexOf(MARK) + MARK.length()) + words + table);
    }
}
