package io.agentworkspace.engine;

import static io.agentworkspace.engine.testing.Steps.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.Chromium;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.Steps;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * A viewer, a narrow key and the owner of another tenant open each page of the console, and repeat each request of the owner's
 * pages. {@code console-access.mjs} does so in real Chromium, and reports which markers of the owner's things they received.
 */
@Tag("slow")
class ConsoleAccessTest {
    private static final Path SCREENSHOTS = Path.of("target/screenshots").toAbsolutePath();
    private static Steps steps;

    /** What everybody in the tenant may read, as PermissionMatrixTest tries it. */
    private static final List<String> OPEN =
            List.of("marker-board", "marker-document", "marker-notice", "marker-refusal", "marker-rule");

    private static final Map<String, List<String>> MAY_FIND =
            Map.of("viewer", OPEN, "narrow", List.of("marker-board", "marker-notice"), "stranger", List.of());
    private static final Map<String, Set<String>> MAY_OPEN =
            Map.of("viewer", Set.of("document", "rule"), "narrow", Set.of(), "stranger", Set.of());
    private static final String EXPLAINED =
            "(?s).*(that you may see|your key lacks the capability|For admins|Not for this key|There is no such).*";

    private static final Map<String, String> PATHS = new TreeMap<>(Map.of(
            "agent", "/console/agents/Ada",
            "space", "/console/spaces/vault/main",
            "zone", "/console/spaces/vault/backroom",
            "tasks", "/console/spaces/vault?view=tasks",
            "bank", "/console/memory/ledger",
            "memory", "/console/memory/ledger/pearl",
            "document", "/console/documents/tides.txt"));

    private static String owner;

    @BeforeAll
    static void play() {
        Chromium.require();
        var tenant = new TestTenant();
        owner = tenant.key(ClientApi.REST, "owner", Role.OWNER, List.of("*"));
        fill();
        var paths = Json.object();
        PATHS.forEach(paths::put);
        var keys = Map.of(
                "OWNER_KEY",
                owner,
                "VIEWER_KEY",
                tenant.key(ClientApi.REST, "vera", Role.VIEWER, List.of("*")),
                "NARROW_KEY",
                tenant.key(ClientApi.REST, "nora", Role.MEMBER, List.of("bank:read")),
                "STRANGER_KEY",
                new TestTenant().key(ClientApi.REST, "stella", Role.OWNER, List.of("*")),
                "PATHS",
                paths.toString());
        steps = Chromium.play(keys, "console-access.mjs", TestServer.url(), SCREENSHOTS.toString());
    }

    private static void fill() {
        call("AP_Create", "{'vx':{'name':'Ada','description':'marker-agent','profile':'marker-persona'}}");
        call("AP_Create", "{'vx':{'name':'Pia','description':'marker-public','access':'public'}}");
        call("DM_Create", "{'target':{'agent':'Ada'},'vx':{'name':'vault','description':'marker-domain'}}");
        call("ZN_Create", "{'target':{'domain':'vault'},'vx':{'name':'backroom','description':'marker-zone'}}");
        call("AP_Chat", "{'target':{'domain':'vault'},'content':'marker-message'}");
        call("AP_Chat", "{'target':{'agent':'Ada'},'content':'marker-direct'}");
        call("MB_Create", "{'target':{'agent':'Ada'},'vx':{'name':'ledger','description':'marker-bank'}}");
        for (var content : List.of("marker-revision", "marker-memory")) {
            call(
                    "MB_Store",
                    "{'target':{'bank':'ledger','agent':'Ada'},'content':'%s','vx':{'name':'pearl'}}"
                            .formatted(content));
        }
        call("MB_Create", "{'vx':{'name':'board','description':'marker-board','access':'public'}}");
        call("MB_Store", "{'target':{'bank':'board'},'content':'marker-notice'}");
        call("US_Create", "{'vx':{'name':'marker-user','access':'member'}}");
        call("DC_Submit", "{'name':'tides.txt','text':'marker-document'}");
        put(
                "key",
                "keys",
                call("AK_Create", "{'name':'marker-key','capabilities':['agent:read']}")
                        .text("/key/id"));
        call("TK_Reserve", "{'target':{'domain':'vault'},'paths':['src/**'],'reason':'marker-reserved'}");
        var task = call(
                "TK_Create", "{'target':{'domain':'vault'},'vx':{'name':'marker-task','description':'marker-work'}}");
        PATHS.put("task", "/console/spaces/vault?task=" + task.text("/task/id"));
        put("webhook", "webhooks", call("WH_Create", """
                {'url':'http://127.0.0.1:9/marker-hook','events':['*'],'description':'marker-endpoint'}""").text("/endpoint/id"));
        put("rule", "rules", call("RL_Create", """
                {'name':'marker-rule','applies_to':['AP_Destroy'],'when':'true','message':'marker-refusal','enabled':false}""").text("/rule/id"));
        await().until(() ->
                !call("DC_List", "{'state':'accepted'}").at("/documents").isEmpty());
    }

    private static void put(String kind, String page, String id) {
        PATHS.put(kind, "/console/%s/%s".formatted(page, id));
    }

    private static Reply call(String tool, String arguments) {
        return TestCaller.of(ClientApi.REST, owner).call(tool, arguments).ok();
    }

    @Test
    void noPageFailsForAnybody() {
        assertThat(texts(steps.only("faults").path("faults"))).isEmpty();
    }

    /** A text has the direction of its own language: {@code dir="auto"}, or, as code, always left to right. */
    @Test
    void everyTextOfOthersHasADirection() {
        assertThat(texts(steps.only("owner").path("straight"))).isEmpty();
    }

    @Test
    void theOwnersPagesShowEverything() {
        assertThat(texts(steps.only("owner").path("found"))).hasSize(22).containsAll(OPEN);
        assertThat(steps.only("requests").path("changes").asInt()).isEqualTo(27);
        assertThat(texts(steps.only("requests").path("tools"))).hasSizeGreaterThan(40);
    }

    @ParameterizedTest
    @ValueSource(strings = {"viewer", "narrow", "stranger"})
    void everybodyReceivesOnlyWhatTheyMayRead(String who) {
        assertThat(texts(steps.only(who).path("found"))).as("by the pages").isEqualTo(MAY_FIND.get(who));
        assertThat(texts(steps.only(who + " again").path("found")))
                .as("by the owner's requests")
                .isEqualTo(MAY_FIND.get(who));
        assertThat(texts(steps.only(who + " again").path("told")))
                .as("by refusals")
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"viewer", "narrow", "stranger"})
    void nobodyElseChangesAnything(String who) {
        assertThat(texts(steps.only(who + " again").path("done"))).isEmpty();
        assertThat(steps.only("state").path("before")).isNotEmpty();
        assertThat(steps.only("state").path("after"))
                .isEqualTo(steps.only("state").path("before"));
        assertThat(texts(steps.only("owner again").path("done")))
                .as("the owner may, until things are deleted")
                .hasSizeGreaterThan(12);
    }

    @ParameterizedTest
    @ValueSource(strings = {"viewer", "narrow", "stranger"})
    void eachPageSaysWhatIsRefused(String who) {
        var words = steps.only(who).path("words");
        assertThat(words.propertyStream().map(Map.Entry::getValue).map(JsonNode::asString))
                .hasSizeGreaterThan(25)
                .noneMatch(String::isBlank);
        PATHS.forEach((kind, path) -> assertThat(words.path(path).asString().matches(EXPLAINED))
                .as("%s: %s", kind, words.path(path).asString())
                .isNotEqualTo(MAY_OPEN.get(who).contains(kind)));
    }

    @Test
    void theWorldSaysWhatAKeyMayNotSee() {
        assertThat(steps.only("narrow").path("words").path("/console/world").asString())
                .contains("Your key or role does not allow AP_List.", "Your key or role does not allow DM_List.");
    }
}
