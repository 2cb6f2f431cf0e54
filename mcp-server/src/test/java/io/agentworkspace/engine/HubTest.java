package io.agentworkspace.engine;

import static io.agentworkspace.engine.testing.Steps.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.kernel.db.embedded.LoopbackPort;
import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Replica;
import io.agentworkspace.engine.testing.Steps;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The tools hub in real Chromium, driven by {@code hub.mjs}. */
@Tag("slow")
class HubTest {
    private static final Path SCREENSHOTS = Path.of("target/screenshots").toAbsolutePath();
    private static final String MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>";
    private static final int TOOLS = TestDatabase.catalogue().tools().size();

    private static Steps steps;
    private static TestTenant tenant;

    private static String owner;

    @BeforeAll
    static void play() {
        Chromium.require();
        tenant = new TestTenant();
        owner = key("owner", Role.OWNER);
        fill();
        var keys = Map.of(
                "OWNER_KEY",
                owner,
                "VIEWER_KEY",
                key("vera", Role.VIEWER),
                "NEW_KEY",
                key("nina", Role.MEMBER),
                "JAVA_HOME",
                System.getProperty("java.home"));
        var port = LoopbackPort.free(); // The provider needs it at its start.
        var provider = Node.start(
                "provider.mjs",
                Map.of(
                        "PORT",
                        "0",
                        "REDIRECT",
                        "http://127.0.0.1:%d/api/auth/oauth/sample/callback".formatted(port),
                        "KID",
                        "one",
                        "AS",
                        "alice"));
        try (var engine = Replica.start(settings(port, provider.port()))) {
            steps = Chromium.play(keys, "hub.mjs", engine.url(), SCREENSHOTS.toString());
        } finally {
            provider.process().destroy();
        }
    }

    private static Map<String, String> settings(int port, int providerPort) {
        var tenantName = TestDatabase.db()
                .sql("SELECT name FROM tenant WHERE tenant_id = :id")
                .set("id", tenant.id(ClientApi.REST))
                .one(row -> row.text("name"))
                .orElseThrow();
        return Map.of(
                "ENGINE_PORT",
                Integer.toString(port),
                "ENGINE_OAUTH_SAMPLE_ISSUER",
                "http://127.0.0.1:" + providerPort,
                "ENGINE_OAUTH_SAMPLE_CLIENT_ID",
                "engine",
                "ENGINE_OAUTH_SAMPLE_CLIENT_SECRET",
                "a secret of the client: with + and %",
                "ENGINE_OAUTH_SAMPLE_TENANT",
                tenantName,
                "ENGINE_OAUTH_SAMPLE_EMAIL_DOMAINS",
                "example.org");
    }

    private static String key(String user, Role role) {
        return tenant.key(ClientApi.REST, user, role, List.of("*"));
    }

    /** Creates things whose texts are full of markup. */
    private static void fill() {
        call("AP_Create", """
                {"vx": {"name": "hostile", "description": "%1$s", "profile": "%1$s"}}""");
        call("DM_Create", """
                {"vx": {"name": "den", "description": "%1$s"}}""");
        call("AP_Chat", """
                {"target": {"domain": "den"}, "content": "%1$s"}""");
        call("AK_Create", """
                {"name": "%1$s", "capabilities": ["agent:read"]}""");
    }

    private static void call(String service, String arguments) {
        var input = Json.readObject(arguments.formatted(MARKUP).getBytes(StandardCharsets.UTF_8));
        ClientApi.REST.call(TestServer.url(), owner, service, input).ok();
    }

    /** Returns the step's reports at both widths. */
    private static List<JsonNode> everywhere(String step) {
        assertThat(steps.of(step)).as(step).hasSize(2);
        return steps.of(step);
    }

    /** Findings of axe, script errors, policy violations, requests to other hosts, and pages wider than their window. */
    @Test
    void nothingIsWrongOnAnyPage() {
        assertThat(texts(steps.only("faults").get("faults"))).isEmpty();
    }

    @Test
    void theListIsSearchedAndFilteredAsOneTypes() {
        for (var list : everywhere("list")) {
            assertThat(list.get("all").asInt()).isEqualTo(TOOLS);
            assertThat(list.at("/header/0").asInt()).isZero();
            assertThat(list.at("/header/1").asInt()).as("one row").isLessThan(70);
            assertThat(texts(list.get("menu"))).contains("Tools", "Skills", "Connect", "Doctor", "Docs");
            assertThat(texts(list.get("byField")).subList(0, 5)).contains("AP_Create", "AP_Update", "AP_Modify");
            assertThat(texts(list.get("begun"))).startsWith("AP_Remove").contains("AP_Add", "AP_List");
            assertThat(texts(list.get("misspelled"))).startsWith("AP_Chat");
            assertThat(texts(list.get("byWords"))).contains("AP_LogOff").doesNotContain("WH_List");
            assertThat(list.get("address").asString()).isEqualTo("?q=logged+on");
            assertThat(texts(list.get("destructive")))
                    .contains("DM_Ban", "AK_Delete")
                    .doesNotContain("AP_Create");
            assertThat(texts(list.get("destructiveOfTask"))).containsExactly("AP_Destroy", "DM_Destroy", "ZN_Destroy");
            assertThat(list.get("announced").asString()).isEqualTo("3 tools");
            assertThat(list.get("heading").asString()).matches("(?s)Create agents and spaces\\s+3 of \\d+");
            assertThat(list.get("linked").asString()).contains("effect=destroys", "task=set-up");
            assertThat(texts(list.get("afterReload"))).containsExactly("AP_Destroy", "DM_Destroy", "ZN_Destroy");
            assertThat(list.get("nothing").asString()).contains("xyzzy qwrt");
            assertThat(list.get("pasted").asString()).doesNotContain("ek_");
            assertThat(list.get("cleared").asInt()).isEqualTo(TOOLS);
            assertThat(list.get("firstTool").asDouble()).isLessThan(1);
        }
    }

    /**
     * The toolset is chosen by a click or by a link, and the first one is chosen after clearing. The
     * clicked element stays in place.
     */
    @Test
    void theChosenToolsetIsInView() {
        for (var list : everywhere("list")) {
            assertThat(list.get("chips").valueStream().map(JsonNode::asBoolean)).containsExactly(true, true, true);
            assertThat(list.get("summaryMoved").valueStream().map(JsonNode::asInt))
                    .containsExactly(0, 0);
        }
    }

    @Test
    void oneSignsInWithAKeyThatIsKeptNowhere() {
        for (var session : everywhere("session")) {
            assertThat(session.get("mistyped").asString()).matches("Mistyped key: .+\\.");
            assertThat(session.get("account").asString()).contains("owner", "May call", TOOLS + " tools");
            assertThat(session.get("kept").asBoolean()).isFalse();
        }
        for (var after : everywhere("signed out")) {
            assertThat(after.get("button").asString()).isEqualTo("Sign in");
            assertThat(after.get("cookies")).isEmpty();
        }
        assertThat(steps.toString()).doesNotContain(owner);
    }

    @Test
    void oneSignsInAtAProviderAndIsBackWhereOneLeft() {
        assertThat(texts(steps.only("provider").get("backs"))).hasSize(3).allMatch("/skills-hub"::equals);
        assertThat(steps.only("provider").get("address").asString()).isEqualTo("/mcp-hub?task=talk");
        assertThat(steps.only("provider").at("/session/user").asString()).isEqualTo("alice");
    }

    @Test
    void aToolIsTriedWithItsForm() {
        for (var tried : everywhere("trying")) {
            assertThat(tried.get("missing").asString()).isNotEmpty();
            assertThat(tried.at("/refused/envelope/status/error").asString()).isEqualTo("invalid_field");
            assertThat(tried.get("atField").asString())
                    .isEqualTo(tried.at("/refused/envelope/status/note").asString());
            assertThat(tried.at("/created/heading").asString()).startsWith("Done HTTP 200");
            assertThat(tried.at("/created/envelope/agent/access").asString()).isEqualTo("public");
            assertThat(tried.get("shown").asString())
                    .contains("tried " + tried.get("width").asInt());
            assertThat(tried.get("folded").asInt()).isZero();
            assertThat(tried.get("table").asString())
                    .contains("tried " + tried.get("width").asInt());
            assertThat(texts(tried.get("history"))).startsWith("AP_List", "AP_Create");
            assertThat(tried.get("carried").asString())
                    .isEqualTo("tried " + tried.get("width").asInt());
            assertThat(texts(tried.get("linked"))).containsExactly("from a link", "");
            assertThat(tried.get("curl").asString()).contains("/AP_Create/invoke", "\"access\":\"public\"");
            assertThat(tried.at("/json/vx/access").asString()).isEqualTo("public");
            var tops = tried.get("tops");
            if (tried.get("width").asInt() > 400) {
                assertThat(tops.get("input")).as("beside the form").isEqualTo(tops.get("try"));
                assertThat(tops.get("errors")).as("beside the answer").isEqualTo(tops.get("output"));
            }
            assertThat(tried.get("noJson").asString()).startsWith("This is not JSON");
            assertThat(tried.get("earlier").asString())
                    .as("the answer to the request before")
                    .isEmpty();
        }
    }

    @Test
    void oneIsToldWhereTheSessionHasEnded() {
        for (var tried : everywhere("trying")) {
            assertThat(tried.at("/notSignedIn/heading").asString()).contains("HTTP 401");
            assertThat(tried.get("ended").asString()).isEqualTo("Sign in");
        }
    }

    @Test
    void whatDestroysAsksFirst() {
        for (var tried : everywhere("trying")) {
            assertThat(tried.get("asks").asString()).contains("Run AP_Destroy?", "Deletes an agent for everyone");
            assertThat(tried.get("notRun").asString()).isEmpty();
            assertThat(tried.at("/destroyed/heading").asString()).startsWith("Done HTTP 200");
        }
    }

    @Test
    void clientsAreConnectedAsTheRouteSays() {
        for (var connect : everywhere("connect")) {
            assertThat(connect.get("address").asString()).isEqualTo("?toolset=agent&readonly=true");
            assertThat(connect.get("shown").asString()).endsWith("/mcp/x/agent/readonly");
            assertThat(connect.get("clients").propertyNames())
                    .containsExactly("claude-code", "claude-desktop", "cursor", "vscode", "generic");
            for (var client : connect.get("clients")) {
                assertThat(client.get("same").asBoolean()).isTrue();
                assertThat(client.get("link")).isEqualTo(client.get("served"));
            }
            assertThat(connect.at("/clients/vscode/link").asString()).startsWith("vscode:mcp/install?");
            assertThat(connect.at("/clients/cursor/link").asString())
                    .startsWith("cursor://anysphere.cursor-deeplink/mcp/install?name=agent-workspace&config=");
            assertThat(connect.get("all").asString()).isEqualTo("?readonly=true");
            assertThat(connect.get("linked").asString()).isEqualTo("Cursor");
            assertThat(connect.get("reloaded").asString()).isEqualTo("VS Code");
            assertThat(connect.get("hidden").asInt()).isZero();
        }
    }

    @Test
    void aClientIsConnectedStepByStep() {
        for (var wizard : everywhere("wizard")) {
            assertThat(wizard.get("may").asString())
                    .contains("agent:write", "bank:read", "zone:write")
                    .doesNotContain("*", "key:", "account:");
            assertThat(wizard.get("named").asString()).isEqualTo("Any other client");
            assertThat(wizard.get("line").asString()).matches("curl -fsS http\\S+/join \\| sh -s -- <code>");
            assertThat(wizard.get("powershell").asString())
                    .matches("& \\(\\[scriptblock]::Create\\(\\(irm http\\S+/join\\.ps1\\)\\)\\) <code>");
            assertThat(wizard.get("key").asString()).isEqualTo("ek_");
            assertThat(wizard.get("variable").asString()).isEqualTo("export ENGINE_KEY='<key>'");
            assertThat(wizard.get("refused").asString()).contains("was refused", "Update the client", "2025-11-25");
            assertThat(wizard.get("connected").asString()).contains("wizard 1 is connected", "2025-11-25");
            assertThat(wizard.get("kept").asBoolean()).isFalse();
        }
    }

    @Test
    void oneSearchFindsToolsSkillsAndDocumentsFromEveryPage() {
        for (var finds : everywhere("finds")) {
            assertThat(texts(finds.get("groups"))).containsExactly("Tools", "Skills", "Documents");
            assertThat(finds.get("opened").asString()).startsWith("Send a message");
            assertThat(finds.get("keys").asBoolean())
                    .as("the keys of a keyboard, where there is one")
                    .isEqualTo(finds.get("width").asInt() > 400);
            assertThat(finds.get("found").asString()).isEmpty();
            assertThat(finds.get("none").asString()).startsWith("Nothing fits");
            assertThat(finds.get("grown").asInt()).as("what the state moves").isZero();
        }
    }

    /** The endpoint lists the discovery tools, and the tools of the chosen families. */
    @Test
    void discoveryAndAFamilyCostBoth() {
        for (var connect : everywhere("connect")) {
            var discovery = connect.at("/prices/discovery").asString();
            assertThat(discovery).startsWith("four tools over all %d, ".formatted(TOOLS));
            var narrowed = numbers(connect.at("/prices/narrowed").asString());
            assertThat(numbers(connect.at("/prices/both").asString()))
                    .containsExactly(
                            narrowed.getFirst() + 4,
                            narrowed.getLast() + numbers(discovery).getLast());
        }
    }

    private static List<Integer> numbers(String text) {
        return Pattern.compile("\\d+")
                .matcher(text.replace(",", ""))
                .results()
                .map(number -> Integer.valueOf(number.group()))
                .toList();
    }

    @Test
    void theDoctorSeesClientsCome() {
        for (var doctor : everywhere("doctor")) {
            assertThat(doctor.get("met").asString()).startsWith("Connected").contains("<b>1</b>", "session 2025-11-25");
            assertThat(doctor.get("lines").asInt()).isLessThanOrEqualTo(3);
            assertThat(doctor.get("markup").asInt()).isZero();
            assertThat(doctor.get("refused").asString()).contains("1999-01-01", "2026-07-28");
            assertThat(doctor.get("focused")).isEqualTo(doctor.get("met"));
            assertThat(doctor.get("ended").asString()).isEqualTo("Sign in");
        }
    }

    /** Users without a key used to see only an empty page there. */
    @Test
    void theDoctorAsksForTheKeyOfWhoeverSignedInWithoutOne() {
        assertThat(steps.only("provider").get("none").asString()).contains("invite an agent");
        assertThat(steps.only("provider").get("link").asString()).isEqualTo("/mcp-hub/connect");
        assertThat(steps.only("provider").get("chosen").asString()).contains("Connected", "laptop");
    }

    @Test
    void aNewcomerIsThereInAFewClicks() {
        for (var newcomer : everywhere("newcomer")) {
            assertThat(newcomer.get("clicks").asInt()).isLessThanOrEqualTo(6);
            assertThat(newcomer.at("/envelope/profile/0/user").asString()).isEqualTo("nina");
        }
    }

    @Test
    void theKeyboardIsEnough() {
        everywhere("keyboard").forEach(HubTest::isEnough);
    }

    private static void isEnough(JsonNode keyed) {
        assertThat(keyed.get("first").asString())
                .contains("roster")
                .isNotEqualTo(keyed.get("second").asString());
        assertThat(keyed.get("second").asString()).contains("roster");
        assertThat(keyed.get("back").asString()).isEqualTo("q");
        assertThat(keyed.get("runner").asString()).isEqualTo("Run AP_Create");
        assertThat(keyed.at("/envelope/agent/name").asString())
                .isEqualTo("keyed " + keyed.get("width").asInt());
        assertThat(keyed.get("tab").asString()).isEqualTo("MCP");
        assertThat(keyed.get("panels").asInt()).isEqualTo(1);
    }

    @Test
    void withoutScriptsAllCanBeRead() {
        var plain = steps.only("without scripts");
        assertThat(plain.get("tools").asInt()).isEqualTo(TOOLS);
        assertThat(texts(plain.get("buttons"))).as("of the browser alone").containsExactly("Menu");
        assertThat(texts(plain.get("headings")))
                .contains("curl", "Java", "Input", "Answer", "Errors")
                .doesNotContain("Try it");
        assertThat(plain.get("code").asInt()).isEqualTo(5);
    }

    @Test
    void onPaperNothingIsCutOff() {
        assertThat(texts(steps.only("print").get("cut"))).isEmpty();
        assertThat(steps.only("print").get("code").asInt()).isEqualTo(5);
        assertThat(steps.only("print").get("buttons").asInt()).isZero();
        assertThat(steps.only("paper").get("ways").asInt()).isZero();
    }

    @Test
    void pagesAreLightAndStayWhereTheyAre() {
        assertThat(steps.of("load")).hasSize(10);
        for (var load : steps.of("load")) {
            assertThat(load.get("bytes").asInt()).as(load.toString()).isBetween(5_000, 150_000);
            assertThat(load.get("shift").asDouble()).as(load.toString()).isZero();
        }
    }

    @Test
    void markupOfOthersIsText() {
        var markup = steps.only("markup");
        assertThat(markup.get("alarm").asString()).isEmpty();
        assertThat(markup.get("images").asInt()).isZero();
        for (var field : markup.get("shown").properties()) {
            assertThat(field.getValue().asString()).as(field.getKey()).contains("<img src=x onerror=alert(1)>");
        }
    }

    @Test
    void oneSeesWhatOnesKeyMayCall() {
        var viewer = steps.only("viewer");
        var barred = viewer.get("barred").asInt();
        assertThat(barred).isPositive();
        assertThat(viewer.get("own").asString())
                .startsWith("Your key may call %d of %d tools.".formatted(TOOLS - barred, TOOLS));
        assertThat(viewer.get("order").valueStream().map(JsonNode::asBoolean)).isSorted();
        assertThat(viewer.get("reason").asString()).contains("your role is 'viewer'");
        assertThat(viewer.get("obstacle").asString()).contains("needs the role 'member'");
    }

    @Test
    void theCodeOnThePagesRuns() {
        assertThat(steps.of("snippet")).hasSizeGreaterThan(10);
        for (var snippet : steps.of("snippet")) {
            var answer = (ObjectNode) snippet.get("answer");
            var envelope = answer.has("result") ? answer.at("/result/structuredContent") : answer;
            assertThat(envelope.at("/status/success").asBoolean())
                    .as(snippet.toString())
                    .isTrue();
        }
    }
}
