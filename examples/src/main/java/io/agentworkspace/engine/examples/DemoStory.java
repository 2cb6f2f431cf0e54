package io.agentworkspace.engine.examples;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What {@code demo.json} says: who acts, what is there from the beginning, and what happens in which order.
 *
 * @param domain where it happens
 * @param zone where a person answers the question
 * @param agents who acts; the first leads
 * @param capabilities of each agent's key
 * @param answers to the question; the first is the safe one
 * @param setup the calls that prepare it, in order
 */
record DemoStory(
        String domain,
        String zone,
        List<String> agents,
        List<String> capabilities,
        String question,
        List<Answer> answers,
        List<Call> setup,
        List<Step> steps) {
    /** What somebody does not want, to the end of the clause. */
    private static final Pattern REFUSAL =
            Pattern.compile("(?:\\bnot?\\b|\\bnever\\b|\\bavoid\\b|\\bdont\\b|n't\\b)[^.,;!]*");

    static final DemoStory STORY = read();

    private static DemoStory read() {
        try (InputStream in = Objects.requireNonNull(DemoStory.class.getResourceAsStream("/demo.json"))) {
            return new ObjectMapper().readValue(in, DemoStory.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @param words a pattern of the words that mean it, in lower case */
    record Answer(String text, String words) {
        private boolean isIn(String text) {
            return Pattern.compile(words).matcher(text).find();
        }
    }

    /** @param undo the call that removes what this one created, if anything */
    record Call(String tool, ObjectNode arguments, @Nullable Call undo) {}

    /**
     * One step.
     *
     * @param agent the acting agent; null for the question, which a person answers
     * @param does what the agent does, in words that follow its name
     * @param pause the pause before it, relative to other steps
     * @param replies whether it replies to the last message
     * @param after the answer that it follows; null for always
     */
    record Step(
            @Nullable String agent,
            String does,
            @Nullable String tool,
            @Nullable ObjectNode arguments,
            int pause,
            @Nullable Boolean replies,
            @Nullable String after) {
        boolean isQuestion() {
            return agent == null;
        }

        boolean follows(@Nullable String answer) {
            return after == null || after.equals(answer);
        }
    }

    /** Returns the answer in the person's words, also if they only say what not to do; otherwise the safe one. */
    String chosen(@Nullable String words) {
        var text = words == null ? "" : words.toLowerCase(Locale.ROOT).replace('\u2019', '\'');
        var wishes = REFUSAL.matcher(text).replaceAll("");
        var refusals = REFUSAL.matcher(text).results().map(MatchResult::group).collect(Collectors.joining(" "));
        return answers.stream()
                .filter(answer -> answer.isIn(wishes))
                .findFirst()
                .or(() -> answers.stream()
                        .filter(answer -> !answer.isIn(refusals))
                        .findFirst())
                .orElse(answers.getFirst())
                .text();
    }

    /** Returns the last step that was taken before this one, if there is one. */
    Optional<Step> lastBefore(int index, @Nullable String answer) {
        return steps.subList(0, index).reversed().stream()
                .filter(step -> !step.isQuestion() && step.follows(answer))
                .findFirst();
    }

    /** Returns how many of the steps that a viewer sees come before this one; each answer has as many. */
    int before(int index) {
        return (int) steps.stream().limit(index).filter(this::isCounted).count();
    }

    /** Returns the sum of the pauses. */
    int pauses() {
        return steps.stream().filter(this::isCounted).mapToInt(Step::pause).sum();
    }

    private boolean isCounted(Step step) {
        return step.follows(answers.getFirst().text());
    }
}
