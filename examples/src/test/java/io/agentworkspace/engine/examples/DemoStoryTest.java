package io.agentworkspace.engine.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.examples.DemoStory.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the demo asks, when, and what it makes of the answer. */
class DemoStoryTest {
    private static final DemoStory STORY = DemoStory.STORY;
    private static final String SAFE = STORY.answers().getFirst().text();
    private static final String OTHER = STORY.answers().getLast().text();

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
    void theAnswerIsTakenAtItsWord(String words, String answer) {
        assertThat(STORY.chosen(words)).isEqualTo(answer);
    }

    @Test
    void silenceIsTheSafeOption() {
        assertThat(STORY.chosen(null)).isEqualTo(SAFE);
    }

    /** So that somebody who has just opened the console has answered within a minute. The first step has no pause. */
    @Test
    void theQuestionComesBeforeTheHalf() {
        var before = STORY.steps().stream()
                .takeWhile(step -> !step.isQuestion())
                .skip(1)
                .mapToInt(Step::pause)
                .sum();
        assertThat(90.0 * before / STORY.pauses()).isBetween(30.0, 40.0);
    }

    @Test
    void theLastMessageBeforeTheWaitAsksTheQuestion() {
        var last = STORY.steps().stream()
                .takeWhile(step -> !step.isQuestion())
                .toList()
                .getLast();
        assertThat(last.arguments().path("content").asString()).endsWith(STORY.question());
    }

    @Test
    void bothAnswersTakeAsManySteps() {
        assertThat(STORY.answers())
                .extracting(answer -> STORY.steps().stream()
                        .filter(step -> answer.text().equals(step.after()))
                        .count())
                .containsExactly(5L, 5L);
    }

    @Test
    void theLastStepIsOneThatWasTaken() {
        var steps = STORY.steps();
        assertThat(STORY.lastBefore(0, null)).isEmpty();
        assertThat(STORY.lastBefore(1, null)).contains(steps.getFirst());
        assertThat(steps.getFirst().does()).isEqualTo("writes in the room main");
        assertThat(STORY.lastBefore(2, null).orElseThrow().does())
                .isEqualTo("searches Runbooks for 'connection pool full after a deploy'");
        assertThat(STORY.lastBefore(steps.size(), OTHER)).contains(steps.getLast());
        var first = steps.indexOf(steps.stream()
                .filter(step -> OTHER.equals(step.after()))
                .findFirst()
                .orElseThrow());
        assertThat(STORY.lastBefore(first, OTHER).orElseThrow().after()).isNull();
    }
}
