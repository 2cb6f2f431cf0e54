package io.agentworkspace.engine.agents;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.db.Db;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Credential;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.model.tool.Toolset;
import io.agentworkspace.engine.runtime.Runner;
import io.agentworkspace.engine.testing.CountingProxy;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.users.TenantStore;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Which statement reads one's own agent, as counted on the wire, and that the others return the same. */
class OwnAgentStatementTest {
    private static final Clock CLOCK = Clock.systemUTC();
    private static final String READ = "{'target':{'agent':'Ada'}}";

    /** A column that only the statement for one's own agent has. */
    private static final String SMALLEST = "is_chained";

    private CountingProxy proxy;
    private Db db;
    private Runner runner;
    private long tenant;
    private long user;

    @BeforeEach
    void observe() throws IOException {
        var postgres = URI.create(TestDatabase.postgres().jdbcUrl().substring("jdbc:".length()));
        proxy = new CountingProxy(postgres.getPort());
        proxy.watch(SMALLEST);
        db = TestDatabase.connectUnchecked(
                "jdbc:postgresql://127.0.0.1:%d/postgres?sslmode=disable".formatted(proxy.port()));
        runner = TestDatabase.runner(db);
        var tenants = new TenantStore(db);
        tenant = tenants.create(Name.of("t-" + UUID.randomUUID()), "unlimited", CLOCK.instant());
        user = tenants.createUser(tenant, Name.of("ann"), Role.MEMBER, CLOCK.instant());
        var ann = ann("one", null);
        call(ann, "AP_Create", "{'vx':{'name':'Ada','description':'d','profile':'p'}}");
        call(ann, "AP_Create", "{'vx':{'name':'Bo','description':'d'}}");
        for (var text : new String[] {"first", "second", "third"}) {
            call(ann, "AP_Chat", "{'target':{'agent':'Ada'},'content':'%s'}".formatted(text));
        }
    }

    @AfterEach
    void close() throws IOException {
        db.close();
        proxy.close();
    }

    private Caller ann(String session, @Nullable Long boundAgent) {
        return new Caller(
                tenant,
                "t",
                user,
                "ann",
                Role.MEMBER,
                Set.of("*"),
                "session:" + session,
                boundAgent,
                new Credential(null, false, Toolset.EVERYTHING, false, null, false));
    }

    private JsonNode call(Caller caller, String tool, String arguments) {
        var given = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        var answer = runner.run(new ToolRunner.Request(tool, given, caller, "r", true, null));
        assertThat(answer.success()).as("%s %s", tool, answer.envelope()).isTrue();
        return answer.envelope();
    }

    private long agent(String name) {
        return db.sql("SELECT id FROM agent WHERE tenant_id = :tenant AND name = :name")
                .set("tenant", tenant)
                .set("name", name)
                .one(row -> row.number("id"))
                .orElseThrow();
    }

    /** Reads twice, first by the rules and then with the smallest statement, and compares what a reader sees. */
    private JsonNode twice(Caller caller, String arguments) {
        var before = proxy.watched();
        var byTheRules = call(caller, "AP_Read", arguments);
        assertThat(proxy.watched()).as("the first read").isEqualTo(before);
        var smallest = call(caller, "AP_Read", arguments);
        assertThat(proxy.watched()).as("the second read").isEqualTo(before + 1);
        return same(smallest, byTheRules);
    }

    private static JsonNode same(JsonNode read, JsonNode other) {
        for (var part : new String[] {"/profile", "/content", "/next_cursor"}) {
            assertThat(read.at(part)).as(part).isEqualTo(other.at(part));
        }
        return read;
    }

    @Test
    void theSecondReadRunsTheSmallestStatement() {
        var read = twice(ann("one", null), READ);
        assertThat(read.at("/content")).hasSize(3);
        call(ann("two", null), "AP_Select", READ);
        var before = proxy.watched();
        same(call(ann("two", null), "AP_Read", "{}"), read); // One statement for every case.
        assertThat(proxy.watched()).isEqualTo(before);
    }

    @Test
    void aPageIsCutAtTheLimit() {
        var read = twice(ann("one", null), "{'target':{'agent':'Ada'},'page':{'limit':2}}");
        assertThat(read.at("/content")).hasSize(2);
        assertThat(read.at("/content/1/content").asString()).isEqualTo("third");
        assertThat(read.at("/next_cursor").asString("")).isNotEmpty();
    }

    @Test
    void messagesOfAnotherAgentThatTheCallerIsLoggedOnAsAreCovered() {
        call(ann("one", null), "AP_Read", READ);
        call(ann("two", null), "AP_LogOn", "{'target':{'agent':'Bo'}}");
        call(ann("two", null), "AP_Chat", "{'target':{'agent':'Ada'},'content':'fourth'}");
        var read = twice(ann("two", null), READ);
        assertThat(read.at("/content/3/from").asString()).isEqualTo("Bo");
        // Logged on as nobody, the caller lacks the name of Bo: the hint is wrong, and the rules decide.
        var before = proxy.watched();
        same(call(ann("one", null), "AP_Read", READ), read);
        assertThat(proxy.watched()).isEqualTo(before + 1);
    }

    @Test
    void aKeyThatIsBoundToAnotherAgentReadsTheSame() {
        var bound = ann("bound", agent("Bo"));
        call(bound, "AP_Chat", "{'target':{'agent':'Ada'},'content':'fourth'}");
        assertThat(twice(bound, READ).at("/content/3/from").asString()).isEqualTo("Bo");
    }

    @Test
    void aKeyThatIsBoundToTheAgentMarksItsMessagesAsRead() {
        var read = twice(ann("one", null), READ);
        var bound = ann("bound", agent("Ada"));
        same(call(bound, "AP_Read", READ), read);
        assertThat(db.sql(
                                "SELECT sum(p.read_seq) AS read FROM participant p WHERE p.tenant_id = :tenant AND p.party_id = :agent")
                        .set("tenant", tenant)
                        .set("agent", agent("Ada"))
                        .one(row -> row.number("read")))
                .contains(3L);
    }
}
