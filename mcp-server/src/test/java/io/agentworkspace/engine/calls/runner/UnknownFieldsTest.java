package io.agentworkspace.engine.calls.runner;

import static io.agentworkspace.engine.testing.KeyFixture.route;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.KeyFixture;
import io.agentworkspace.engine.testing.KeyFixture.Made;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** An unknown field is never ignored silently: below /api it is refused, on command routes the response lists it. */
class UnknownFieldsTest {
    private final KeyFixture fixture = new KeyFixture();
    private final Made root = fixture.user("ann", Role.OWNER, "*");

    private static void refused(int status, String error, String note, Got got) {
        assertThat(got.status()).as(got.toString()).isEqualTo(status);
        assertThat(got.error()).isEqualTo(error);
        assertThat(got.note()).contains(note);
    }

    @Test
    void noKeyIsMadeForAnotherUserThanWasMeant() {
        fixture.user("vic", Role.MEMBER, "*");
        var meant = "{'name':'x','user':'vic','capabilities':['*']}";
        refused(422, "invalid_field", "did you mean target.user?", route(root, "POST", "/api/keys", meant));
        assertThat(route(root, "GET", "/api/keys", "").text()).doesNotContain("\"name\":\"x\"");

        var right = "{'name':'x','target':{'user':'vic'},'capabilities':['agent:read']}";
        var made = route(root, "POST", "/api/keys", right);
        assertThat(made.json().at("/key/user").asString()).as(made.toString()).isEqualTo("vic");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            GET  | /api/keys?limt=1                              | did you mean 'limit'?
            GET  | /api/webhooks/deliveries?endpoint_id=x        | did you mean 'endpoint'?
            GET  | /api/webhooks/deliveries?state=failed&typ=x   | did you mean 'type'?
            GET  | /api/config?x=1                               | it takes none
            GET  | /api/mcp/tools?family=agent                   | it takes none
            GET  | /api/mcp/clients?toolsets=agent               | did you mean 'toolset'?
            GET  | /api/auth/why?tol=AP_Read                     | did you mean 'tool'?
            GET  | /api/auth/session?x=1                         | it takes none
            GET  | /api/openapi.json?pretty=1                    | it takes none
            POST | /api/mcp/tools/US_Read/invoke?dry=1           | it takes none
            """)
    void aQueryHasKnownParametersOnly(String method, String path, String hint) {
        refused(400, "bad_request", hint, route(root, method, path, method.equals("POST") ? "{}" : ""));
    }

    @Test
    void everyUnknownParameterIsNamed() {
        var got = route(root, "GET", "/api/keys?limt=1&pages=2", "");
        assertThat(got.note()).contains("'limt'", "'pages'");
    }

    @Test
    void deliveriesAreNarrowedByTheContractsWords() {
        for (var query : new String[] {"type=webhook.test", "state=failed", "type=webhook.test&state=failed&limit=1"}) {
            var got = route(root, "GET", "/api/webhooks/deliveries?" + query, "");
            assertThat(got.status()).as(got.toString()).isEqualTo(200);
        }
        var nowhere = "/api/webhooks/deliveries?endpoint=6f8b1c9e-3b0a-4f0e-9a52-0d8a4c1f7b11";
        refused(404, "not_found", "endpoint", route(root, "GET", nowhere, ""));
    }

    @Test
    void routesThatTakeNoBodyTakeNoFields() {
        refused(
                422,
                "invalid_field",
                "user cannot be given",
                route(root, "POST", "/api/auth/session", "{'user':'vic'}"));
    }

    @ParameterizedTest
    @EnumSource(
            value = CommandAddress.class,
            names = {"GENERIC", "ALIAS"})
    void commandRoutesListWhatTheyIgnore(CommandAddress way) {
        var created = way.call(root.key(), "AP_Create", """
                {"vx":{"name":"%s","description":"d","colour":"red"},"priority":1}""".formatted("A " + way));
        assertThat(created.error()).isEmpty();
        assertThat(created.envelope().at("/header/ignored").toString()).isEqualTo("[\"priority\",\"vx.colour\"]");
        var refused = way.call(root.key(), "AP_Create", "{\"vx\":{\"nam\":\"B\"}}");
        assertThat(refused.error()).isEqualTo("missing_field");
        assertThat(refused.envelope().at("/header/ignored").toString()).isEqualTo("[\"vx.nam\"]");
        assertThat(way.call(root.key(), "AP_List", "{}")
                        .envelope()
                        .at("/header")
                        .has("ignored"))
                .isFalse();
    }

    @Test
    void commandRoutesListTheQueryThatTheyIgnoreAndRefuseItWhereItCouldDoHarm() {
        for (var path : new String[] {CommandAddress.ALIAS.path("AP_List"), CommandAddress.GENERIC.path("AP_List")}) {
            var got = route(root, "POST", path + "?colour=red&content=x&colour=2", "{'service':'AP_List','size':1}");
            assertThat(got.error()).as(got.toString()).isEmpty();
            assertThat(got.envelope().at("/header/ignored").toString())
                    .isEqualTo("[\"size\",\"?colour\",\"?content\"]");
        }
        route(root, "POST", CommandAddress.ALIAS.path("AP_Create"), "{'vx':{'name':'Ada','description':'d'}}");
        var destroy = CommandAddress.ALIAS.path("AP_Destroy") + "?dry_run=true";
        refused(
                400,
                "invalid_field",
                "?dry_run is not a field",
                route(root, "POST", destroy, "{'target':{'agent':'Ada'}}"));
        assertThat(CommandAddress.ALIAS
                        .call(root.key(), "AP_Read", "{\"target\":{\"agent\":\"Ada\"}}")
                        .error())
                .isEmpty();
    }

    @Test
    void theListOfWhatIsIgnoredIsBounded() {
        var many = IntStream.range(0, 5_000)
                .mapToObj(i -> "\"%s%d\":1".formatted("x".repeat(100), i))
                .collect(Collectors.joining(",", "{", "}"));
        var got = CommandAddress.ALIAS.call(root.key(), "AP_List", many);
        var ignored = got.envelope().at("/header/ignored");
        assertThat(ignored.size()).isEqualTo(20);
        assertThat(ignored.valueStream().map(name -> name.asString().length())).allMatch(length -> length <= 65);
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void allThatIsMissingIsNamedAtOnce(CommandAddress way) {
        assertThat(way.call(root.key(), "AP_Create", "{}").note()).isEqualTo("vx.name and vx.description are required");
        assertThat(way.call(root.key(), "DM_Update", "{\"vx\":{\"description\":\" \"}}")
                        .note())
                .isEqualTo("target.domain, vx.name and vx.description are required");
        assertThat(way.call(root.key(), "MB_Read", "{}").note())
                .isEqualTo("target.bank is required; MB_List shows the banks that you may see");
    }

    @Test
    void allThatIsUnknownIsNamedAtOnce() {
        var got = CommandAddress.MCP.call(
                root.key(), "AP_Create", "{\"vx\":{\"nam\":\"x\",\"description\":\"d\"},\"acces\":1,\"contents\":2}");
        assertThat(got.error()).isEqualTo("invalid_field");
        assertThat(got.note()).contains("vx.nam is not", "did you mean vx.name?", "acces is not", "contents is not");
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void aTransposedLetterIsNearAndAMentionIsAName(CommandAddress way) {
        var name = "Ada" + way.ordinal();
        way.call(root.key(), "AP_Create", "{\"vx\":{\"name\":\"%s\",\"description\":\"d\"}}".formatted(name));
        way.call(root.key(), "AP_Create", "{\"vx\":{\"name\":\"Bo\",\"description\":\"d\"}}");
        assertThat(way.call(root.key(), "AP_Read", "{\"target\":{\"agent\":\"ob\"}}")
                        .note())
                .contains("did you mean 'Bo'?");
        var read = way.call(root.key(), "AP_Read", "{\"target\":{\"agent\":\"@%s\"}}".formatted(name));
        assertThat(read.envelope().at("/profile/0/name").asString())
                .as(read.toString())
                .isEqualTo(name);
        assertThat(way.call(root.key(), "AP_Create", "{\"vx\":{\"name\":\"@Eve\",\"description\":\"d\"}}")
                        .error())
                .isEqualTo("invalid_field");
    }
}
