package io.agentworkspace.engine.memory.documents.conversation;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConversationShapesTest {
    private static final Instant TEN = Instant.parse("2026-05-03T10:00:00Z");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[2026-05-03T10:00:00Z] Ann: Hello.\n\n[2026-05-04T10:00:00+02:00] Ben:\nGood\n\nmorning.\n[2026-05-05] Ann: Yes.",
                "Ann (2026-05-03 10:00): Hello.\nBen (2026-05-04 08:00): Good\n\nmorning.\nAnn (2026-05-05): Yes.",
                "[2026-05-03 10:00:00 Z] Ann: Hello.\r\n[2026-05-04 08:00:00Z] Ben: Good\n\nmorning.\n[2026-05-05] Ann: Yes."
            })
    void textsWithATimeBeforeEachTurnAreConversations(String text) {
        var turns = Conversation.turns(text, false);
        assertThat(turns).hasSize(3);
        assertThat(turns.getFirst()).isEqualTo(new SaidText(new Turn("Ann", TEN, "2026-05-03"), "Hello.", "turn 1"));
        assertThat(turns.get(1).turn()).isEqualTo(new Turn("Ben", Instant.parse("2026-05-04T08:00:00Z"), "2026-05-04"));
        assertThat(turns.get(1).text()).isEqualTo("Good\n\nmorning.");
    }

    @Test
    void headingsAboveATurnBeginASessionAndNoneIsLost() {
        var turns = Conversation.turns("""
            # Boats

            ## The boat
            [2026-05-03] Ann: How do I paint it?
            [2026-05-03] Ben: In two steps.
            ## The shed
            ### Its roof
            [2026-05-04] Ann: And that?
            """, false);
        assertThat(turns)
                .extracting(said -> said.turn().session())
                .containsExactly("Boats / The boat", "Boats / The boat", "Boats / The shed / Its roof");
    }

    /** As an import of conversations with a model writes them. */
    @Test
    void whatAModelWritesHasHeadingsParagraphsAndCode() {
        var answer = "In steps:\n\n## First\n\nSand.\n\n" + "Paint.\n\n".repeat(9)
                + "```\n[2026-05-03T10:00:00Z] Ann: a line of a log\n# no heading\n```";
        for (var speaker : List.of("Claude", "Assistant", "ChatGPT")) {
            var turns = Conversation.turns(
                    "# Boats\n\n[2026-05-03T10:00:00Z] User: How?\n\n[2026-05-03T10:00:00Z] %s: %s\n"
                            .formatted(speaker, answer),
                    false);
            assertThat(turns)
                    .containsExactly(
                            new SaidText(new Turn("User", TEN, "Boats"), "How?", "turn 1"),
                            new SaidText(new Turn(speaker, TEN, "Boats"), answer, "turn 2"));
        }
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
        assertThat(Conversation.turns("""
            [{"from":"Ann","text":"a","id":"m-1"},{"from":"Ben","text":"b","id":"m-2"},{"from":"Ann","text":"c"}]
            """, true))
                .extracting(SaidText::turn)
                .containsExactly(new Turn("Ann", null, null), new Turn("Ben", null, null), new Turn("Ann", null, null));
        assertThat(Conversation.turns("""
            [{"name":"Ann","role":"user","content":"a"},{"role":"assistant","content":"b"},{"name":"Ann","role":"user","content":"c"}]
            """, true))
                .extracting(said -> said.turn().speaker())
                .containsExactly("Ann", "assistant", "Ann");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Ann: Hello.\nBen: Hello.",
                "Minutes\n[2026-05-03] Ann: Hello.\n[2026-05-03] Ben: Hello.",
                "[2026-05-03] Ann: the only one",
                "[section 12] Ann: Hello.\n[section 13] Ben: Hello.",
                "[2026-05-03] Ann: Hello.\n[2026-05-03] Ben: Hello.",
                "[2026-05-03 10:00:00] prod.ERROR: a\n[2026-05-03 10:00:01] prod.INFO: b\n[2026-05-03 10:00:02] prod.ERROR: c",
                "[2026-05-03 10:00:00] ERROR: a\n[2026-05-03 10:00:01] INFO: b\n[2026-05-03 10:00:02] INFO: c",
                "Note (2024-01-01): a\nNote (2024-01-02): b\nAnn (2024-01-03): c",
                "Version 2.0 (2026-05-03): a\nVersion 1.0 (2026-04-03): b\nVersion 1.0 (2026-04-03): c",
                "- Ann (2026-05-03): a\n- Ben (2026-05-03): b\n- Ann (2026-05-03): c",
                "Web (2026-05-03): a\nServer (2026-05-02): b\nWeb (2026-05-01): c",
                "Smith (2020-01-01): a\nJones (2020-01-02): b\nKim (2020-01-03): c\nLee (2020-01-04): d\nKim (2020-01-05): e",
                "[2026-05-03] Ann: a\n[2026-05-03] Ben: b\n[2026-05-03] Ann: c\n\n# Results\nA report.",
                "[2026-05-03] Ann: a\n[2026-05-03] Ben: b\n[2026-05-03] Ann: c\n\n1\n\n2\n\n3\n\n4\n\n5\n\n6\n\n7\n\n8\n\n9\n\n10\n\n11\n\n12\n\n13",
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
                "[{\"name\":\"Widget\",\"text\":\"a\",\"price\":9},{\"name\":\"Widget\",\"text\":\"b\"},{\"name\":\"Nut\",\"text\":\"c\"}]",
                "[{\"author\":\"Ann\",\"message\":\"a\",\"sha\":\"f00\",\"date\":\"2026-05-03\"},{\"author\":\"Ben\",\"message\":\"b\",\"sha\":\"f01\",\"date\":\"2026-05-03\"},{\"author\":\"Ann\",\"message\":\"c\",\"sha\":\"f02\",\"date\":\"2026-05-03\"}]",
                "{\"messages\":[{\"name\":\"greeting\",\"text\":\"Hello\"},{\"name\":\"end\",\"text\":\"Bye\"}],\"config\":{\"a\":1}}",
                "{\"messages\":{\"a\":{\"role\":\"user\",\"content\":\"a\"},\"b\":{\"role\":\"user\",\"content\":\"b\"}}}",
                "{\"system\":\"Be kind.\",\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"b\"}]}",
                "[{\"name\":\"Ann\",\"role\":\"pilot\",\"text\":\"a\",\"date\":\"2026-05-03\"},{\"name\":\"Ben\",\"role\":\"cook\",\"text\":\"b\",\"date\":\"2026-05-03\"}]",
                "{\"a\":[1,2]}",
                "[1,2]",
                "[{\"role\":\"user\",\"content\":\"a\"},"
            })
    void otherJsonIsNone(String text) {
        assertThat(Conversation.turns(text, true)).isEmpty();
    }
}
