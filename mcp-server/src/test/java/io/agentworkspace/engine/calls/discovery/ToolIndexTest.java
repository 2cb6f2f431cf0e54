package io.agentworkspace.engine.calls.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.memory.embedding.Embedder;
import io.agentworkspace.engine.memory.embedding.EmbeddingConfig;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.ForeignTool;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestDatabase;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How often the right tool is found, for requests in words that the descriptions do not contain. */
class ToolIndexTest {
    private static final List<Tool<?, ?>> TOOLS = TestDatabase.catalogue().tools();
    /** Tools of an installed server. */
    private static final List<Tool<?, ?>> FOREIGN = List.of(
            foreign("sum", "Returns the sum of a and b."),
            foreign("forecast", "Gets the weather of the next days for a place."),
            foreign("post-letter", "Delivers an e-mail to a recipient."),
            foreign("condense", "Summarises a passage."),
            foreign("exchange", "Converts an amount between currencies."));

    private static final List<Tool<?, ?>> ALL =
            Stream.concat(TOOLS.stream(), FOREIGN.stream()).toList();

    private static Tool<?, ?> foreign(String name, String description) {
        var definition = Json.object().put("name", "demo_" + name);
        definition.put("description", ForeignTool.marked(ForeignTool.TOOL, "demo", description));
        definition.putObject("inputSchema").put("type", "object");
        return new ForeignTool("demo", name, definition, name)
                .calledBy((_, _) -> new ForeignTool.Result(Json.object()));
    }

    private static final Map<String, String> SETS = Map.of(
            "phrases", "in other words",
            "plain-phrases", "in everyday words",
            "unseen-phrases", "in everyday words, with which nothing was tuned",
            "fresh-phrases", "the same, with five tools of an installed server");

    private static Embedder embedder;
    private static ToolIndex index;

    /** The figures of one set: all requests, and with how many the right tool is first, or among five. */
    private record Figures(int all, long first, long amongFive) {}

    @BeforeAll
    static void makeVectors() {
        embedder = new Embedder(new EmbeddingConfig(true, null, null, null), Clock.systemUTC());
        index = new ToolIndex(embedder, HeavyWork.ofMachine());
        assertThat(index.find("make an agent", ALL)).isNotEmpty();
        await().until(() -> index.knowsMeanings(ALL));
    }

    @AfterAll
    static void close() {
        embedder.close();
    }

    private static List<Map.Entry<String, String>> requests(String set) {
        return Repository.text(Repository.file("mcp-server/src/test/resources/search/" + set + ".txt"))
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split(" = "))
                .map(parts -> Map.entry(parts[0], parts[1]))
                .toList();
    }

    private static List<String> found(String request, List<Tool<?, ?>> usable) {
        return index.find(request, usable).stream().<String>map(Tool::name).toList();
    }

    private static Figures figures(String set) {
        var places = requests(set).stream()
                .map(request -> found(request.getKey(), set.equals("fresh-phrases") ? ALL : TOOLS)
                        .indexOf(request.getValue()))
                .toList();
        return new Figures(
                places.size(),
                places.stream().filter(place -> place == 0).count(),
                places.stream().filter(place -> place >= 0 && place < 5).count());
    }

    @Test
    void theDocumentsHaveTheFigures() {
        var table = new StringBuilder("""

                | requests | number | right tool first | right tool among the first five |
                |---|---|---|---|
                """);
        for (var set : List.of("phrases", "plain-phrases", "unseen-phrases", "fresh-phrases")) {
            var figures = figures(set);
            table.append("| %s | %d | %d | %d |\n"
                    .formatted(SETS.get(set), figures.all(), figures.first(), figures.amongFive()));
        }
        Golden.checkPart(Repository.file("docs/mcp.md"), "find_tools", table.toString());
        var unseen = figures("unseen-phrases");
        assertThat(unseen.first()).isGreaterThanOrEqualTo(Math.round(0.7 * unseen.all()));
        assertThat(unseen.amongFive()).isGreaterThanOrEqualTo(Math.round(0.9 * unseen.all()));
    }

    /** What a server calls its tools need not be in the request, nor the other way round. */
    @Test
    void aToolOfAServerIsFoundByItsMeaning() {
        for (var query :
                List.of("add two numbers", "what is 3 plus 4", "addition", "calculate a total of two values")) {
            assertThat(found(query, ALL)).as(query).startsWith("demo_sum");
        }
        var later = new ArrayList<>(ALL);
        later.add(foreign("translate", "Renders a text in another language."));
        assertThat(found("how do i say this in french", later).subList(0, 5)).contains("demo_translate");
    }

    /** Otherwise the test would only compare the descriptions with themselves. */
    @Test
    void theRequestsAreNotInTheDescriptions() {
        var texts = TOOLS.stream()
                .map(Tool::fullDescription)
                .collect(Collectors.joining(" "))
                .toLowerCase(Locale.ROOT);
        var also =
                TOOLS.stream().flatMap(tool -> tool.guide().phrases().stream()).collect(Collectors.toSet());
        for (var set : List.of("plain-phrases", "unseen-phrases")) {
            assertThat(requests(set).stream().map(Map.Entry::getKey))
                    .noneMatch(texts::contains)
                    .noneMatch(also::contains);
        }
    }

    @Test
    void aToolThatTheCallerMayNotUseChangesNothing() {
        List<Tool<?, ?>> few =
                TOOLS.stream().filter(tool -> tool.name().startsWith("MB_")).toList();
        for (var request : requests("plain-phrases")) {
            assertThat(found(request.getKey(), few)).hasSize(few.size()).allMatch(name -> name.startsWith("MB_"));
        }
    }

    @Test
    void operatorsOfTheSearchForMemoriesAreWords() {
        for (var query : List.of("\"no such phrase\"", "-agent create", "name:x", "*", "tag:y z", "(", "créer")) {
            assertThat(found(query, TOOLS)).as(query).isNotEmpty();
        }
    }

    /** Tools that mention agents more often are not those that a caller means. */
    @Test
    void whatAToolIsCalledCountsMoreThanWhatItMentions() {
        for (var query : List.of("creates an agent", "create an agent", "creating agents", "create agent")) {
            assertThat(index.findByWords(query, TOOLS).getFirst().name())
                    .as(query)
                    .isEqualTo("AP_Create");
        }
    }

    @Test
    void aMisspeltWordIsFoundWithoutAModel() {
        var found = index.findByWords("rotaet a webhok secret", TOOLS).stream().map(Tool::name);
        assertThat(found.limit(5)).contains("WH_RotateSecret");
    }
}
