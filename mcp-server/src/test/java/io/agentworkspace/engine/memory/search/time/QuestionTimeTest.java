package io.agentworkspace.engine.memory.search.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuestionTimeTest {
    /** A Friday. */
    private static final Instant NOW = Instant.parse("2026-05-15T12:00:00Z");

    private static String span(String question, ZoneId zone) {
        return QuestionTime.of(question, NOW, zone)
                .map(span -> (span.since() == null
                                ? ""
                                : span.since().toString().substring(0, 10)) + " "
                        + (span.until() == null ? "" : span.until().toString().substring(0, 10)))
                .orElse("none");
    }

    @ParameterizedTest
    @CsvSource({
        "what did we decide yesterday?,                  2026-05-14 2026-05-14",
        "and the day before yesterday,                   2026-05-13 2026-05-13",
        "what is new today,                              2026-05-15 2026-05-15",
        "who called last week,                           2026-05-04 2026-05-10",
        "this week's plan,                               2026-05-11 2026-05-17",
        "last month's costs,                             2026-04-01 2026-04-30",
        "in the last 3 days,                             2026-05-12 2026-05-15",
        "two months ago we moved,                        2026-03-01 2026-03-31",
        "a couple of weeks ago,                          2026-04-27 2026-05-03",
        "10 days ago,                                    2026-05-05 2026-05-05",
        "a year ago,                                     2025-01-01 2025-12-31",
        "what happened in May?,                          2026-05-01 2026-05-31",
        "what happened in December,                      2025-12-01 2025-12-31",
        "in Feb 2024,                                    2024-02-01 2024-02-29",
        "the talk on 3 May,                              2026-05-03 2026-05-03",
        "the talk on May 3rd 2025,                       2025-05-03 2025-05-03",
        "the talk on the 30th of May,                    2025-05-30 2025-05-30",
        "2026-02-03 in the morning,                      2026-02-03 2026-02-03",
        "on Monday,                                      2026-05-11 2026-05-11",
        "last Friday,                                    2026-05-08 2026-05-08",
        "last weekend,                                   2026-05-09 2026-05-10",
        "in 2025,                                        2025-01-01 2025-12-31",
        "between 3 May and 10 May,                       2026-05-03 2026-05-10",
        "between 3 and 10 May,                           2026-05-03 2026-05-10",
        "what was new from May to July?,                 2025-05-01 2025-07-31",
        "between December and February 2026,             2025-12-01 2026-02-28",
        "on 2026-05-03 in May 2026,                      2026-05-03 2026-05-03",
        "on 21 may,                                      2025-05-21 2025-05-21",
        "on 29 February,                                 2024-02-29 2024-02-29",
        "what was decided in 2025 was good,              2025-01-01 2025-12-31"
    })
    void daysAreNamedInManyWays(String question, String span) {
        assertThat(span(question, ZoneOffset.UTC)).isEqualTo(span);
    }

    @Test
    void aSideLeavesTheOtherOpen() {
        assertThat(span("what was said before May", ZoneOffset.UTC)).isEqualTo(" 2026-04-30");
        assertThat(span("after 3 May 2026", ZoneOffset.UTC)).isEqualTo("2026-05-04 ");
        assertThat(span("since last week", ZoneOffset.UTC)).isEqualTo("2026-05-04 ");
        assertThat(span("until 2026-04-01", ZoneOffset.UTC)).isEqualTo(" 2026-03-31");
    }

    @Test
    void aDayBeginsWhereTheQuestionIsAsked() {
        var late = Instant.parse("2026-05-15T23:30:00Z");
        assertThat(QuestionTime.of("yesterday", late, ZoneId.of("Europe/Berlin")))
                .contains(
                        new TimeSpan(Instant.parse("2026-05-14T22:00:00Z"), Instant.parse("2026-05-15T21:59:59.999Z")));
        assertThat(QuestionTime.of("yesterday", late, ZoneOffset.UTC)
                        .orElseThrow()
                        .since())
                .isEqualTo("2026-05-14T00:00:00Z");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "may I see the march of the penguins",
                "on 31 June",
                "who is Mae",
                "Java 21 may break",
                "what may 20 users do",
                "of 2000 rows",
                "it failed after 2000 requests",
                "what differs in May 2025 and in June 2025",
                "who came yesterday for the talk in March",
                "after 9999-12-31",
                "what does port 2025 do",
                "the second sunlit room",
                "how long ago"
            })
    void otherWordsAreNoTimes(String question) {
        assertThat(span(question, ZoneOffset.UTC)).isEqualTo("none");
    }

    @Test
    void anEventCanBeTheBorder() {
        var before =
                QuestionTime.event("What broke before the release of the shop?").orElseThrow();
        assertThat(before.text()).isEqualTo("the release of the shop");
        assertThat(before.from(NOW)).isEqualTo(new TimeSpan(null, NOW.minusMillis(1)));
        var after = QuestionTime.event("who left after we moved to Oslo").orElseThrow();
        assertThat(after.from(NOW)).isEqualTo(new TimeSpan(NOW, null));
        for (var none : List.of(
                "who left",
                "who looks after the boat",
                "who is named after a ship",
                "why changed since the old one failed")) {
            assertThat(QuestionTime.event(none)).as(none).isEmpty();
        }
    }

    @Test
    void onlyATimeThatTellsMemoriesApartHasWeight() {
        var may = Instant.parse("2026-05-01T00:00:00Z");
        assertThat(new TimeSpan(may, null).weighed(NOW)).contains(new TimeSpan(may, null));
        assertThat(new TimeSpan(Instant.parse("2020-01-01T00:00:00Z"), null).weighed(NOW))
                .isEmpty();
        assertThat(new TimeSpan(null, may).weighed(NOW).orElseThrow().since()).isEqualTo("2025-04-30T00:00:00Z");
    }
}
