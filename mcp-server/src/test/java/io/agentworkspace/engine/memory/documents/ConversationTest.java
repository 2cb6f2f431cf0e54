package io.agentworkspace.engine.memory.documents;

import static io.agentworkspace.engine.memory.documents.DocumentFixture.submitted;
import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.Reply;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestTenant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** A document that is a conversation: its turns are memories, and a search brings those around them. */
@ParameterizedClass
@EnumSource
class ConversationTest {
    private static final String TALK = """
        [2026-03-02T10:00:00Z] Ann: Which colour shall the ferry have?
        [2026-03-02T10:01:00Z] Ben: Green, as the old one had.
        [2026-03-02T10:02:00Z] Ann: Then I order the paint.
        [2026-04-07T23:30:00Z] Ben: The paint for the ferry came, and it is blue.
        [2026-04-07T23:31:00Z] Ann: Send it back.
        """;

    private final TestCaller ann;

    ConversationTest(ClientApi api) {
        ann = new TestTenant().person(api, "ann", Role.MEMBER);
    }

    @BeforeEach
    void aConversationIsLoaded() {
        ann.call("MB_Create", "{'vx':{'name':'talks'}}").ok();
        load(TALK);
    }

    private Reply load(String text) {
        submitted(ann, "talk", text);
        return ann.call("MB_Load", "{'target':{'bank':'talks'},'vx':{'name':'talk'}}")
                .ok();
    }

    private Reply search(String question, String more) {
        return ann.call(
                        "MB_Search",
                        "{'target':{'bank':'talks'},'content':'%s','min_score':0%s}".formatted(question, more))
                .ok();
    }

    private static List<String> texts(Reply found) {
        return found.at("/content")
                .valueStream()
                .map(hit -> hit.path("text").asString())
                .toList();
    }

    private static List<String> around(JsonNode hit) {
        return hit.path("around")
                .valueStream()
                .map(turn -> turn.path("text").asString())
                .toList();
    }

    @Test
    void theRecordSaysThatItIsAConversationAndHowManyTurnsItHas() {
        var read = ann.call("DC_Read", "{'id':'talk'}").ok().at("/document");
        assertThat(read.path("kind").asString()).isEqualTo("conversation");
        assertThat(read.path("turns").asLong()).isEqualTo(5);
        submitted(ann, "talk", "# The ferry\n\nIts paint is green.");
        var versions = ann.call("DC_List", "{'name':'talk'}").ok().at("/documents");
        assertThat(versions.path(0).has("kind")).isFalse();
        assertThat(versions.path(0).has("turns")).isFalse();
        assertThat(versions.path(1).path("kind").asString()).isEqualTo("conversation");
        assertThat(versions.path(1).path("turns").asLong()).isEqualTo(5);
    }

    @Test
    void aTurnKnowsItsSpeakerTimeAndSessionAndBringsItsNeighbours() {
        var found = search("green", ",'page':{'limit':1}");
        var hit = found.at("/content/0");
        assertThat(hit.path("text").asString()).isEqualTo("Ben: Green, as the old one had.");
        assertThat(hit.path("source").toString())
                .contains("\"position\":\"turn 2\"", "\"speaker\":\"Ben\"", "\"time\":\"2026-03-02T10:01:00.000Z\"")
                .contains("\"session\":\"2026-03-02\"");
        assertThat(hit.path("created_at").asString()).isEqualTo("2026-03-02T10:01:00.000Z");
        assertThat(around(hit))
                .containsExactly("Ann: Which colour shall the ferry have?", "Ann: Then I order the paint.");
        assertThat(hit.at("/around/0/before").asBoolean()).isTrue();
        assertThat(hit.at("/around/1/before").asBoolean()).isFalse();
        assertThat(hit.at("/around/1/speaker").asString()).isEqualTo("Ann");
        assertThat(hit.at("/around/1/time").asString()).isEqualTo("2026-03-02T10:02:00.000Z");

        var session = search("back", ",'page':{'limit':1}").at("/content/0");
        assertThat(around(session)).containsExactly("Ben: The paint for the ferry came, and it is blue.");
        var both = search("paint", ",'page':{'limit':2}");
        assertThat(both.at("/content").size()).isEqualTo(2);
        assertThat(both.toString().split("Ben: The paint for the ferry", -1)).hasSize(2);
        assertThat(search("green", ",'as_of':'2026-12-31T00:00:00Z'")
                        .at("/content/0")
                        .has("around"))
                .isFalse();
    }

    @Test
    void whatIsDeletedOrLongerThanTheRoomIsNotAround() {
        var id = search("order", "").at("/content/0/id").asString();
        ann.call("MB_Delete", "{'target':{'bank':'talks'},'memory':'%s'}".formatted(id))
                .ok();
        assertThat(around(search("green", ",'page':{'limit':1}").at("/content/0")))
                .containsExactly("Ann: Which colour shall the ferry have?");

        load("[2026-05-01] User: %s\n[2026-05-01] Assistant: zebra".formatted("long ".repeat(90)));
        assertThat(around(
                        search("zebra", ",'max_tokens':100,'page':{'limit':1}").at("/content/0")))
                .isEmpty();
        assertThat(around(search("zebra", ",'page':{'limit':1}").at("/content/0")))
                .hasSize(1);
    }

    @Test
    void aNewVersionKeepsTurnsAndALongTurnIsSeveralMemories() {
        var id = search("green", "").at("/content/0/id").asString();
        var longTurn = "The hull was cleaned and the deck was painted again. ".repeat(80);
        var second = load(TALK + "[2026-05-01T08:00:00Z] Ann: " + longTurn);
        assertThat(second.number("/document/kept")).isEqualTo(5);
        assertThat(second.number("/document/added")).isBetween(2L, 4L);
        var hit = search("green", "").at("/content/0");
        assertThat(hit.path("id").asString()).isEqualTo(id);
        assertThat(hit.at("/source/version").asInt()).isEqualTo(2);
        assertThat(hit.at("/source/speaker").asString()).isEqualTo("Ben");
        assertThat(texts(search("hull", "")))
                .hasSizeGreaterThanOrEqualTo(1)
                .allSatisfy(text -> assertThat(text).startsWith("Ann: "));
    }

    @Test
    void aQuestionWithATimePrefersWhatWasSaidThen() {
        var april = search("the paint in April 2026", "");
        assertThat(april.at("/time").toString())
                .isEqualTo("{\"since\":\"2026-04-01T00:00:00.000Z\",\"until\":\"2026-04-30T23:59:59.999Z\"}");
        assertThat(texts(april).getFirst()).isEqualTo("Ben: The paint for the ferry came, and it is blue.");
        assertThat(texts(search("the paint in March 2026", "")).getFirst()).isEqualTo("Ann: Then I order the paint.");
        assertThat(april.at("/content").size()).isGreaterThan(1);

        var berlin = search("the paint on 8 April 2026", ",'time_zone':'Europe/Berlin'");
        assertThat(texts(berlin).getFirst()).isEqualTo("Ben: The paint for the ferry came, and it is blue.");
        assertThat(berlin.at("/time/since").asString()).isEqualTo("2026-04-07T22:00:00.000Z");

        var before = search("the paint before it came and was blue", "");
        assertThat(before.at("/time/until").asString()).startsWith("2026-04-07T23:29:59.999");
        var explicit = search("the paint in April 2026", ",'until':'2026-03-31T00:00:00Z'");
        assertThat(explicit.at("/time").isMissingNode()).isTrue();
        assertThat(texts(explicit)).doesNotContain("Ben: The paint for the ferry came, and it is blue.");
        assertThat(search("paint", "").at("/time").isMissingNode()).isTrue();
        ann.call("MB_Search", "{'content':'paint','time_zone':'Mars/Olympus'}").refused(1004, "time_zone");
    }

    @Test
    void aTimeRaisesOnlyWhatAnswersAndBoundsHoldForWhatIsAround() {
        var unanswerable = ann.call(
                        "MB_Search", "{'target':{'bank':'talks'},'content':'who ate the salmon in April 2026'}")
                .ok();
        assertThat(unanswerable.at("/time").isMissingNode()).isFalse();
        assertThat(unanswerable.at("/abstain").asBoolean()).isTrue();
        assertThat(search("the paint since 2020", "").at("/time").isMissingNode())
                .isTrue();
        var since = search("green", ",'since':'2026-03-02T10:01:00Z','page':{'limit':1}");
        assertThat(around(since.at("/content/0"))).containsExactly("Ann: Then I order the paint.");
    }

    @Test
    void whatTheDatabaseCannotStoreIsLeftOut() {
        load("""
            {"title":"Bo\\u0000ats\\ud800","messages":[{"role":"us\\u0000er","content":"zeb\\u0000ra"},{"role":"b","content":"c"},{"role":"us\\u0000er","content":"d"}]}
            """);
        var source = search("zebra", ",'page':{'limit':1}").at("/content/0/source");
        assertThat(source.path("session").asString()).isEqualTo("Boats");
        assertThat(source.path("speaker").asString()).isEqualTo("user");
        assertThat(source.has("time")).isFalse();
    }

    @Test
    void theTextOfAConversationHasItsTurns() {
        var read = ann.call("DC_Read", "{'id':'talk','part':'text'}").ok();
        assertThat(Objects.toString(read.at("/text")))
                .contains("# 2026-03-02", "[2026-03-02T10:01:00Z] Ben: Green, as the old one had.");
    }
}
