package io.agentworkspace.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.agentworkspace.engine.identity.credentials.ApiKey;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.rest.openapi.CommandsDocument;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.KeptAnswers;
import io.agentworkspace.engine.testing.McpResult;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Every tool's example works as printed in the reference and on its hub page: by a shell with curl, and over MCP. */
@Tag("slow")
class ExamplesTest {
    private static final Catalogue CATALOGUE = TestDatabase.catalogue();

    /** Run first, since WH_Delivery reads the delivery of their events. */
    private static final List<String> FIRST = List.of("WH_Create", "AP_Create");

    /** Run last, in this order, since each removes what others need. */
    private static final List<String> LAST = List.of(
            "AP_LogOff,DM_Kick,DM_Ban,DM_Unban,MB_Unload,MB_Censor,MB_Uncensor,MB_Delete,MB_Restore,MB_Destroy,ZN_Leave,ZN_Destroy,DM_Destroy"
                    .concat(
                            ",DC_Validate,DC_Delete,RL_Delete,SK_Uninstall,SK_Remove,AK_Uninvite,AK_Revoke,AK_Delete,WH_Delete,AP_Remove,AP_Destroy,US_Remove")
                    .split(","));

    private static final Pattern SECTION =
            Pattern.compile("^### (\\w+)$(.*?)^```sh\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern STAND_IN = Pattern.compile(
            "In the example, put (?:the id that (?<list>\\w+) (?:shows|returns)|the address of your receiver) in place of `(?<word>[^`]+)`");

    private static final Map<String, Section> SECTIONS = new LinkedHashMap<>();

    /** The values that replace words of the examples. */
    private static final Map<String, String> OWN = new LinkedHashMap<>();

    private static final String ASK = "AP_Ask";

    /** The id of the question that was asked, which no list shows. */
    private static String question = "";

    private static HttpServer receiver;

    private record Section(String words, String curl) {}

    @BeforeAll
    static void begin() throws IOException {
        receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        receiver.start();
        SECTION.matcher(CommandsDocument.render(CATALOGUE))
                .results()
                .forEach(found -> SECTIONS.put(found.group(1), new Section(found.group(2), found.group(3))));
    }

    @AfterAll
    static void end() {
        receiver.stop(0);
    }

    @Test
    void everyToolHasOne() {
        assertThat(SECTIONS.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        CATALOGUE.tools().stream().map(Tool::name).toList());
    }

    /** The places where a reader finds an example, and how it is run. */
    private enum Way {
        REFERENCE_CURL {
            @Override
            ObjectNode play(String tool, String key) {
                var section = SECTIONS.get(tool);
                return inShell(filled(section.words(), section.curl(), key), key);
            }
        },
        HUB_CURL {
            @Override
            ObjectNode play(String tool, String key) {
                return onPage(tool, "curl", key);
            }
        },
        HUB_MCP {
            @Override
            ObjectNode play(String tool, String key) {
                return envelope(onPage(tool, "mcp", key));
            }
        },
        HUB_FORM {
            @Override
            ObjectNode play(String tool, String key) {
                return inForm(tool, key);
            }
        };

        abstract ObjectNode play(String tool, String key);

        boolean isMcp() {
            return this == HUB_MCP;
        }

        /** Makes the parts that differ by endpoint the same as over REST. */
        void level(String tool, ObjectNode answer) {
            var kept = Json.readObject(KeptAnswers.text("tools", tool).getBytes(UTF_8));
            ((ObjectNode) answer.path("status")).set("http_code", kept.at("/status/http_code"));
            answer.findParents("door")
                    .forEach(entry -> ((ObjectNode) entry)
                            .put("door", "rest")
                            .put("client", entry.path("client").asString().replace("engine-tests", "curl/8")));
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void allOfThemWorkOneAfterTheOther(Way way) {
        var key = new TestTenant().key(ClientApi.REST, "ada", Role.OWNER, List.of("*"));
        var answers = new LinkedHashMap<String, ObjectNode>();
        var failed = new ArrayList<String>();
        for (var tool : story()) {
            if (tool.equals("WH_Feed")) {
                TestDatabase.awaitNumbered(tenantOf(key));
            }
            var answer = way.play(tool, key);
            answers.put(tool, answer);
            if (tool.equals(ASK)) {
                question = answer.at("/question/id").asString("");
            }
            if (tool.equals("AP_Create")) {
                await().until(() -> newest("WH_Deliveries", key).path("state").asString(""), "delivered"::equals);
            } else if (tool.equals("DC_Submit") || tool.equals("DC_Validate")) {
                await().until(() -> newest("DC_List", key).path("state").asString(""), "accepted"::equals);
            }
            if (!answer.at("/status/success").asBoolean() || !changes(tool, answer)) {
                failed.add(tool + " " + answer);
            }
        }
        assertThat(failed).isEmpty();
        if (way == Way.REFERENCE_CURL) {
            kept(key).check("tools", answers);
        } else {
            answers.forEach(way::level);
            answers.forEach((tool, answer) -> {
                var expected = Json.readObject(KeptAnswers.text("tools", tool).getBytes(UTF_8));
                var got = Json.readObject(kept(key).text(answer).getBytes(UTF_8));
                if (way.isMcp()) {
                    McpResult.complete(got, expected, tool);
                }
                assertThat(Json.pretty(got)).isEqualTo(Json.pretty(expected));
            });
        }
    }

    /** Returns answers in which this test's values are replaced by those of the examples. */
    private static KeptAnswers kept(String key) {
        var kept = new KeptAnswers()
                .replacing(ApiKey.parse(key).id(), "9sJd3nQw6LbY")
                .replacing(TestServer.url(), "http://127.0.0.1:8080");
        OWN.forEach(kept::replacing);
        return kept;
    }

    /** Returns whether the example of a change changes something. */
    private static boolean changes(String tool, JsonNode answer) {
        return !List.of("US_Update", "AP_Update", "AP_Modify", "DM_Update", "MB_Update", "AK_Update", "WH_Update")
                        .contains(tool)
                || answer.path("changed").asBoolean(true);
    }

    private static List<String> story() {
        var story = new ArrayList<>(FIRST);
        CATALOGUE.tools().stream()
                .filter(tool -> tool.effect() == Effect.CREATES)
                .map(Tool::name)
                .forEach(story::add);
        CATALOGUE.tools().stream().map(Tool::name).forEach(story::add);
        story.removeAll(LAST);
        story.addAll(LAST);
        return story.stream().distinct().toList();
    }

    /** Replaces the values that the sentence above the example names. */
    private static String filled(String words, String example, String key) {
        var stands = STAND_IN.matcher(words);
        if (!stands.find()) {
            return example;
        }
        var list = stands.group("list");
        if (ASK.equals(list)) {
            OWN.put(question, stands.group("word"));
            return example.replace(stands.group("word"), question);
        }
        var own = list == null
                ? "http://127.0.0.1:%d/".formatted(receiver.getAddress().getPort())
                : await().until(() -> newest(list, key).path("id").asString(""), id -> !id.isEmpty());
        OWN.put(own, stands.group("word"));
        return example.replace(stands.group("word"), own);
    }

    private static long tenantOf(String key) {
        return TestDatabase.db()
                .sql("SELECT tenant_id FROM api_key WHERE id = :key")
                .set("key", ApiKey.parse(key).id())
                .one(row -> row.number("tenant_id"))
                .orElseThrow();
    }

    /** Returns the newest element of the list's only array. */
    private static JsonNode newest(String list, String key) {
        return ClientApi.MCP
                .call(TestServer.url(), key, list, Json.object())
                .envelope()
                .valueStream()
                .filter(JsonNode::isArray)
                .findFirst()
                .orElseGet(Json::object)
                .path(0);
    }

    private static ObjectNode envelope(ObjectNode answer) {
        return answer.has("result") ? McpResult.envelope(answer.get("result")) : answer;
    }

    private static String page(String tool) {
        var request = HttpRequest.newBuilder(URI.create(TestServer.url() + "/mcp-hub/tools/" + tool));
        return new String(ClientApi.send(request.build()).body(), UTF_8);
    }

    /** What the button "Fill in the example" puts into the form of a tool's page: all of it has a field; then it is sent as the page sends it. */
    private static ObjectNode inForm(String tool, String key) {
        var page = page(tool);
        var example = json(page, "example");
        var fields = fields(json(page, "input-schema"), "").toList();
        assertThat(values(example, ""))
                .as("fields of %s", tool)
                .allSatisfy(path -> assertThat(fields).anyMatch(field -> (path + ".").startsWith(field + ".")));
        var words = page.replaceAll("</?code>", "`");
        var answer = ClientApi.post(
                "%s/api/mcp/tools/%s/invoke".formatted(TestServer.url(), tool),
                key,
                filled(words, example.toString(), key));
        return Json.readObject(answer.body());
    }

    private static ObjectNode json(String page, String id) {
        var element = Pattern.compile("<code id=\"%s\">(.*?)</code>".formatted(id), Pattern.DOTALL)
                .matcher(page);
        assertThat(element.find()).as(page).isTrue();
        return Json.readObject(plain(element.group(1)).getBytes(UTF_8));
    }

    /** The paths of the form's fields: of objects with known properties, these. */
    private static Stream<String> fields(JsonNode schema, String prefix) {
        return schema.path("properties").propertyStream().flatMap(property -> {
            var path = prefix + property.getKey();
            return property.getValue().has("properties") ? fields(property.getValue(), path + ".") : Stream.of(path);
        });
    }

    private static Stream<String> values(JsonNode value, String prefix) {
        return value.propertyStream().flatMap(property -> {
            var path = prefix + property.getKey();
            return property.getValue().isObject() && !property.getValue().isEmpty()
                    ? values(property.getValue(), path + ".")
                    : Stream.of(path);
        });
    }

    private static ObjectNode onPage(String tool, String snippet, String key) {
        var page = page(tool);
        var code = Pattern.compile("id=\"code-%s\".*?<code>(.*?)</code>".formatted(snippet), Pattern.DOTALL)
                .matcher(page);
        assertThat(code.find()).as(page).isTrue();
        var words = page.replaceAll("</?code>", "`");
        return inShell(filled(words, plain(code.group(1)), key), key);
    }

    private static String plain(String html) {
        return html.replace("&quot;", "\"")
                .replace("&#39;", "'")
                .replace("&#x3D;", "=")
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&amp;", "&");
    }

    private static ObjectNode inShell(String command, String key) {
        try {
            var shell = new ProcessBuilder("timeout", "600", "sh", "-c", command).redirectErrorStream(true);
            shell.environment().putAll(Map.of("ENGINE", TestServer.url(), "ENGINE_KEY", key));
            return Json.readObject(shell.start().getInputStream().readAllBytes());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(command, e);
        }
    }
}
