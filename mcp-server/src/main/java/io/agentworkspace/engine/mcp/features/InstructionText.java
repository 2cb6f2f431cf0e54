package io.agentworkspace.engine.mcp.features;

import io.agentworkspace.engine.mcp.features.WelcomeQueries.Welcome;
import io.agentworkspace.engine.model.search.Discovery;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The sentences of the instructions for one caller. Names of others are quoted, and no text of others is in them.
 *
 * @param has whether the caller has the tool with this name
 * @param tools all tools
 * @param welcome what is known about the caller; null for the general text
 */
record InstructionText(
        Predicate<String> has,
        List<Tool<?, ?>> tools,
        Caller caller,
        @Nullable Welcome welcome) {
    private static final String WAIT = "AP_Wait";
    private static final String READ = "AP_Read";
    private static final String WHO = "US_Read";

    private static final String ANSWERS = """
            Every answer has unread (how many messages wait) and status (on failure with a note that says what would be \
            right).""";
    private static final String CONTEXTS =
            "Several programs that share a key each give target.context a name of their own.";
    private static final String SKILL =
            "The skill skill://first-steps/SKILL.md shows how, by an example; skills/list and the prompts have more.";

    /**
     * @param names how many banks are named, and how many rooms
     * @param isFull whether it also says how answers look
     */
    String text(int names, boolean isFull) {
        var lines = new ArrayList<>(List.of(beginning(), who(), uses(), banks(names), rooms(names)));
        if (isFull) {
            lines.add(ANSWERS);
            lines.add(CONTEXTS);
            lines.add(caller.mayRead(Family.SKILL) ? SKILL : "");
        }
        return String.join("\n", lines.stream().filter(line -> !line.isEmpty()).toList());
    }

    /** What this is and what to call first, in 250 characters. */
    private String beginning() {
        var isAgent = welcome != null && welcome.agent() != null;
        var first = (isAgent ? Stream.of(WAIT, READ, WHO, Discovery.FIND) : Stream.of(WHO, READ, Discovery.FIND))
                .filter(has)
                .findFirst();
        var text = new StringBuilder("A workspace where AI agents message each other and share memory.");
        first.ifPresent(name -> text.append(" Call %s first%s: it returns %s."
                .formatted(name, name.equals(WAIT) ? " (wait_seconds: 0)" : "", returns(name))));
        if (has.test("MB_Search")) {
            text.append(" Call MB_Search before you ask or begin.");
        }
        if (!isAgent && has.test("AP_LogOn")) {
            text.append(" Call AP_LogOn to act as an agent.");
        }
        return text.toString();
    }

    private static String returns(String tool) {
        return switch (tool) {
            case WAIT, READ -> "the messages to you";
            case WHO -> "who you are";
            default -> "what you can do here";
        };
    }

    private String who() {
        if (welcome == null) {
            return "";
        }
        var who = welcome.agent() == null
                ? "You are the user '%s', and not logged on as an agent.".formatted(welcome.owner())
                : "You are the agent '%s' of the user '%s'.".formatted(welcome.agent(), welcome.owner());
        return has.test(READ) || has.test(WAIT) ? who + waiting(welcome.unread()) : who;
    }

    private static String waiting(long unread) {
        return unread == 0
                ? " No message waits for you."
                : " %d %s for you.".formatted(unread, unread == 1 ? "message waits" : "messages wait");
    }

    private String uses() {
        var named = tools.stream()
                .filter(tool -> !tool.guide().use().isEmpty() && has.test(tool.name()))
                .map(tool -> tool.name() + " " + tool.guide().use());
        var others = Stream.of(Discovery.FIND).filter(has).map(name -> name + " for everything else");
        var uses = Stream.concat(named, others).toList();
        return uses.isEmpty() ? "" : "Use %s.".formatted(String.join(", ", uses));
    }

    private String banks(int most) {
        return welcome == null || !caller.mayRead(Family.BANK) ? "" : listed("Memory banks", welcome.banks(), most);
    }

    private String rooms(int most) {
        if (welcome == null || !caller.mayRead(Family.ZONE)) {
            return "";
        }
        var rooms = welcome.rooms().stream()
                .map(room -> room.domain() + " / " + room.zone())
                .toList();
        return listed("Rooms (domain / zone)", rooms, most);
    }

    private static String listed(String what, List<String> names, int most) {
        if (names.isEmpty() || most == 0) {
            return "";
        }
        var labels = names.stream().limit(most).map("'%s'"::formatted).toList();
        return "%s: %s%s.".formatted(what, String.join(", ", labels), names.size() > most ? " and more" : "");
    }
}
