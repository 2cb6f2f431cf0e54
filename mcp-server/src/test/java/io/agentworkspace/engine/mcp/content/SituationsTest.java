package io.agentworkspace.engine.mcp.content;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.mcp.endpoint.RawMcpClient;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a coding agent reads, the list of its tools and the instructions, leads to the right tool in everyday situations. It
 * counts the words of the situation in what is said of each tool, rare words more. Words of a tool's name do not count.
 */
class SituationsTest {
    private static final Set<String> FUNCTION_WORDS = Set.of(
            "a about an and are as at be by did do does for from has have he i in is it me my no not of on or our out she so that the "
                    .concat("them they this to us was we what when which who will with you your")
                    .split(" "));

    /** What is said of each tool, as words. */
    private static final Map<String, Set<String>> SAID = new HashMap<>();

    @BeforeAll
    static void read() {
        var tenant = new TestTenant();
        var owner = tenant.key(ClientApi.MCP, "maria", Role.MEMBER, List.of("*"));
        ClientApi.MCP.call(TestServer.url(), owner, "AP_Create", json("{'vx':{'name':'Scout','description':'d'}}"));
        var key = ClientApi.MCP
                .call(TestServer.url(), owner, "AK_Create", json("{'name':'k','agent':'Scout','capabilities':['*']}"))
                .ok()
                .text("/api_key");
        var client = new RawMcpClient(TestServer.url() + "/mcp/x/work", key);
        var sentences = client.modern("server/discover", "{}")
                .at("/result/instructions")
                .asString()
                .split("(?<=[.;?]) |\\n");
        client.modern("tools/list", "{}").at("/result/tools").forEach(tool -> {
            var name = tool.get("name").asString();
            var own =
                    tool.get("title").asString() + " " + tool.get("description").asString() + " "
                            + tool.get("inputSchema").findValues("description").stream()
                                    .filter(JsonNode::isString)
                                    .map(JsonNode::asString)
                                    .collect(Collectors.joining(" "));
            var others = Arrays.stream(sentences).filter(sentence -> sentence.contains(name));
            var words = words(own + " " + others.collect(Collectors.joining(" ")));
            words.removeAll(words(name.replace('_', ' ')));
            SAID.put(name, words);
        });
    }

    private static ObjectNode json(String text) {
        return Json.readObject(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the beginnings of the words, so that "decide" and "decision" are one. */
    private static Set<String> words(String text) {
        return Arrays.stream(text.toLowerCase(Locale.ROOT).split("[^\\p{L}]+"))
                .filter(word -> word.length() > 1 && !FUNCTION_WORDS.contains(word))
                .map(word -> word.substring(0, Math.min(word.length(), 5)))
                .collect(Collectors.toSet());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    The user must decide whether we drop the old table | AP_Ask
                    Another session edits this file right now          | TK_Reserve
                    I learned something that others need               | MB_Store
                    What did we agree before about retries?            | MB_Search
                    I sent my request; stay until an answer arrives    | AP_Wait
                    Somebody wants me to pick one of three choices     | AP_Answer
                    Is anybody else working on this already?           | TK_List
                    My work is finished, and the others should know    | TK_Update
                    I start on the next open piece of work             | TK_Claim
                    Who wrote the earlier words about the outage?      | AP_Search
                    This is work for another member                    | TK_Create
                    I must send a person or a colleague some news      | AP_Chat
                    """)
    void whatAModelReadsLeadsToTheTool(String situation, String tool) {
        var asked = words(situation);
        var scores = new HashMap<String, Double>();
        SAID.forEach((name, said) -> scores.put(
                name,
                asked.stream()
                        .filter(said::contains)
                        .mapToDouble(SituationsTest::weight)
                        .sum()));
        var best = scores.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue(Comparator.reverseOrder()))
                .toList();
        assertThat(best.getFirst().getKey()).as(best.toString()).isEqualTo(tool);
        assertThat(best.getFirst().getValue())
                .as(best.toString())
                .isGreaterThan(best.get(1).getValue());
    }

    private static double weight(String word) {
        var tools = SAID.values().stream().filter(said -> said.contains(word)).count();
        return Math.log((1.0 + SAID.size()) / tools);
    }

    /** Otherwise the test would pass whatever the texts are. */
    @Test
    void aSituationThatNothingSpeaksOfLeadsNowhere() {
        var asked = words("The kettle boils over");
        assertThat(SAID.values())
                .hasSize(20)
                .allSatisfy(said -> assertThat(said).doesNotContainAnyElementsOf(asked));
    }
}
