package io.agentworkspace.engine.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the demo asks, when, and what it makes of the answer. */
class DemoScriptTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Roll back the deploy                   | Roll back the deploy
            roll it back and watch the pool        | Roll back the deploy
            Don't raise the pool, roll back        | Roll back the deploy
            please do not raise it                 | Roll back the deploy
            dont raise it                          | Roll back the deploy
            no larger pool                         | Roll back the deploy
            what do you think?                     | Roll back the deploy
            do not raise it and do not roll back   | Roll back the deploy
            don't lose control                     | Roll back the deploy
            Raise the pool and watch it            | Raise the pool and watch it
            a larger pool                          | Raise the pool and watch it
            Don’t roll back, raise it              | Raise the pool and watch it
            never roll back                        | Raise the pool and watch it
            """)
    void theAnswerIsTakenAtItsWord(String words, String option) {
        assertThat(DemoScript.chosen(words)).isEqualTo(option);
    }

    @Test
    void silenceIsTheSafeOption() {
        assertThat(DemoScript.chosen(null)).isEqualTo(DemoScript.ROLL_BACK);
    }

    /** So that somebody who has just opened the console has answered within a minute. The first step has no pause. */
    @Test
    void theQuestionComesBeforeTheHalf() {
        var before = DemoScript.STEPS.stream()
                .takeWhile(step -> !step.isQuestion())
                .skip(1)
                .mapToInt(DemoScript.Step::weight)
                .sum();
        assertThat(90.0 * before / DemoScript.weight()).isBetween(30.0, 40.0);
    }

    @Test
    void theLastMessageBeforeTheWaitAsksTheQuestion() {
        var wait = DemoScript.STEPS.stream()
                .filter(DemoScript.Step::isQuestion)
                .findFirst()
                .orElseThrow();
        var asked = DemoScript.STEPS.get(DemoScript.STEPS.indexOf(wait) - 1);
        assertThat(asked.arguments().path("content").asString()).endsWith(DemoScript.QUESTION);
    }

    @Test
    void bothOptionsTakeAsManySteps() {
        assertThat(List.of(DemoScript.ROLL_BACK, DemoScript.RAISE))
                .extracting(option -> DemoScript.STEPS.stream()
                        .filter(step -> option.equals(step.branch()))
                        .count())
                .containsOnly(5L);
    }

    @Test
    void theLastStepIsOneThatWasTaken() {
        var first = DemoScript.STEPS.getFirst();
        assertThat(DemoScript.lastBefore(0, null)).isEmpty();
        assertThat(DemoScript.lastBefore(1, null)).contains(first);
        assertThat(first.words()).isEqualTo("writes in the room main");
        assertThat(DemoScript.lastBefore(2, null).orElseThrow().words())
                .isEqualTo("searches Runbooks for 'connection pool full after a deploy'");
        var end = DemoScript.STEPS.size();
        assertThat(DemoScript.lastBefore(end, DemoScript.RAISE)).contains(DemoScript.STEPS.getLast());
        var option = DemoScript.STEPS.indexOf(DemoScript.STEPS.stream()
                .filter(step -> DemoScript.RAISE.equals(step.branch()))
                .findFirst()
                .orElseThrow());
        assertThat(DemoScript.lastBefore(option, DemoScript.RAISE).orElseThrow().branch())
                .isNull();
    }
}
