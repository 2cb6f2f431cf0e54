package io.agentworkspace.engine.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.identity.keys.KeyStore;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.secrets.SealKeys;
import io.agentworkspace.engine.kernel.secrets.SealedCursors;
import io.agentworkspace.engine.kernel.secrets.StateSigner;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Example;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.SkillZip;
import io.agentworkspace.engine.testing.TenantRows;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.testing.ToolCases;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Another tenant's things behave like missing ones. One stranger names the other tenant's things, an equal stranger
 * names things that do not exist. Both get the same responses, and nothing of the other tenant changes.
 */
@Tag("slow")
@Tag("tenancy")
class OtherTenantTest {
    private static final SealedCursors CURSORS =
            new SealedCursors(new StateSigner(new SealKeys(TestDatabase.db(), Clock.systemUTC())));

    /** The other tenant's things, all of them as public as possible. */
    private static final String THEIRS = """
            AP_Create {'vx':{'name':'Zephyr','description':'SECRET','profile':'SECRET','access':'public'}}
            AP_LogOn {'target':{'agent':'Zephyr'}}
            DM_Create {'vx':{'name':'Quarry','description':'SECRET','access':'public'}}
            ZN_Create {'target':{'domain':'Quarry'},'vx':{'name':'vault','description':'SECRET'}}
            ZN_Enter {'target':{'domain':'Quarry','zone':'vault'}}
            MB_Create {'vx':{'name':'Ledger','description':'SECRET','access':'public'}}
            """;

    /** Each stranger's own things. */
    private static final String OWN = """
            AP_Create {'vx':{'name':'Bea','description':'d'}}
            AP_LogOn {'target':{'agent':'Bea'}}
            DM_Create {'vx':{'name':'Den','description':'d'}}
            ZN_Enter {'target':{'domain':'Den'}}
            AP_Chat {'content':'hello'}
            MB_Create {'vx':{'name':'Box','description':'d'}}
            MB_Store {'target':{'bank':'Box'},'content':'text','vx':{'name':'one'}}
            """;

    /** Returns for each tool the calls in which a foreign name is possible. */
    private static Map<String, List<String>> calls() {
        return ToolCases.all().stream()
                .collect(Collectors.toMap(ToolCases.ToolCase::tool, ToolCases.ToolCase::foreign));
    }

    /** Returns all tools. Those that create come last, since they would create the names that others must not find. */
    private static List<Tool<?, ?>> tools() {
        var tools = new ArrayList<>(TestDatabase.catalogue().tools());
        tools.sort(Comparator.comparing(
                tool -> List.of("_Create", "_Add").contains(tool.name().substring(2))
                        && !List.of("AK_Create", "AP_Add").contains(tool.name())));
        return tools;
    }

    private static Got call(CommandAddress way, String key, String service, String arguments) {
        return way.call(key, service, arguments.replace('\'', '"'));
    }

    private static void prepare(String key, String steps) {
        steps.lines()
                .map(step -> step.split(" ", 2))
                .forEach(step -> done(call(CommandAddress.ALIAS, key, step[0], step[1])));
    }

    private static Got done(Got got) {
        assertThat(got.error()).as(got.toString()).isEmpty();
        return got;
    }

    @Test
    void everyFieldThatCanHoldAForeignNameIsTried() {
        var calls = calls();
        for (var tool : tools()) {
            assertThat(calls).as("calls with foreign names").containsKey(tool.name());
            var tried = String.join("", calls.get(tool.name()));
            var schema = tool.inputSchema().json();
            for (var field : schema.at("/properties/target/properties").propertyNames()) {
                if (!field.equals("context")) {
                    assertThat(tried).as(tool.name()).contains("'%1$s':'$%1$s'".formatted(field));
                }
            }
            for (var field : List.of("id", "agent", "parent", "endpoint_id", "to_endpoint_id", "supersedes")) {
                if (schema.at("/properties").has(field)) {
                    assertThat(tried).as(tool.name()).contains("'%s':'$".formatted(field));
                }
            }
            assertThat(schema.at("/properties").has("reply_to")).isEqualTo(tried.contains("reply_to"));
            assertThat(schema.at("/properties").has("derived_from")).isEqualTo(tried.contains("derived_from"));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = CommandAddress.class,
            names = {"ALIAS", "MCP"})
    void aStrangerHearsAndDoesNothing(CommandAddress way) {
        var theirs = new TestTenant();
        var ann = theirs.key(ClientApi.REST, "ann", Role.OWNER, List.of("*"));
        prepare(ann, THEIRS);
        var message = done(call(CommandAddress.ALIAS, ann, "AP_Chat", "{'content':'SECRET'}"))
                .envelope()
                .at("/content/0/id")
                .asString();
        var memory = done(call(
                        CommandAddress.ALIAS,
                        ann,
                        "MB_Store",
                        "{'target':{'bank':'Ledger'},'content':'SECRET','vx':{'name':'pearl'}}"))
                .envelope()
                .at("/memory/id")
                .asString();
        assertThat(memory).isNotEmpty();
        var real = names("ann", "Zephyr", "Quarry", "vault", "Ledger", "pearl", message, memory);
        real.put("$key", ApiKey.parse(ann).id());
        real.put(
                "$invitation",
                done(call(CommandAddress.ALIAS, ann, "AK_Invite", "{'agent':'Guest'}"))
                        .envelope()
                        .at("/invitation/id")
                        .asString());
        real.put(
                "$task",
                done(call(
                                CommandAddress.ALIAS,
                                ann,
                                "TK_Create",
                                "{'target':{'domain':'Quarry'},'vx':{'name':'SECRET'},'assignee':'ann'}"))
                        .envelope()
                        .at("/task/id")
                        .asString());
        real.put(
                "$question",
                done(call(CommandAddress.ALIAS, ann, "AP_Ask", "{'target':{'domain':'Quarry'},'content':'SECRET'}"))
                        .envelope()
                        .at("/question/id")
                        .asString());
        real.put("$endpoint", endpoint(ann, true));
        real.put("$upstream", "narwhal");
        done(call(CommandAddress.ALIAS, ann, "UP_Install", "{'name':'narwhal','url':'http://127.0.0.1:1/SECRET'}"));
        real.put("$rule name", "Octopus");
        real.put(
                "$rule",
                done(call(
                                CommandAddress.ALIAS,
                                ann,
                                "RL_Create",
                                "{'name':'Octopus','applies_to':['AP_Destroy'],'when':'true','message':'SECRET','enabled':false}"))
                        .envelope()
                        .at("/rule/id")
                        .asString());
        real.put(
                "$delivery",
                done(call(CommandAddress.ALIAS, ann, "WH_Test", "{'event_type':'webhook.test','data':{'x':'SECRET'}}"))
                        .envelope()
                        .at("/deliveries/0/id")
                        .asString());
        var nowhere = names(
                "nil",
                "Xylo77",
                "Kolibr",
                "dunes",
                "Pamphl",
                "gravel",
                UUID.randomUUID().toString(),
                UUID.randomUUID().toString());
        nowhere.put("$key", ApiKey.generate(new SecureRandom()).id());
        nowhere.put("$invitation", ApiKey.generate(new SecureRandom()).id());
        nowhere.put("$upstream", "axolotl");
        nowhere.put("$question", UUID.randomUUID().toString());
        nowhere.put("$task", UUID.randomUUID().toString());
        nowhere.put("$rule name", "Catfish");
        nowhere.put("$rule", UUID.randomUUID().toString());
        nowhere.put("$endpoint", UUID.randomUUID().toString());
        nowhere.put("$delivery", UUID.randomUUID().toString());
        done(call(
                CommandAddress.ALIAS,
                ann,
                "SK_Add",
                "{'archive':'%s'}".formatted(SkillZip.of("quokka", "SECRET").base64())));
        done(call(CommandAddress.ALIAS, ann, "SK_Install", "{'name':'quokka','agent':'Zephyr'}"));
        done(call(CommandAddress.ALIAS, ann, "DC_Submit", "{'name':'numbat.txt','text':'SECRET'}"));
        await().until(() -> call(CommandAddress.ALIAS, ann, "DC_Read", "{'id':'numbat.txt'}")
                .envelope()
                .at("/document/state")
                .asString("")
                .equals("accepted"));
        real.put("$document", "numbat.txt");
        nowhere.put("$document", "bilby.txt");
        real.put("$skill", "quokka");
        nowhere.put("$skill", "wombat");
        real.put("$zip", SkillZip.of("quokka", "mine").base64());
        nowhere.put("$zip", SkillZip.of("wombat", "mine").base64());
        var before = TenantRows.of(theirs.id(ClientApi.REST));
        var strangers = new TestTenant();
        var one = strangers.key(ClientApi.REST, "bob", Role.OWNER, List.of("*"));
        var other = strangers.key(ClientApi.MCP, "bob", Role.OWNER, List.of("*"));
        prepare(one, OWN);
        prepare(other, OWN);
        real.put("$own", ApiKey.parse(one).id());
        nowhere.put("$own", ApiKey.parse(other).id());
        for (var api : ClientApi.values()) {
            // A disabled endpoint shows the number of the last event before it.
            TestDatabase.awaitNumbered(strangers.id(api));
        }
        real.put("$mine", endpoint(one, false));
        nowhere.put("$mine", endpoint(other, false));
        List.of(one, other).forEach(OtherTenantTest::awaitNoted);
        var calls = calls();
        for (var tool : tools()) {
            for (var arguments : calls.get(tool.name())) {
                var foreign = call(way, one, tool.name(), filled(arguments, real));
                var absent = call(way, other, tool.name(), filled(arguments, nowhere));
                assertThat(steady(foreign, real))
                        .as("%s %s", tool.name(), arguments)
                        .isEqualTo(steady(absent, nowhere));
                assertThat(foreign.text()).doesNotContain("SECRET");
            }
        }
        assertThat(TenantRows.of(theirs.id(ClientApi.REST))).isEqualTo(before);
    }

    /**
     * Cursors of the other tenant are of no use, for any tool that takes one: they are sealed by the engine for the same question,
     * asked there. A cursor for the stranger's own question is
     * opened, and some tools then accept its text.
     */
    @Test
    void cursorsOfAnotherTenantContinueNothing() {
        var theirs = caller(new TestTenant().key(ClientApi.REST, "ann", Role.OWNER, List.of("*")));
        var key = new TestTenant().key(ClientApi.REST, "bob", Role.OWNER, List.of("*"));
        prepare(key, OWN);
        var tried = new ArrayList<String>();
        var opened = new ArrayList<String>();
        for (var tool : tools()) {
            var schema = tool.inputSchema().json();
            var holder = schema.at("/properties/page/properties").has("cursor")
                    ? "/page"
                    : schema.path("properties").has("cursor") ? "" : null;
            if (holder == null) {
                continue;
            }
            tried.add(tool.name());
            var foreign = refusal(key, tool, holder, theirs);
            assertThat(foreign).as(tool.name()).contains("cursor").isEqualTo(refusal(key, tool, holder, null));
            if (!refusal(key, tool, holder, caller(key)).equals(foreign)) {
                opened.add(tool.name());
            }
        }
        assertThat(tried).hasSizeGreaterThan(10).contains("AP_Read", "WH_RedeliverFailed", "AC_Audit");
        assertThat(opened).as("what this test seals, the engine opens").isNotEmpty();
    }

    /** @param owner whose question the cursor continues; null for a cursor that nobody sealed */
    private static String refusal(String key, Tool<?, ?> tool, String holder, @Nullable Caller owner) {
        var arguments = Example.arguments(tool);
        arguments.remove("page");
        var at = holder.isEmpty() ? arguments : arguments.putObject("page");
        var cursor = Json.object().put("next_cursor", Cursor.of("1", "2"));
        if (owner != null) {
            var question = SealedCursors.question(
                    tool.name(), owner, tool.inputSchema().read(arguments, true));
            CURSORS.seal(question, cursor, "next_cursor");
        }
        at.put("cursor", cursor.get("next_cursor").asString());
        return ClientApi.MCP.call(TestServer.url(), key, tool.name(), arguments).note();
    }

    private static Caller caller(String key) {
        try (var watch = TestDatabase.watch()) {
            return new KeyStore(TestDatabase.db(), Clock.systemUTC(), watch).authenticate(ApiKey.parse(key));
        }
    }

    /** Creates an endpoint whose circuit stays open, so that its queued deliveries do not change. */
    private static String endpoint(String key, boolean enabled) {
        var arguments = "{'url':'http://127.0.0.1:1/SECRET','events':['webhook.test'],'enabled':%s}".formatted(enabled);
        var id = done(call(
                        CommandAddress.ALIAS, key, "WH_Create", enabled ? arguments : arguments.replace("SECRET", "")))
                .envelope()
                .at("/endpoint/id")
                .asString();
        TestDatabase.db()
                .sql("UPDATE webhook_endpoint SET open_until = '2999-01-01Z' WHERE id = CAST(:id AS uuid)")
                .set("id", id)
                .run();
        return id;
    }

    /** Waits until the key's use is written, since lists of keys show it. */
    private static void awaitNoted(String key) {
        await().until(() ->
                call(CommandAddress.MCP, key, "AK_List", "{}").text().contains("last_used_at"));
    }

    private static Map<String, String> names(
            String user,
            String agent,
            String domain,
            String zone,
            String bank,
            String memory,
            String message,
            String text) {
        return new LinkedHashMap<>(Map.of(
                "$user",
                user,
                "$agent",
                agent,
                "$domain",
                domain,
                "$zone",
                zone,
                "$bank",
                bank,
                "$memory",
                memory,
                "$message",
                message,
                "$text",
                text,
                "$cursor",
                Cursor.of(message)));
    }

    private static String filled(String arguments, Map<String, String> names) {
        var filled = arguments;
        for (var name : names.entrySet()) {
            filled = filled.replace("'" + name.getKey() + "'", "'" + name.getValue() + "'");
        }
        return filled;
    }

    /** Returns the response without what differs between any two calls, and with the names of the table. */
    private static String steady(Got got, Map<String, String> names) {
        var text = got.status() + " " + got.text();
        for (var name : names.entrySet()) {
            text = text.replaceAll(
                    "(?i)\\b" + java.util.regex.Pattern.quote(name.getValue()) + "\\b",
                    java.util.regex.Matcher.quoteReplacement(name.getKey()));
        }
        return text.replaceAll("(commands\\\\?\",\\\\?\"count\\\\?\":)\\d+", "$1#")
                .replaceAll("((position|expected_seconds|waited_ms|p50_ms|p99_ms)\\\\?\":)[\\d.E-]+", "$1#")
                .replaceAll(
                        "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|sha256:[0-9a-f]{64}|\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z|[0-9a-f]{32}|\\b[1-9]\\d{14}\\b",
                        "#");
    }
}
