package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.mcp.content.WelcomeQueries.OwnTasks;
import io.agentworkspace.engine.mcp.content.WelcomeQueries.Welcome;
import io.agentworkspace.engine.model.search.Discovery;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The sentences of the instructions for one caller, in the order in which it needs them: who it is, what waits, its tasks, when
 * to ask a person, what to do before an edit, where memories are. Names of others are quoted, and no text of others is in them.
 *
 * @param has whether the caller has the tool with this name
 * @param welcome what is known about the caller; null for the general text
 */
record InstructionText(
        Predicate<String> has, Caller caller, @Nullable Welcome welcome) {
    private static final String ANSWERS = """
            Every answer has unread (how many messages wait) and status (on failure with a note that says what to do).""";
    private static final String CONTEXTS =
            "Several programs that share a key each send a target.context of their own with every call.";
    private static final String SKILL = "The skill skill://workspace/SKILL.md shows the calls; the prompts have more.";

    /**
     * @param names how many banks are named, and how many zones
     * @param isFull whether it also says how answers look
     */
    String text(int names, boolean isFull) {
        var lines = new ArrayList<>(
                List.of(who(), tasks(), person(), files(), memories(names), messages(), zones(names), others()));
        if (isFull) {
            lines.add(ANSWERS);
            lines.add(CONTEXTS);
            lines.add(caller.mayRead(Family.SKILL) ? SKILL : "");
        }
        return String.join("\n", lines.stream().filter(line -> !line.isEmpty()).toList());
    }

    /** Who the caller is, what waits and what to call first: enough to start with. */
    private String who() {
        if (welcome == null) {
            return "This is a workspace that AI agents share."
                    + sentence(" Call US_Read to learn who you are.", "US_Read");
        }
        if (welcome.agent() == null) {
            return "You are the user '%s' in a workspace that AI agents share, and act as no agent."
                            .formatted(welcome.owner())
                    + waiting()
                    + sentence(" Call AP_LogOn to act as an agent.", "AP_LogOn");
        }
        return "You are the agent '%s' of the user '%s' in a workspace that AI agents share."
                        .formatted(welcome.agent(), welcome.owner())
                + waiting();
    }

    private String waiting() {
        var unread = Objects.requireNonNull(welcome).unread();
        var call = has.test("AP_Wait") ? "AP_Wait with wait_seconds: 0" : "AP_Read";
        if (!has.test("AP_Wait") && !has.test("AP_Read")) {
            return "";
        }
        return unread == 0
                ? " No message waits for you."
                : " %d %s for you: call %s.".formatted(unread, unread == 1 ? "message waits" : "messages wait", call);
    }

    private String tasks() {
        if (!has.test("TK_List")) {
            return "";
        }
        var own = welcome == null ? List.<OwnTasks>of() : welcome.tasks();
        var places = own.stream()
                .map(tasks -> "%d in '%s'".formatted(tasks.count(), tasks.domain()))
                .collect(Collectors.joining(", "));
        return (own.isEmpty()
                        ? "No task is yours; TK_List shows those"
                        : "Your tasks: %s. TK_List with mine shows them".formatted(places))
                + (own.isEmpty() ? " of a domain." : ".")
                + sentence(" Before you start work that others could do too, call TK_Claim;", "TK_Claim", "TK_Update")
                + sentence(" when it is finished or you are stuck, TK_Update.", "TK_Claim", "TK_Update")
                + sentence(" Hand out work with TK_Create.", "TK_Create");
    }

    private String person() {
        return sentence("If your user must decide or approve something, call AP_Ask; do not guess.", "AP_Ask")
                + sentence(" If a message has a question, reply with AP_Answer.", "AP_Ask", "AP_Answer");
    }

    private String files() {
        return sentence("Before you edit files that another agent's session may edit, call TK_Reserve.", "TK_Reserve");
    }

    private String memories(int most) {
        var banks =
                welcome == null || !caller.mayRead(Family.BANK) ? "" : listed("Memory banks", welcome.banks(), most);
        var text = sentence("Call MB_Search before you begin or ask somebody.", "MB_Search")
                + sentence(" Call MB_Store when you learned something that others will need.", "MB_Store");
        return Stream.of(text.strip(), banks).filter(part -> !part.isEmpty()).collect(Collectors.joining(" "));
    }

    private String messages() {
        return sentence("AP_Chat sends a message to an agent, a person or a zone.", "AP_Chat")
                + sentence(" AP_List finds agents.", "AP_Chat", "AP_List");
    }

    private String zones(int most) {
        if (welcome == null || !caller.mayRead(Family.ZONE)) {
            return "";
        }
        var zones = welcome.zones().stream()
                .map(zone -> zone.domain() + " / " + zone.zone())
                .toList();
        return listed("Zones (domain / zone)", zones, most);
    }

    private String others() {
        var text = "For everything else%s call find_tools.";
        var more = !has.test("TK_List") && caller.mayRead(Family.TASK) ? ", such as tasks and reserving files," : "";
        return sentence(text.formatted(more), Discovery.FIND);
    }

    /** Returns the sentence if the caller has the tools that it needs. */
    private String sentence(String text, String... tools) {
        return Stream.of(tools).allMatch(has) ? text : "";
    }

    private static String listed(String what, List<String> names, int most) {
        if (names.isEmpty() || most == 0) {
            return "";
        }
        var labels = names.stream().limit(most).map("'%s'"::formatted).toList();
        return "%s: %s%s.".formatted(what, String.join(", ", labels), names.size() > most ? " and more" : "");
    }
}
