package io.agentworkspace.engine.demo;

import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
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

    private DemoScript() {}

    /** An agent's name, description and persona. */
    record Persona(String name, String description, String profile) {}

    /** A memory that is in the runbooks from the beginning. */
    record InitialMemory(String name, String text, String tag) {}

    static final List<Persona> PERSONAS = List.of(
            new Persona(
                    MIRA,
                    "Leads incidents: decides, and asks a person before anything that cannot be undone.",
                    "You lead incidents. You keep a clear head and short sentences. You look into the runbooks before you decide,"
                            + " and you ask a person before anything that cannot be undone."),
            new Persona(
                    OTTO,
                    "Knows the databases, and likes quick fixes.",
                    "You run the databases. You say what you measure, and you propose the quickest fix that works."),
            new Persona(
                    JUNO,
                    "Speaks for the customers, and to them.",
                    "You speak for the customers. You count what they report, and you tell them the truth in plain words."));

    static final List<InitialMemory> KNOWN = List.of(
            new InitialMemory(
                    "pool exhausted after a deploy",
                    "March: after deploy 471 the connection pool was full. We raised the limit from 200 to 400. The queue moved into the"
                            + " database, which stood still for 20 minutes. Rolling back had taken 6. Find the leaking query first.",
                    "database"),
            new InitialMemory(
                    "how to roll back a deploy",
                    "A rollback takes 6 minutes. Migrations since then must be compatible with the version before. Tell support first.",
                    "deploy"),
            new InitialMemory(
                    "what to tell customers",
                    "Say what does not work, whether money is safe, and when you will write again. Never guess a time.",
                    "support"));

    /**
     * One step.
     *
     * @param agent the acting agent; null for the wait for the person's answer
     * @param weight the length of the pause before it, relative to other steps
     * @param answers whether it replies to the last message
     * @param branch the answer that it follows; null for always
     */
    record Step(
            @Nullable String agent,
            String tool,
            ObjectNode arguments,
            int weight,
            boolean answers,
            @Nullable String branch) {
        private Step answering() {
            return new Step(agent, tool, arguments, weight, true, branch);
        }

        private Step on(String answer) {
            return new Step(agent, tool, arguments, weight, answers, answer);
        }

        /** Returns whether the step is a message, which others may reply to. */
        boolean isSaid() {
            return !arguments.at("/target/zone").isMissingNode();
        }

        boolean isQuestion() {
            return agent == null;
        }
    }

    static final List<Step> STEPS = List.of(
            says(
                    MIRA,
                    ZONE,
                    "Checkout fails for 9 % of orders since 14:02. I lead. Otto, what do you measure? Juno, what do customers see?"),
            searches(OTTO, RUNBOOKS, "connection pool full after a deploy"),
            says(
                    OTTO,
                    ZONE,
                    "The connection pool is full: 200 of 200, and 340 requests wait. It began two minutes after deploy 512."),
            says(
                    JUNO,
                    CUSTOMERS,
                    "I am reading the reports: 41 in ten minutes. All say that the payment was not taken."),
            says(
                    JUNO,
                    ZONE,
                    "41 reports in ten minutes. Nobody was charged twice. They want to know whether to try again."),
            says(OTTO, ZONE, "I would raise the pool to 400. It takes a minute, and then checkout works again."),
            reads(MIRA, RUNBOOKS, "pool exhausted after a deploy"),
            says(
                            MIRA,
                            ZONE,
                            "I disagree. In March we did exactly that: the queue moved into the database, which then stood still for 20 minutes."
                                    + " I would roll back.")
                    .answering(),
            says(
                            OTTO,
                            ZONE,
                            "In March there was no read replica. And a rollback takes 6 minutes: at this rate that is 300 orders.")
                    .answering(),
            says(JUNO, ZONE, "Customers forgive six slow minutes. They do not forgive a shop that is gone for twenty.")
                    .answering(),
            stores(
                    OTTO,
                    LOG,
                    "finding - the leaking query",
                    "Deploy 512 opens a second connection for each tax look-up and does not close it. That fills the pool of 200 in two minutes."),
            says(
                    OTTO,
                    ZONE,
                    "Found it: deploy 512 opens a second connection for each tax look-up. I wrote it into the incident log."),
            says(
                    MIRA,
                    ZONE,
                    "Both ways cost something, and one cannot be undone. This is for a person to decide: " + QUESTION),
            new Step(null, "", Json.object(), 1, false, null),
            // The safe option.
            says(MIRA, ZONE, "Rolling back deploy 512. Otto, watch the pool. Juno, tell the customers.")
                    .on(ROLL_BACK),
            reads(MIRA, RUNBOOKS, "how to roll back a deploy").on(ROLL_BACK),
            says(
                            JUNO,
                            CUSTOMERS,
                            "Checkout fails for some of you. Your money is safe: nobody was charged. We are undoing a change now, and I write again when it is done.")
                    .on(ROLL_BACK),
            says(OTTO, ZONE, "Rolled back. The pool is at 61 of 200, and falling. No request waits.")
                    .on(ROLL_BACK),
            stores(
                            MIRA,
                            LOG,
                            "lesson - roll back first",
                            "Deploy 512 filled the connection pool. We rolled back after 11 minutes, decided by a person, and were well 6 minutes later."
                                    + " Raising the pool would have hidden the leak.")
                    .on(ROLL_BACK),
            // The fast option.
            says(OTTO, ZONE, "Raising the pool to 400. I watch the database, and stop at 80 % of its connections.")
                    .on(RAISE),
            says(OTTO, ZONE, "Checkout works. The database is at 71 % of its connections and rising slowly.")
                    .on(RAISE),
            says(
                            MIRA,
                            ZONE,
                            "Then we have bought an hour, not a solution. Otto, fix the tax look-up before it is full.")
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
                            "Deploy 512 filled the connection pool. A person decided to raise it to 400: it worked at once, and the database filled up slowly."
                                    + " The leak still has to be closed.")
                    .on(RAISE),
            // Both options.
            reads(JUNO, RUNBOOKS, "what to tell customers"),
            says(
                    JUNO,
                    CUSTOMERS,
                    "It is over. It was our mistake, and we know which one. Thank you for your patience."),
            stores(
                    MIRA,
                    LOG,
                    "handover",
                    "Otto has the watch until 08:00. Open: close the second connection of the tax look-up, then deploy again. Juno answers the 41 reports."),
            says(
                    MIRA,
                    ZONE,
                    "Otto, I hand over to you until 08:00. What is still open is in the incident log, under 'handover'."),
            says(OTTO, ZONE, "I have it. I close the leak tonight, and deploy only when you are back.")
                    .answering());

    private static Step says(String agent, String zone, String content) {
        var arguments = object("{'target': {'domain': '%s', 'zone': '%s'}}".formatted(DOMAIN, zone));
        return new Step(agent, "AP_Chat", arguments.put("content", content), 3, false, null);
    }

    private static Step searches(String agent, String bank, String content) {
        var arguments = object("{'target': {'bank': '%s'}}".formatted(bank));
        return new Step(agent, "MB_Search", arguments.put("content", content), 1, false, null);
    }

    private static Step reads(String agent, String bank, String name) {
        var arguments = object("{'target': {'bank': '%s'}}".formatted(bank));
        arguments.putObject("vx").put("name", name);
        return new Step(agent, "MB_Read", arguments, 1, false, null);
    }

    private static Step stores(String agent, String bank, String name, String content) {
        var arguments = object("{'target': {'bank': '%s'}}".formatted(bank));
        arguments.putObject("vx").put("name", name).putArray("tags").add("incident");
        return new Step(agent, "MB_Store", arguments.put("content", content), 2, false, null);
    }

    static ObjectNode object(String text) {
        return Json.readObject(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the option in the person's words: the fast one if they mention it, else the safe one. */
    static String chosen(@Nullable String words) {
        var said = words == null ? "" : words.toLowerCase(Locale.ROOT);
        return said.contains("raise") || said.contains("pool") || said.contains("watch") ? RAISE : ROLL_BACK;
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
