package io.agentworkspace.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.EncodingType;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.agentworkspace.engine.app.Tools;
import io.agentworkspace.engine.mcp.features.DiscoveryTools;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.schema.Field;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolDescription;
import io.agentworkspace.engine.rest.openapi.CommandsDocument;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The real catalogue as its readers see it: golden files, the generated reference, and the OpenAPI document. */
class CatalogueTest {
    private static final Catalogue CATALOGUE =
            Tools.catalogue(TestDatabase.db(), _ -> List.of(), TestDatabase.outbound(), TestDatabase.indexes());
    private static final JsonNode OPEN_API = openApi();

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

    /** As {@code tools/list} shows it, with what a client otherwise meets: its route, and what it needs and does. */
    private static ObjectNode described(Tool<?, ?> tool) {
        return ToolDescription.mcp(tool)
                .put("route", tool.route().method() + " " + tool.route().path())
                .put("capability", tool.capability().word())
                .put("effect", tool.effect().name().toLowerCase(Locale.ROOT));
    }

    /** Clients put the list into the context of a model, whole. */
    @Test
    void theListOfToolsStaysShort() {
        var bytes = tools().stream()
                .mapToInt(tool -> Json.bytes(ToolDescription.mcp(tool)).length)
                .sum();
        assertThat(bytes / tools().size()).as("bytes for each tool").isLessThan(3_200);
    }

    /** The hub shows what each tool costs a model, and counts nothing itself. */
    @Test
    void whatToolsCostIsCounted() {
        var encoding = Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);
        var counted = new StringBuilder("# Tokens (o200k_base) of each tool's entry in tools/list. Generated.\n");
        tools().forEach(tool -> counted.append(
                "%s=%d\n".formatted(tool.name(), encoding.countTokensOrdinary(Json.text(ToolDescription.mcp(tool))))));
        var discovery = DiscoveryTools.shown().stream()
                .mapToInt(tool -> encoding.countTokensOrdinary(Json.text(tool)))
                .sum();
        counted.append("discovery=%d\n".formatted(discovery));
        Golden.check(Repository.file("hubs-web/src/main/resources/hubs/tokens.properties"), counted.toString());
    }

    @Test
    void theReferenceIsTheCatalogues() {
        Golden.check(Repository.file("docs/commands.md"), CommandsDocument.render(CATALOGUE));
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

    private static JsonNode operation(Tool<?, ?> tool) {
        return OPEN_API.path("paths")
                .path(tool.route().path())
                .path(tool.route().method().toLowerCase(Locale.ROOT));
    }

    private static JsonNode openApi() {
        try (var document =
                URI.create(TestServer.url() + "/api/openapi.json").toURL().openStream()) {
            return Json.read(document.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
