package io.agentworkspace.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Field;
import io.agentworkspace.engine.model.search.Discovery;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolDescription;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestDatabase;
import io.agentworkspace.engine.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The real catalogue as its readers see it: golden files, the generated reference, and the OpenAPI document. */
class CatalogueTest {
    private static final Catalogue CATALOGUE = TestDatabase.catalogue();
    private static final JsonNode OPEN_API = openApi();
    private static final Encoding ENCODING = Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);

    private static final Set<String> SHARED = Set.of("target.context", "idempotency_key", "page.limit", "page.cursor");

    private static List<Tool<?, ?>> tools() {
        return CATALOGUE.tools();
    }

    static Stream<String> names() {
        return tools().stream().map(Tool::name);
    }

    @Test
    void everyToolLooksAsItsGoldenFileSays() {
        var files = new LinkedHashMap<String, String>();
        files.put("index.txt", tools().stream().map(tool -> tool.name() + "\n").collect(Collectors.joining()));
        tools().forEach(tool -> files.put(tool.name() + ".json", Json.pretty(described(tool)) + "\n"));
        Golden.checkFolder(Repository.file("mcp-server/src/test/resources/golden/tools"), files);
    }

    /** Returns the tool as {@code describe_tool} shows it, with its route, requirements and effect. */
    private static ObjectNode described(Tool<?, ?> tool) {
        return ToolDescription.full(tool)
                .put("route", tool.route().method() + " " + tool.route().path())
                .put("capability", tool.capability().word())
                .put("effect", tool.effect().name().toLowerCase(Locale.ROOT));
    }

    /** The tokens of the lists as they are sent, as the documents and the hub state them. */
    @Test
    void theListsOfToolsStayWithinTheirBudgets() {
        var costs = tools().stream()
                .collect(Collectors.toMap(Tool::name, tool -> tokens(List.of(ToolDescription.listed(tool)))));
        var discovery = Discovery.definitions();
        var general = discovery.stream()
                .filter(tool -> !tool.path("name").asString().equals(Discovery.PLAN))
                .toList();
        var all = tools().stream().map(ToolDescription::listed).toList();
        var byDefault = Stream.concat(
                        tools().stream().filter(Tool::isDefault).map(ToolDescription::listed), general.stream())
                .toList();
        var work = Stream.concat(
                        tools().stream()
                                .filter(tool -> tool.guide().isForWork())
                                .map(ToolDescription::listed),
                        general.stream())
                .toList();

        var counted = new StringBuilder("# Tokens (o200k_base) of each tool's entry in tools/list. Generated.\n");
        tools().forEach(tool -> counted.append("%s=%d\n".formatted(tool.name(), costs.get(tool.name()))));
        counted.append("discovery=%d\n".formatted(tokens(discovery)));
        counted.append("%s=%d\n".formatted(Discovery.PLAN, tokens(discovery) - tokens(general)));
        Golden.check(Repository.file("hubs-web/src/main/resources/hubs/tokens.properties"), counted.toString());

        var table = new StringBuilder("| toolset | tools | tokens | at most |\n|---|---|---|---|\n");
        table.append(row("`default`", byDefault, 9_500));
        table.append(row("`work`", work, 4_500));
        table.append(row("`all`", all, 25_000));
        table.append(row("`discovery`", discovery, 450));
        for (var family : Family.values()) {
            var own = tools().stream()
                    .filter(tool -> tool.family() == family)
                    .map(ToolDescription::listed)
                    .toList();
            if (!own.isEmpty()) {
                table.append("| `%s` | %d | %,d | |\n".formatted(family.word(), own.size(), tokens(own)));
            }
        }
        Golden.checkPart(Repository.file("docs/mcp.md"), "tokens", table.toString());

        assertThat(tokens(byDefault)).as("the default list").isLessThanOrEqualTo(9_500);
        assertThat(tokens(work)).as("the list of coding agents").isLessThanOrEqualTo(4_500);
        assertThat(work).hasSizeLessThanOrEqualTo(20);
        assertThat(tokens(all)).as("all tools").isLessThanOrEqualTo(25_000);
        assertThat(tokens(discovery)).as("discovery").isLessThanOrEqualTo(450);
        assertThat(costs).allSatisfy((name, cost) -> assertThat(cost).as(name).isLessThanOrEqualTo(450));
    }

    @ParameterizedTest
    @MethodSource("names")
    void whatManyToolsShareIsDescribedInEightWords(String name) {
        assertThat(Field.of(CATALOGUE.read(name).inputSchema().json()).stream()
                        .filter(field -> SHARED.contains(field.path())))
                .allSatisfy(field ->
                        assertThat(field.sentence().split(" ")).as(field.path()).hasSizeLessThanOrEqualTo(8));
    }

    private static String row(String name, List<ObjectNode> tools, int most) {
        return "| %s | %d | %,d | %,d |\n".formatted(name, tools.size(), tokens(tools), most);
    }

    private static int tokens(List<ObjectNode> tools) {
        return ENCODING.countTokensOrdinary(tools.stream().map(Json::text).collect(Collectors.joining(",")));
    }

    @Test
    void noTwoToolsShareARoute() {
        assertThat(tools().stream().map(Tool::route)).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("names")
    void theOpenApiDocumentHoldsTheRoute(String name) {
        assertThat(operation(CATALOGUE.read(name)).path("x-tool").asString()).isEqualTo(name);
    }

    @ParameterizedTest
    @MethodSource("names")
    void itsExampleCouldBeSent(String name) {
        var tool = CATALOGUE.read(name);
        var example = tool.route().hasBody()
                ? (ObjectNode) operation(tool).at("/requestBody/content/application~1json/example")
                : Json.object();
        if (tool.route().hasParameter("id")) {
            example.put("id", "4uVt2kPq8ZxT");
        }
        if (tool.route().hasParameter("name")) {
            example.put("name", "first-steps");
        }
        if (tool.route().hasParameter("target.bank")) {
            example.withObject("target").put("bank", "field-notes");
        }

        assertThatCode(() -> tool.inputSchema().read(example, true)).doesNotThrowAnyException();
        var published = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(tool.inputSchema().json());
        assertThat(published.validate(example)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("names")
    void itsExampleNamesFieldsThatItHas(String name) {
        var tool = CATALOGUE.read(name);
        assertThat(Field.of(tool.inputSchema().json()).stream().map(Field::path))
                .containsAll(tool.example().values().keySet())
                .containsAll(tool.example().omitted());
    }

    /** Generated clients have a type for each title. */
    @Test
    void theTypesOfTheOpenApiDocumentKeepTheirNames() {
        var titles = OPEN_API.findValues("title").stream()
                .filter(JsonNode::isString)
                .map(JsonNode::asString)
                .filter(title -> title.matches("\\w+"))
                .distinct()
                .sorted()
                .toList();
        assertThat(titles).contains("Agent", "Header");
        Golden.check(
                Repository.file("mcp-server/src/test/resources/golden/openapi-types.txt"),
                String.join("\n", titles) + "\n");
    }

    private static JsonNode operation(Tool<?, ?> tool) {
        return OPEN_API.path("paths")
                .path(tool.route().path())
                .path(tool.route().method().toLowerCase(Locale.ROOT));
    }

    private static JsonNode openApi() {
        try (var document =
                URI.create(TestServer.url() + "/api/openapi.json").toURL().openStream()) {
            return Json.readValue(new String(document.readAllBytes(), UTF_8), JsonNode.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
