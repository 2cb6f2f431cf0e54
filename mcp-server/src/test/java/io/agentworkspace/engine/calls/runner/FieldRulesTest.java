package io.agentworkspace.engine.calls.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.CommandAddress.Got;
import io.agentworkspace.engine.testing.Refusal;
import io.agentworkspace.engine.testing.TenantRows;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** Every rule for a field's value, at its limits and on every route (decisions, sections 1 and 3). */
@Tag("slow")
class FieldRulesTest {
    private static final Map<String, List<String>> WRONG = Map.of(
            "", List.of("7", "[]", "{}"), // A boolean or a text.
            "text or list", List.of("7", "true", "{}", "[true]", "[null]"),
            "string", List.of("7", "true", "[\"x\"]", "{}"),
            "integer", List.of("\"7\"", "1.5", "1e3", "99999999999999999999", "[1]"),
            "number", List.of("\"x\"", "true", "[1]"),
            "boolean", List.of("\"true\"", "1"),
            "array", List.of("\"x\"", "{}", "[true]", "[null]"),
            "object", List.of("\"x\"", "7", "[]", "true"));

    private final TestTenant tenant = new TestTenant();
    private final String key = tenant.key(ClientApi.REST, "ann", Role.OWNER, List.of("*"));

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void theWrongJsonTypeIsMalformedForEveryFieldOfEveryTool(CommandAddress way) {
        var before = TenantRows.of(tenant.id(ClientApi.REST));
        for (var tool : TestDatabase.catalogue().tools()) {
            if ((way == CommandAddress.GENERIC || way == CommandAddress.ALIAS) && !tool.isCommand()) {
                continue; // It has only the other two addresses.
            }
            wrongTypes(way, tool.name(), tool.inputSchema().json(), "%s");
        }
        assertThat(TenantRows.of(tenant.id(ClientApi.REST))).isEqualTo(before);
    }

    private void wrongTypes(CommandAddress way, String service, JsonNode schema, String around) {
        for (var property : schema.path("properties").properties()) {
            var inside = around.formatted("{\"%s\":%%s}".formatted(property.getKey()));
            var type = property.getValue().at("/anyOf/1/type").asString("").equals("array")
                    ? "text or list"
                    : property.getValue().path("type").asString("");
            for (var wrong : WRONG.get(type)) {
                if (way == CommandAddress.MCP && wrong.matches("\"(\\d+|true|false)\"")) {
                    continue; // MCP also accepts numbers and booleans that models send as text.
                }
                var arguments = inside.formatted(wrong);
                Refusal.is("malformed_json", way, way.call(key, service, arguments), service + arguments);
            }
            wrongTypes(way, service, property.getValue(), inside);
        }
    }

    /** A command request has one type for each field, whichever command reads it. */
    @ParameterizedTest
    @EnumSource(names = {"GENERIC", "ALIAS"})
    void aFieldOfAnotherCommandKeepsItsType(CommandAddress way) {
        for (var field : List.of(
                "'target':{'user':1}",
                "'target':{'domain':{}}",
                "'target':{'bank':true}",
                "'target':{'zone':1.5}",
                "'target':{'context':1}",
                "'vx':{'profile':1}",
                "'vx':{'tags':'a'}",
                "'vx':{'tags':[1]}",
                "'if_revision':'1'",
                "'if_revision':1.5",
                "'page':1",
                "'page':{'limit':'1'}",
                "'page':{'cursor':1}")) {
            var arguments = "{\"content\":\"x\",%s}".formatted(field.replace('\'', '"'));
            Refusal.is("malformed_json", way, way.call(key, "AP_Chat", arguments), arguments);
        }
    }

    private Got create(CommandAddress way, String name) {
        return way.call(key, "AP_Create", "{\"vx\":{\"name\":\"%s\",\"description\":\"d\"}}".formatted(name));
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void namesHaveLettersDigitsAndAFewMarks(CommandAddress way) {
        var good = Map.of(
                "a".repeat(64),
                "a".repeat(64),
                "e\u0301".repeat(64),
                "é".repeat(64),
                "𐐀".repeat(64),
                "𐐀".repeat(64),
                "  Ada \\t\\n",
                "Ada",
                "日本語 の.名-前_1",
                "日本語 の.名-前_1",
                "علي",
                "علي",
                "हिन्दी",
                "हिन्दी",
                "-.-",
                "-.-",
                "\u2003wide\u2003",
                "wide");
        good.forEach((name, kept) -> {
            var got = create(way, name);
            assertThat(got.error()).as("%s %s %s", way, name, got).isEmpty();
            assertThat(got.envelope().at("/agent/name").asString()).isEqualTo(kept);
        });
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void otherNamesAreRefused(CommandAddress way) {
        var before = TenantRows.of(tenant.id(ClientApi.REST));
        for (var name : List.of(
                "a".repeat(65),
                "e\u0301".repeat(65),
                "𐐀".repeat(65),
                "x".repeat(20_000),
                "a/b",
                "a\\\\b",
                "a\\tb",
                "a\\nb",
                "a\u200Bb",
                "a\u200Fb",
                "\u202Eadmin",
                "\u2066a",
                "\uFEFFabc",
                "\u00A0a",
                "😀",
                "Ada😀",
                "\u0301a",
                "a'b",
                "a\\\"b",
                "a%b",
                "a;b",
                "a:b",
                "a*b",
                "<b>",
                "a\\u0000b",
                "\\u0000",
                "\\ud800",
                "a\\udc00",
                "../x",
                "a\u2028b",
                "½",
                "a@b",
                "\u0007bell",
                "\uE000",
                "a\uFFFEb")) {
            var json = name.replace("\u0007", "\\u0007");
            Refusal.is("invalid_field", way, create(way, json), name);
            var got = name.contains("/") // A sub-agent's name has a slash.
                    ? way.call(key, "DM_Read", "{\"target\":{\"domain\":\"%s\"}}".formatted(json))
                    : way.call(key, "AP_Read", "{\"target\":{\"agent\":\"%s\"}}".formatted(json));
            Refusal.is("invalid_field", way, got, "target " + name);
        }
        for (var blank : List.of("", " ", " \\t\\r\\n ", "\u2003")) {
            Refusal.is("missing_field", way, create(way, blank), "blank");
            Refusal.is(
                    "no_context",
                    way,
                    way.call(key, "DM_Read", "{\"target\":{\"domain\":\"%s\"}}".formatted(blank)),
                    "blank target");
        }
        assertThat(TenantRows.of(tenant.id(ClientApi.REST))).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void namesAreTheSameWithoutRegardToCaseOrComposition(CommandAddress way) {
        for (var pair : List.of(
                List.of("Ada", "aDA"),
                List.of("Émile", "E\u0301MILE"),
                List.of("Straße", "STRASSE"),
                List.of("ΟΔΟΣ", "οδος"),
                List.of("İz", "i\u0307z"),
                List.of("ﬁn", "FIN"),
                List.of("Gru\u1E9E", "gruß"),
                List.of("Ann  Lee", "ann lee"),
                List.of("\uFF2B\uFF41\uFF49 \uFF11", "Kai 1"),
                List.of("\u212Aim", "kim"),
                List.of(" Bo ", "bo"))) {
            assertThat(create(way, pair.getFirst()).error()).as(pair.getFirst()).isEmpty();
            Refusal.is("already_exists", way, create(way, pair.getLast()), pair.toString());
            var read = way.call(key, "AP_Read", "{\"target\":{\"agent\":\"%s\"}}".formatted(pair.getLast()));
            assertThat(read.envelope().at("/profile/0/name").asString())
                    .as("the given spelling is kept")
                    .isEqualTo(java.text.Normalizer.normalize(pair.getFirst().strip(), java.text.Normalizer.Form.NFC));
        }
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void textsAreLimitedInCharacters(CommandAddress way) {
        way.call(key, "AP_Create", "{\"vx\":{\"name\":\"Ada\",\"description\":\"d\"}}");
        var profile = "{\"target\":{\"agent\":\"Ada\"},\"vx\":{\"profile\":\"%s\"}}";
        var description = "{\"target\":{\"agent\":\"Ada\"},\"vx\":{\"description\":\"%s\"}}";
        var content = "{\"target\":{\"agent\":\"Ada\"},\"content\":\"%s\"}";
        var context = "{\"target\":{\"context\":\"%s\"}}";
        for (var letter : List.of("x", "é", "😀")) {
            edge(way, "AP_Modify", description, letter, 2_000);
            edge(way, "AP_Modify", profile, letter, 16_000);
            edge(way, "AP_Chat", content, letter, 64_000);
            edge(way, "AP_List", context, letter, 64);
        }
    }

    private void edge(CommandAddress way, String service, String arguments, String letter, int limit) {
        var most = way.call(key, service, arguments.formatted(letter.repeat(limit)));
        assertThat(most.error()).as("%s %s %d: %s", way, service, limit, most).isEmpty();
        Refusal.is("too_large", way, way.call(key, service, arguments.formatted(letter.repeat(limit + 1))), service);
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void whatCannotBeStoredIsRefusedInEveryText(CommandAddress way) {
        way.call(key, "AP_Create", "{\"vx\":{\"name\":\"Ada\",\"description\":\"d\"}}");
        var before = TenantRows.of(tenant.id(ClientApi.REST));
        for (var bad : List.of("\\u0000", "a\\u0000b", "\\ud800", "\\udc00a", "\\ud800\\ud800")) {
            for (var arguments : List.of(
                    "{\"target\":{\"agent\":\"Ada\"},\"vx\":{\"description\":\"%s\"}}",
                    "{\"target\":{\"agent\":\"Ada\"},\"vx\":{\"profile\":\"%s\"}}",
                    "{\"target\":{\"agent\":\"Ada\"},\"vx\":{\"access\":\"%s\"}}",
                    "{\"target\":{\"agent\":\"Ada\",\"user\":\"%s\"}}",
                    "{\"target\":{\"agent\":\"Ada\",\"context\":\"%s\"}}",
                    "{\"target\":{\"agent\":\"Ada\"},\"idempotency_key\":\"%s\"}")) {
                refusedSomehow(way, "AP_Modify", arguments.formatted(bad));
            }
            refusedSomehow(way, "AP_Chat", "{\"target\":{\"agent\":\"Ada\"},\"content\":\"%s\"}".formatted(bad));
            refusedSomehow(
                    way,
                    "AP_Chat",
                    "{\"target\":{\"agent\":\"Ada\"},\"content\":\"x\",\"reply_to\":\"%s\"}".formatted(bad));
            refusedSomehow(way, "AP_List", "{\"page\":{\"cursor\":\"%s\"}}".formatted(bad));
        }
        assertThat(TenantRows.of(tenant.id(ClientApi.REST))).isEqualTo(before);
    }

    private void refusedSomehow(CommandAddress way, String service, String arguments) {
        var got = way.call(key, service, arguments);
        Refusal.isDecent(way, got, arguments);
        assertThat(got.error()).as("%s %s: %s", way, arguments, got).isIn("invalid_field", "not_permitted");
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void unknownFieldsOfAnyNameAreRefusedOverMcpAndIgnoredByCommandRoutes(CommandAddress way) {
        for (var name : List.of(
                "x", "\\ud83d\\ude00", "a".repeat(63) + "😀", "constructor", "__proto__", "n".repeat(900), "%s", "")) {
            for (var arguments : List.of("{\"%s\":1}", "{\"target\":{\"%s\":{}}}")) {
                var got = way.call(key, "AP_List", arguments.formatted(name));
                Refusal.isDecent(way, got, name);
                assertThat(got.error())
                        .as("%s %s %s", way, name, got)
                        .isEqualTo(way == CommandAddress.MCP || way == CommandAddress.INVOKE ? "invalid_field" : "");
            }
        }
    }

    /** PostgreSQL and UTF-8 cannot hold it, and {@code header.ignored} would name it. */
    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void aFieldNameWithACharacterThatNothingCanHoldIsRefused(CommandAddress way) {
        Refusal.is("invalid_field", way, way.call(key, "AP_List", "{\"a\\u0000\":1}"), "NUL");
        for (var name : List.of("\\ud800", "a\\udc00b")) {
            Refusal.is("malformed_json", way, way.call(key, "AP_List", "{\"%s\":1}".formatted(name)), name);
        }
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void numbersAndCursorsOutsideTheirRangeAreRefused(CommandAddress way) {
        way.call(key, "AP_Create", "{\"vx\":{\"name\":\"Ada\",\"description\":\"d\"}}");
        for (var limit : List.of("0", "-1", "201", "2147483648", "-9223372036854775808")) {
            Refusal.is(
                    "invalid_field",
                    way,
                    way.call(key, "AP_List", "{\"page\":{\"limit\":%s}}".formatted(limit)),
                    limit);
        }
        assertThat(way.call(key, "AP_List", "{\"page\":{\"limit\":200}}").error())
                .isEmpty();
        Refusal.is(
                "invalid_field",
                way,
                way.call(key, "AP_Modify", "{\"target\":{\"agent\":\"Ada\"},\"if_revision\":-1}"),
                "negative");
        Refusal.is(
                "conflict",
                way,
                way.call(key, "AP_Modify", "{\"target\":{\"agent\":\"Ada\"},\"if_revision\":9223372036854775807}"),
                "huge");
        for (var cursor : List.of(
                "x",
                "!!!",
                "AAAA",
                base64("a"),
                base64("\0"),
                base64("a\nb"),
                base64("a\nb\nc"),
                base64("+999999999-12-31T23:59:59.999Z\n00000000-0000-0000-0000-000000000000"),
                base64("-999999999-01-01T00:00:00Z\n00000000-0000-0000-0000-000000000000"),
                base64("-5000-01-01T00:00:00Z\n00000000-0000-0000-0000-000000000000"),
                base64("2026-01-01T00:00:00Z\nnobody"),
                base64("'; DROP TABLE agent\n7"),
                "x".repeat(1_999))) {
            var read = "{\"target\":{\"agent\":\"Ada\"},\"page\":{\"cursor\":\"%s\"}}".formatted(cursor);
            Refusal.is("invalid_field", way, way.call(key, "AP_Read", read), cursor);
            Refusal.isDecent(way, way.call(key, "AP_List", "{\"page\":{\"cursor\":\"%s\"}}".formatted(cursor)), cursor);
        }
    }

    private static String base64(String text) {
        return java.util.Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @EnumSource(CommandAddress.class)
    void hostileStringsComeBackAsTheyWere(CommandAddress way) {
        var i = 0;
        for (var text : List.of(
                "'; DROP TABLE agent; --",
                "\" OR \"\"=\"",
                "<script>alert('x')</script>",
                "%s%n%d%x",
                "{} {0} ${jndi:ldap://x/a} #{7*7}",
                "../../../../etc/passwd",
                ":name :tenant ?1 $1 ?",
                "\\u0000 \\x00 \\",
                "\r\n\r\nHTTP/1.1 200 OK",
                "\u202Ertl\u202C \u200Bzero\u200B",
                "{\"a\":[1,2]}",
                "null",
                "\u0001\u001F\u007F",
                "\uFFFE\uFFFF",
                "🏳️‍🌈 e\u0301 ﷽",
                "  spaces kept  ",
                "ﬀ İ ß",
                "<CRLF>\r\n",
                "/* x */ -- x")) {
            var quoted = Json.text(text);
            var name = "Agent %s %d".formatted(way, i++);
            assertThat(way.call(key, "AP_Create", """
                    {"vx":{"name":"%s","description":%s,"profile":%s}}""".formatted(name, quoted, quoted))
                            .error())
                    .isEmpty();
            var said =
                    way.call(key, "AP_Chat", "{\"target\":{\"agent\":\"%s\"},\"content\":%s}".formatted(name, quoted));
            assertThat(said.envelope().at("/content/0/content").asString())
                    .as("over MCP the caller knows its own text")
                    .isIn(text, "");
            var read = way.call(
                            key, "AP_Read", "{\"target\":{\"agent\":\"%s\",\"context\":%s}}".formatted(name, quoted))
                    .envelope();
            assertThat(read.at("/profile/0/description").asString()).isEqualTo(text);
            assertThat(read.at("/profile/0/profile").asString()).isEqualTo(text);
            assertThat(read.at("/content/0/content").asString()).isEqualTo(text);
            assertThat(read.at("/header/context/name").asString()).isEqualTo(text.strip());
        }
    }
}
