package io.agentworkspace.engine.memory.documents.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConversationShapesTest {
    private static final Instant TEN = Instant.parse("2026-05-03T10:00:00Z");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[2026-05-03T10:00:00Z] Ann: Hello.\n\n[2026-05-04T10:00:00+02:00] Ben:\nGood\n\nmorning.",
                "Ann (2026-05-03 10:00): Hello.\nBen (2026-05-04 08:00): Good\n\nmorning.",
                "[2026-05-03 10:00:00 Z] Ann: Hello.\r\n[2026-05-04 08:00:00Z] Ben: Good\n\nmorning."
            })
    void textsWithATimeBeforeEachTurnAreConversations(String text) {
        var turns = Conversation.turns(text, false);
        assertThat(turns).hasSize(2);
        assertThat(turns.getFirst()).isEqualTo(new SaidText(new Turn("Ann", TEN, "2026-05-03"), "Hello.", "turn 1"));
        assertThat(turns.getLast().turn())
                .isEqualTo(new Turn("Ben", Instant.parse("2026-05-04T08:00:00Z"), "2026-05-04"));
        assertThat(turns.getLast().text()).isEqualTo("Good\n\nmorning.");
    }

    @Test
    void aHeadingAboveATurnBeginsASessionAndOthersAreText() {
        var turns = Conversation.turns("""
            # The boat

            [2026-05-03] Ann: How do I paint it?
            [2026-05-03] Ben: In two steps.
            ## First
            Sand it.
            # The shed
            [2026-05-04] Ann: And that?
            """, false);
        assertThat(turns).extracting(said -> said.turn().session()).containsExactly("The boat", "The boat", "The shed");
        assertThat(turns.get(1).text()).isEqualTo("In two steps.\n## First\nSand it.");
    }

    @Test
    void messagesInJsonAreConversations() {
        var turns = Conversation.turns("""
            {"title":"Boats","messages":[{"role":"user","content":"Hello.","timestamp":1777802400},
             {"role":"assistant","content":[{"type":"text","text":"Hello,"},{"type":"image"},{"type":"text","text":"Ann."}],
              "timestamp":1777802400000},{"role":"user","content":""}]}
            """, true);
        assertThat(turns)
                .containsExactly(
                        new SaidText(new Turn("user", TEN, "Boats"), "Hello.", "turn 1"),
                        new SaidText(new Turn("assistant", TEN, "Boats"), "Hello,\nAnn.", "turn 2"));
        assertThat(Conversation.turns("[{\"name\":\"Ann\",\"text\":\"a\"},{\"name\":\"Ben\",\"text\":\"b\"}]", true))
                .extracting(SaidText::turn)
                .containsExactly(new Turn("Ann", null, null), new Turn("Ben", null, null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Ann: Hello.\nBen: Hello.",
                "Minutes\n[2026-05-03] Ann: Hello.\n[2026-05-03] Ben: Hello.",
                "[2026-05-03] Ann: the only one",
                "[section 12] Ann: Hello.\n[section 13] Ben: Hello.",
                "[2026-13-03] Ann: Hello.\n[2026-13-03] Ben: Hello.",
                ""
            })
    void otherTextsAreNone(String text) {
        assertThat(Conversation.turns(text, false)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"user\"}]",
                "[{\"role\":\"user\",\"content\":\"a\"}]",
                "{\"a\":[1,2]}",
                "[1,2]",
                "[{\"role\":\"user\",\"content\":\"a\"},"
            })
    void otherJsonIsNone(String text) {
        assertThat(Conversation.turns(text, true)).isEmpty();
    }
}
