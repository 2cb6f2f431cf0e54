package io.agentworkspace.engine.kernel.db;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Statements in the sources that name a table of tenants and no condition on the tenant. {@code PlansTest} shows that those of calls
 * stay within one tenant; here is what is left, and why.
 */
class TenantStatementsTest {
    private static final String FRAGMENT = "parts of statements whose other parts name the tenant";
    private static final String BACKGROUND = "work of a replica for all tenants, outside of calls";
    private static final String FINDS = "plain reads of what waits in the background; Citus asks every server";

    /** What each class has of such texts, as their number and the reason. */
    private static final Map<String, String> KNOWN = new TreeMap<>(Map.ofEntries(
            Map.entry("AgentQueries", "1: " + FRAGMENT),
            Map.entry("BrowserSessionStore", "2: " + FINDS),
            Map.entry("DomainQueries", "1: " + FRAGMENT),
            Map.entry("EmbeddingStore", "4: two " + FRAGMENT + ", and two " + FINDS),
            Map.entry("FeedStore", "1: " + FINDS),
            Map.entry("InboxQueries", "2: " + FRAGMENT),
            Map.entry("KeyUse", "1: " + FINDS),
            Map.entry("McpTaskStore", "5: four " + FRAGMENT + ", and one of the " + FINDS),
            Map.entry("MemoryUseRow", "1: " + FRAGMENT),
            Map.entry("OutboxStore", "2: " + FINDS),
            Map.entry("PushStore", "3: " + FINDS),
            Map.entry("QueueStore", "4: three " + FRAGMENT + ", and one of the " + FINDS),
            Map.entry("ReservationStore", "1: " + FINDS),
            Map.entry("RestoredChangeQueries", "3: " + FRAGMENT),
            Map.entry("RuleStore", "1: " + BACKGROUND),
            Map.entry("SearchedBankStore", "1: " + FINDS),
            Map.entry("SimilarStore", "1: " + FINDS),
            Map.entry("UpstreamOffers", "1: " + FRAGMENT),
            Map.entry("UpstreamStore", "1: " + BACKGROUND),
            Map.entry("ZoneQueries", "1: " + FRAGMENT)));

    private static final Pattern TEXT = Pattern.compile("(?s)\"\"\"\\n(.*?)\"\"\"|\"((?:[^\"\\\\\n]|\\\\.)*)\"");

    /** A condition on the tenant, or a row of one. */
    private static final Pattern OF_A_TENANT =
            Pattern.compile("tenant_id\\s*=|USING \\(tenant_id|INSERT INTO \\w+ (AS \\w+ )?\\(tenant_id");

    private static final Pattern CONSTANT = Pattern.compile("(?s)String ([A-Z_]+)\\s*=(.*?);\n\n");

    /** A statement without a call, up to its end, that is run where it is written. */
    private static final Pattern OUTSIDE = Pattern.compile(
            "(?s)\\bsql\\(([A-Z_]+|\"\"\".*?\"\"\"|\"[^\"]*\")\\)(?=\\s*\\.)(?:(?!;\n).)*?\\.(?:run\\w*|list|one)\\(.*?;\n");

    private static final Pattern NAMES_TENANT = Pattern.compile(":tenant\\b");

    private static List<String> tables() {
        var tables = TestDatabase.db().sql("""
                        SELECT c.relname
                          FROM pg_class c
                          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
                         WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname NOT IN ('tenant', 'directory')
                        """).list(row -> row.text("relname"));
        assertThat(tables).hasSizeGreaterThan(70);
        return tables;
    }

    @Test
    void eachStatementNamesTheTenantOrIsKnown() {
        var names =
                Pattern.compile("\\b(FROM|JOIN|UPDATE|INTO|USING)\\s+(%s)\\b".formatted(String.join("|", tables())));
        assertThat(without(names, "var x = \"SELECT id FROM agent WHERE id = :id\";"))
                .hasSize(1);
        assertThat(without(names, "var x = \"SELECT id FROM agent WHERE tenant_id = :tenant\";"))
                .isEmpty();
        var found = new TreeMap<String, Integer>();
        for (var source : Repository.sources()) {
            var type = source.getFileName().toString().replace(".java", "");
            var texts = without(names, Repository.text(source));
            if (source.toString().contains("/src/main/") && !texts.isEmpty() && !type.equals("CountedTable")) {
                found.put(type, texts.size());
            }
        }
        var known = new TreeMap<String, Integer>();
        KNOWN.forEach((type, text) -> known.put(type, Integer.valueOf(text.substring(0, text.indexOf(':')))));
        assertThat(found).isEqualTo(known);
    }

    /** How many statements of a class insert rows that are not selected beside a row of their tenant, and why. */
    private static final Map<String, String> ELSEWHERE = Map.ofEntries(
            Map.entry("BankGrantStore", "1: " + FRAGMENT),
            Map.entry(
                    "CountedTable",
                    "1: the row takes a number from a sequence. Without RETURNING and ON CONFLICT, Citus sends it to one server only"),
            Map.entry("ListeningTenants", "1: of many tenants, and each alone if that fails"),
            Map.entry("PushStore", "2: as in CountedTable"),
            Map.entry("QueueStore", "1: as in CountedTable"),
            Map.entry("RateStore", "1: " + BACKGROUND),
            Map.entry("TenantStore", "2: the tenant is on each server"),
            Map.entry("UsageStore", "3: " + BACKGROUND),
            Map.entry("WakeStore", "1: of many tenants, and each alone if that fails"));

    /**
     * Citus copies what is selected without a table, only from a CTE, or with something volatile, to every server, and commits it in two
     * phases, which PostgreSQL refuses after a notification. Without the condition on the tenant, each tenant would get the row. It
     * also returns the columns of a table that has another name on the servers, unless the statement names it.
     */
    @Test
    void eachRowHasValuesOrIsSelectedBesideARowOfItsTenant() {
        var names = String.join("|", tables());
        var insert = Pattern.compile(
                "INSERT INTO (?:\\{table}|%s)( AS \\w+)?\\s+\\([^)]*\\)\\s+(?=VALUES|SELECT)".formatted(names));
        var right =
                "INSERT INTO zone (tenant_id, name) SELECT d.tenant_id, f(d.name) FROM domain d WHERE d.tenant_id = :tenant), ";
        assertThat(elsewhere(insert, names, right)).isZero();
        var next = "INSERT INTO zone (tenant_id) SELECT d.tenant_id, 1 FROM domain d WHERE d.tenant_id = :tenant";
        for (var wrong : List.of(
                right.replace("domain d", "d"),
                right.replace(" WHERE d.tenant_id = :tenant", ""),
                right.replace("f(d.name)", "gen_random_uuid()"),
                right.replace("d.tenant_id, f", ":tenant, f"),
                right.replace("), ", " RETURNING name; "))) {
            assertThat(elsewhere(insert, names, wrong + next)).as(wrong).isEqualTo(1);
        }
        var found = new TreeMap<String, Long>();
        for (var source : Repository.sources()) {
            var count = elsewhere(insert, names, Repository.text(source));
            if (source.toString().contains("/src/main/") && count > 0) {
                found.put(source.getFileName().toString().replace(".java", ""), count);
            }
        }
        var known = new TreeMap<String, Long>();
        ELSEWHERE.forEach((type, text) -> known.put(type, Long.valueOf(text.substring(0, text.indexOf(':')))));
        assertThat(found).isEqualTo(known);
    }

    private static long elsewhere(Pattern insert, String tables, String text) {
        return insert.matcher(text)
                .results()
                .filter(each -> {
                    var selected = selected(text.substring(each.end()));
                    var isPart = text.substring(0, each.start()).stripTrailing().endsWith("(");
                    return !isBesideItsTenant(selected, tables)
                            || (!isPart && each.group(1) == null && returnsWhatIsSelected(selected));
                })
                .count();
    }

    private static boolean returnsWhatIsSelected(String selected) {
        return !selected.startsWith("VALUES") && !selected.contains("ON CONFLICT") && selected.contains("RETURNING");
    }

    /** Returns what is inserted, up to the end of the statement or of the CTE. */
    private static String selected(String text) {
        var joined = text.replaceAll("\"\"\" \\+ \\w+(\\s*\\+ \"\"\")?", "");
        var open = 0;
        for (var i = 0; i < joined.length(); i++) {
            open += joined.charAt(i) == '(' ? 1 : joined.charAt(i) == ')' ? -1 : 0;
            if (open < 0 || joined.charAt(i) == ';' || joined.startsWith("\"\"\"", i)) {
                return joined.substring(0, i);
            }
        }
        return joined;
    }

    private static boolean isBesideItsTenant(String selected, String tables) {
        if (selected.startsWith("VALUES")) {
            return true;
        }
        var row = Pattern.compile("SELECT (\\w+)\\.tenant_id,").matcher(selected);
        return row.lookingAt()
                && Pattern.compile("\\b(FROM|JOIN) (%s) %s\\b".formatted(tables, row.group(1)))
                        .matcher(selected)
                        .find()
                && selected.contains(row.group(1) + ".tenant_id = :tenant")
                && !Pattern.compile("gen_random_uuid|nextval|clock_timestamp")
                        .matcher(selected)
                        .find();
    }

    /** Citus asks every server for a tenant that the directory finds in the same statement, and commits a change there in two phases. */
    @Test
    void onlyTheDirectoryReadsTheDirectory() {
        var reads = Pattern.compile("\\b(FROM|JOIN|USING) directory\\b");
        var found = Repository.sources().stream()
                .filter(source -> source.toString().contains("/src/main/"))
                .filter(source -> reads.matcher(Repository.text(source)).find())
                .map(source -> source.getFileName().toString());
        assertThat(found).containsExactlyInAnyOrder("DirectoryStore.java", "DirectoryPurgeStore.java");
    }

    /** A statement outside of a call that names {@code :tenant} has nothing else that sets it. */
    @Test
    void eachStatementOutsideOfACallSetsTheTenantThatItNames() {
        var wrong = """
                private static final String READ = "WHERE tenant_id = :tenant";

                db.sql(READ).set("id", 1).run();
                """;
        assertThat(unset(wrong)).hasSize(1);
        assertThat(unset(wrong.replace("set(\"id\"", "set(\"tenant\""))).isEmpty();
        assertThat(Repository.sources().stream()
                        .filter(source -> source.toString().contains("/src/main/"))
                        .flatMap(source -> unset(Repository.text(source)).stream()))
                .isEmpty();
    }

    private static List<String> unset(String source) {
        var texts = CONSTANT.matcher(source)
                .results()
                .collect(toMap(found -> found.group(1), found -> found.group(2), String::concat));
        return OUTSIDE.matcher(source)
                .results()
                .filter(found -> NAMES_TENANT
                        .matcher(texts.getOrDefault(found.group(1), found.group(1)))
                        .find())
                .map(MatchResult::group)
                .filter(statement -> !statement.contains("set(\"tenant\""))
                .toList();
    }

    private static List<String> without(Pattern names, String source) {
        return TEXT.matcher(source)
                .results()
                .map(TenantStatementsTest::text)
                .filter(text ->
                        names.matcher(text).find() && !OF_A_TENANT.matcher(text).find())
                .toList();
    }

    private static String text(MatchResult found) {
        return found.group(1) == null ? found.group(2) : found.group(1);
    }
}
