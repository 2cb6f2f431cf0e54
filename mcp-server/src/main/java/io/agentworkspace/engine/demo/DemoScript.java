package io.agentworkspace.engine.demo;

import io.agentworkspace.engine.model.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** What the three agents say and do, in order. The steps after the question depend on the person's answer.
 * {@code story.json} has the words. */
final class DemoScript {
    static final String DOMAIN = "Checkout incident";
    static final String ZONE = "main";
    static final String CUSTOMERS = "customers";
    static final String RUNBOOKS = "Runbooks";
    static final String LOG = "Incident log";
    static final String ROLL_BACK = "Roll back the deploy";
    static final String RAISE = "Raise the pool and watch it";
    static final String QUESTION = "Roll back deploy 512 now, or raise the pool and watch it?";
    static final List<String> ANSWERS = List.of(ROLL_BACK, RAISE);

    /** What somebody does not want, to the end of the clause. */
    private static final Pattern REFUSED =
            Pattern.compile("(?:\\bnot?\\b|\\bnever\\b|\\bavoid\\b|\\bdont\\b|n't\\b)[^.,;!]*");

    private static final Pattern ROLLING = Pattern.compile("\\broll");
    private static final Pattern RAISING = Pattern.compile("\\brais|\\bpool\\b");

    private DemoScript() {}

    /** An agent's name, description and persona. */
    record Persona(String name, String description, String profile) {}

    /** A memory that is in the runbooks from the beginning. */
    record InitialMemory(String name, String text, String tag) {}

    /** The contents of {@code story.json}: who acts, what the runbooks contain, and what happens before and after the question. */
    private record Story(List<Persona> personas, List<InitialMemory> memories, List<Line> before, List<Line> after) {
        private static Story read() {
            try (var in = Objects.requireNonNull(DemoScript.class.getResourceAsStream("story.json"))) {
                return Json.readValue(new String(in.readAllBytes(), StandardCharsets.UTF_8), Story.class);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * One step of an agent.
     *
     * @param does say, search, read or store
     * @param in the zone or the bank
     * @param name of a memory
     * @param text the message, the query, or the memory's text
     * @param answers whether it replies to the last message
     * @param branch the answer that it follows; null for always
     */
    private record Line(
            String agent,
            String does,
            String in,
            @Nullable String name,
            @Nullable String text,
            @Nullable Boolean answers,
            @Nullable String branch) {
        private Step step(int slower) {
            return switch (does) {
                case "say" -> step("AP_Chat", inZone(), "writes in the room " + in, 3 + slower);
                case "search" -> step("MB_Search", inBank(), "searches %s for '%s'".formatted(in, text), 1 + slower);
                case "read" -> step("MB_Read", inBank(), "reads '%s' in %s".formatted(name, in), 1 + slower);
                case "store" -> step("MB_Store", inBank(), "stores '%s' in %s".formatted(name, in), 2 + slower);
                default -> throw new IllegalStateException("nobody can " + does);
            };
        }

        private Step step(String tool, ObjectNode arguments, String words, int weight) {
            if (text != null) {
                arguments.put("content", text);
            }
            return new Step(agent, tool, arguments, words, weight, Boolean.TRUE.equals(answers), branch);
        }

        private ObjectNode inZone() {
            return object("{'target': {'domain': '%s', 'zone': '%s'}}".formatted(DOMAIN, in));
        }

        private ObjectNode inBank() {
            var arguments = object("{'target': {'bank': '%s'}}".formatted(in));
            if (name != null) {
                var vx = arguments.putObject("vx").put("name", name);
                if (does.equals("store")) {
                    vx.putArray("tags").add("incident");
                }
            }
            return arguments;
        }
    }

    private static final Story STORY = Story.read();
    static final List<Persona> PERSONAS = STORY.personas();
    static final List<InitialMemory> MEMORIES = STORY.memories();

    /**
     * One step.
     *
     * @param agent the acting agent; null for the wait for the person's answer
     * @param words what the agent does, in words that follow its name
     * @param weight the length of the pause before it, relative to other steps
     * @param answers whether it replies to the last message
     * @param branch the answer that it follows; null for always
     */
    record Step(
            @Nullable String agent,
            String tool,
            ObjectNode arguments,
            String words,
            int weight,
            boolean answers,
            @Nullable String branch) {
        /** Returns whether the step is a message, which others may reply to. */
        boolean isSaid() {
            return !arguments.at("/target/zone").isMissingNode();
        }

        boolean isQuestion() {
            return agent == null;
        }
    }

    /** The first half is quicker: a newcomer is asked after about 40 of 90 seconds. */
    static final List<Step> STEPS = Stream.of(
                    STORY.before().stream().map(line -> line.step(0)),
                    Stream.of(new Step(null, "", Json.object(), "", 1, false, null)),
                    STORY.after().stream().map(line -> line.step(2)))
            .flatMap(steps -> steps)
            .toList();

    static ObjectNode object(String text) {
        return Json.readObject(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the option in the person's words, also if they only say what not to do; otherwise the safe one. */
    static String chosen(@Nullable String words) {
        var said = words == null ? "" : words.toLowerCase(Locale.ROOT).replace('\u2019', '\'');
        var wanted = REFUSED.matcher(said).replaceAll("");
        if (ROLLING.matcher(wanted).find()) {
            return ROLL_BACK;
        }
        if (RAISING.matcher(wanted).find()) {
            return RAISE;
        }
        var refused = REFUSED.matcher(said).results().map(MatchResult::group).collect(Collectors.joining(" "));
        var isOnlyRollingRefused =
                ROLLING.matcher(refused).find() && !RAISING.matcher(refused).find();
        return isOnlyRollingRefused ? RAISE : ROLL_BACK;
    }

    /** Returns the last step that was taken before this one, if there is one. */
    static Optional<Step> lastBefore(int index, @Nullable String branch) {
        return STEPS.subList(0, index).reversed().stream()
                .filter(step -> !step.isQuestion()
                        && (step.branch() == null || step.branch().equals(branch)))
                .findFirst();
    }

    /** Returns how many steps a viewer sees, with either option. */
    static int length() {
        return (int) STEPS.stream()
                .filter(step -> step.branch() == null || step.branch().equals(ROLL_BACK))
                .count();
    }

    /** Returns how many of these steps come before this one. */
    static int before(int index) {
        return (int) STEPS.stream()
                .limit(index)
                .filter(step -> step.branch() == null || step.branch().equals(ROLL_BACK))
                .count();
    }

    /** Returns the sum of the pauses. */
    static int weight() {
        return STEPS.stream()
                .filter(step -> step.branch() == null || step.branch().equals(ROLL_BACK))
                .mapToInt(Step::weight)
                .sum();
    }
}
