package io.agentworkspace.engine.mcp.features;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.app.Tools;
import io.agentworkspace.engine.model.search.ToolSearch;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.testing.Golden;
import io.agentworkspace.engine.testing.Repository;
import io.agentworkspace.engine.testing.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** How often the search ranks the right tool first, for requests in words that the descriptions do not contain. */
class FindToolsTest {
    private static final List<Tool<?, ?>> TOOLS = Tools.catalogue(
                    TestDatabase.db(), _ -> List.of(), TestDatabase.outbound(), TestDatabase.shared())
            .tools();

    private final ToolSearch search = new ToolSearch(TOOLS);
    private final List<Map.Entry<String, String>> phrases = Repository.text(
                    Repository.file("mcp-server/src/test/resources/search/phrases.txt"))
            .lines()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.split(" = "))
            .map(parts -> Map.entry(parts[0], parts[1]))
            .toList();

    private int place(Map.Entry<String, String> phrase) {
        var found =
                search.find(phrase.getKey(), _ -> true).stream().map(Tool::name).toList();
        var place = found.indexOf(phrase.getValue());
        return place < 0 ? Integer.MAX_VALUE : place;
    }

    private List<String> beyond(int places) {
        return phrases.stream()
                .filter(phrase -> place(phrase) >= places)
                .map(phrase -> phrase + " got "
                        + search.find(phrase.getKey(), _ -> true).stream()
                                .map(Tool::name)
                                .limit(5)
                                .toList())
                .toList();
    }

    @Test
    void mostRequestsFindTheirToolFirstAndNearlyAllAmongFive() {
        assertThat(phrases).hasSizeGreaterThanOrEqualTo(100);
        assertThat(beyond(1)).as("not first").hasSizeLessThanOrEqualTo(phrases.size() / 5);
        assertThat(beyond(5)).as("not among the first five").hasSizeLessThanOrEqualTo(phrases.size() / 20);
    }

    @Test
    void theRequestsOfTheRequirementsFindTheirToolFirst() {
        assertThat(phrases.stream().limit(10).filter(phrase -> place(phrase) > 0))
                .isEmpty();
    }

    @Test
    void theDocumentsHaveTheFigures() {
        var first = phrases.size() - beyond(1).size();
        var amongFive = phrases.size() - beyond(5).size();
        var table = """

                | requests in other words | right tool first | right tool among the first five |
                |---|---|---|
                | %d | %d | %d |
                """.formatted(phrases.size(), first, amongFive);
        Golden.checkPart(Repository.file("docs/mcp.md"), "find_tools", table);
    }

    /** Otherwise the test would only compare the descriptions with themselves. */
    @Test
    void theRequestsAreNotInTheDescriptions() {
        var texts = TOOLS.stream()
                .map(Tool::fullDescription)
                .collect(Collectors.joining(" "))
                .toLowerCase();
        var also =
                TOOLS.stream().flatMap(tool -> tool.guide().phrases().stream()).collect(Collectors.toSet());
        assertThat(phrases.stream().skip(10).map(Map.Entry::getKey))
                .noneMatch(texts::contains)
                .noneMatch(also::contains);
    }
}
