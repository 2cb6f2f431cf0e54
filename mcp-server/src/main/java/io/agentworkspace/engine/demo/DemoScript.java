package io.agentworkspace.engine.demo;

import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** What the three agents say and do, in order. The steps after the question depend on the person's answer. */
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

    private static final String MIRA = "Mira";
    private static final String OTTO = "Otto";
    private static final String JUNO = "Juno";

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

    static final List<Persona> PERSONAS = List.of(
            new Persona(
                    MIRA,
                    "Leads incidents. Decides, and asks a person before anything that cannot be undone.",
                    "You lead incidents. Stay calm and write short sentences. Check the runbooks before you decide,"
                            + " and ask a person before anything that cannot be undone."),
            new Persona(
                    OTTO,
                    "Runs the databases and prefers quick fixes.",
                    "You run the databases. Report what you measure, and propose the quickest fix that works."),
            new Persona(
                    JUNO,
                    "Talks to customers and speaks for them.",
                    "You speak for the customers. Count their reports, and tell them the truth in plain words."));

    static final List<InitialMemory> KNOWN = List.of(
            new InitialMemory(
                    "pool exhausted after a deploy",
                    "March: after deploy 471 the connection pool was full. We raised the limit from 200 to 400. The queue moved to the"
                            + " database, which stalled for 20 minutes. The rollback took 6. Find the leaking query first.",
                    "database"),
            new InitialMemory(
                    "how to roll back a deploy",
                    "A rollback takes 6 minutes. Later migrations must be compatible with the earlier version. Tell support first.",
                    "deploy"),
            new InitialMemory(
                    "what to tell customers",
                    "Say what is broken, whether their money is safe, and when you will write again. Never guess a time.",
                    "support"));

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
        private Step answering() {
            return new Step(agent, tool, arguments, words, weight, true, branch);
        }

        private Step on(String answer) {
            return new Step(agent, tool, arguments, words, weight, answers, answer);
        }

        private Step slower() {
            return new Step(agent, tool, arguments, words, weight + 2, answers, branch);
        }

        /** Returns whether the step is a message, which others may reply to. */
        boolean isSaid() {
            return !arguments.at("/target/zone").isMissingNode();
        }

        boolean isQuestion() {
            return agent == null;
        }
    }

    private static final List<Step> UNTIL_THE_QUESTION = List.of(
            says(
                    MIRA,
                    ZONE,
                    "Checkout fails for 9 % of orders since 14:02. I am leading. Otto, what do you measure? Juno, what do customers see?"),
            searches(OTTO, RUNBOOKS, "connection pool full after a deploy"),
            says(
                    OTTO,
                    ZONE,
                    "The connection pool is full: 200 of 200, with 340 requests waiting. It started two minutes after deploy 512."),
            says(JUNO, CUSTOMERS, "Reading the reports: 41 in ten minutes. All say that no payment was taken."),
            says(JUNO, ZONE, "41 reports in ten minutes. Nobody was charged twice. They ask whether to try again."),
            says(OTTO, ZONE, "I would raise the pool to 400. It takes a minute, and checkout works again."),
            reads(MIRA, RUNBOOKS, "pool exhausted after a deploy"),
            says(
                            MIRA,
                            ZONE,
                            "I disagree. We did exactly that in March: the queue moved to the database, which stalled for 20 minutes."
                                    + " I would roll back.")
                    .answering(),
            says(
                            OTTO,
                            ZONE,
                            "We had no read replica in March. And a rollback takes 6 minutes. At this rate that is 300 orders.")
                    .answering(),
            says(JUNO, ZONE, "Customers forgive six slow minutes. They do not forgive a shop that is down for twenty.")
                    .answering(),
            stores(
                    OTTO,
                    LOG,
                    "finding - the leaking query",
                    "Deploy 512 opens a second connection for each tax lookup and does not close it. That fills the pool of 200 in two minutes."),
            says(
                    OTTO,
                    ZONE,
                    "Found it: deploy 512 opens a second connection for each tax lookup. It is in the incident log."),
            says(MIRA, ZONE, "Both options have a cost, and one cannot be undone. A person should decide: " + QUESTION),
            new Step(null, "", Json.object(), "", 1, false, null));

    private static final List<Step> AFTER_IT = List.of(
            // The safe option.
            says(MIRA, ZONE, "Rolling back deploy 512. Otto, watch the pool. Juno, tell the customers.")
                    .on(ROLL_BACK),
            reads(MIRA, RUNBOOKS, "how to roll back a deploy").on(ROLL_BACK),
            says(
                            JUNO,
                            CUSTOMERS,
                            "Checkout fails for some of you. Your money is safe: nobody was charged. We are rolling back a change, and I will write again when it is done.")
                    .on(ROLL_BACK),
            says(OTTO, ZONE, "Rolled back. The pool is at 61 of 200 and falling. No request is waiting.")
                    .on(ROLL_BACK),
            stores(
                            MIRA,
                            LOG,
                            "lesson - roll back first",
                            "Deploy 512 filled the connection pool. A person decided to roll back after 11 minutes, and checkout worked 6 minutes later."
                                    + " Raising the pool would have hidden the leak.")
                    .on(ROLL_BACK),
            // The fast option.
            says(OTTO, ZONE, "Raising the pool to 400. I will watch the database and stop at 80 % of its connections.")
                    .on(RAISE),
            says(OTTO, ZONE, "Checkout works. The database is at 71 % of its connections, rising slowly.")
                    .on(RAISE),
            says(MIRA, ZONE, "That bought an hour, not a solution. Otto, fix the tax lookup before the pool is full.")
                    .on(RAISE),
            says(
                            JUNO,
                            CUSTOMERS,
                            "Checkout works again. Your money is safe: nobody was charged twice. If an order failed, please try it once more.")
                    .on(RAISE),
            stores(
                            MIRA,
                            LOG,
                            "lesson - a larger pool buys an hour",
                            "Deploy 512 filled the connection pool. A person decided to raise it to 400. It worked at once, but the database fills up slowly."
                                    + " The leak still has to be fixed.")
                    .on(RAISE),
            // Both options.
            reads(JUNO, RUNBOOKS, "what to tell customers"),
            says(
                    JUNO,
                    CUSTOMERS,
                    "This is resolved. It was our mistake, and we know the cause. Thank you for your patience."),
            stores(
                    MIRA,
                    LOG,
                    "handover",
                    "Otto is on call until 08:00. Open: close the second connection of the tax lookup, then deploy again. Juno answers the 41 reports."),
            says(
                    MIRA,
                    ZONE,
                    "Otto, you are on call until 08:00. Open tasks are in the incident log, under 'handover'."),
            says(OTTO, ZONE, "Got it. I will fix the leak tonight, and deploy when you are back.")
                    .answering());

    /** The first half is quicker: a newcomer is asked after about 40 of 90 seconds. */
    static final List<Step> STEPS = Stream.concat(
                    UNTIL_THE_QUESTION.stream(), AFTER_IT.stream().map(Step::slower))
            .toList();

    private static Step says(String agent, String zone, String content) {
        var arguments = object("{'target': {'domain': '%s', 'zone': '%s'}}".formatted(DOMAIN, zone));
        return new Step(
                agent, "AP_Chat", arguments.put("content", content), "writes in the zone " + zone, 3, false, null);
    }

    private static Step searches(String agent, String bank, String content) {
        var arguments = object("{'target': {'bank': '%s'}}".formatted(bank));
        var words = "searches %s for '%s'".formatted(bank, content);
        return new Step(agent, "MB_Search", arguments.put("content", content), words, 1, false, null);
    }

    private static Step reads(String agent, String bank, String name) {
        var arguments = object("{'target': {'bank': '%s'}}".formatted(bank));
        arguments.putObject("vx").put("name", name);
        return new Step(agent, "MB_Read", arguments, "reads '%s' in %s".formatted(name, bank), 1, false, null);
    }

    private static Step stores(String agent, String bank, String name, String content) {
        var arguments = object("{'target': {'bank': '%s'}}".formatted(bank));
        arguments.putObject("vx").put("name", name).putArray("tags").add("incident");
        var words = "stores '%s' in %s".formatted(name, bank);
        return new Step(agent, "MB_Store", arguments.put("content", content), words, 2, false, null);
    }

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
