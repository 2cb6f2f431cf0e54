package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.answer.KeptAnswer;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.refusal.ToolRefusal;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Example;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The content of a tool's page.
 *
 * @param loses what a call destroys, for the confirmation on a destructive tool's page; null for other tools
 * @param obstacle why the caller may not call it; null if it may, or if nobody is signed in
 */
record ToolPage(
        String name,
        String title,
        String description,
        String details,
        String task,
        String taskTitle,
        List<Tag> tags,
        String route,
        String baseUrl,
        String tokens,
        @Nullable String loses,
        @Nullable String obstacle,
        boolean signedIn,
        List<FieldRow> input,
        String inputSchema,
        List<FieldRow> output,
        String outputSchema,
        String example,
        Example.@Nullable StandIn standIn,
        String answer,
        List<Snippets.Snippet> snippets,
        List<Error> errors,
        List<Next> next) {

    /** The fields that every response has. */
    private static final Set<String> ENVELOPE = Set.of("header", "status");

    private static final Pattern NAME = Pattern.compile("[A-Z]{2}_[A-Z]\\w+");
    private static final int MOST_NEXT = 4;

    /** @param kind how it looks */
    record Tag(String kind, String text, String meaning) {}

    /** A tool that callers often need afterwards. */
    record Next(String name, String title) {}

    record Error(String error, int code, int status, String when, String remedy) {}

    public boolean hasNext() {
        return !next.isEmpty();
    }

    public String nextNames() {
        return next.stream().map(Next::name).collect(Collectors.joining(" "));
    }

    static ToolPage of(
            Tool<?, ?> tool,
            Catalogue catalogue,
            PublicAddresses published,
            TokenCounts counts,
            @Nullable Caller caller) {
        var arguments = Example.arguments(tool);
        var task = ToolTask.of(tool);
        return new ToolPage(
                tool.name(),
                tool.title(),
                tool.description(),
                tool.guide().details(),
                task.word(),
                task.title(),
                tags(tool),
                tool.route().method() + " " + tool.route().path(),
                published.baseUrl(),
                TokenCounts.words(counts.of(tool.name())),
                (tool.effect() == Effect.DESTROYS) ? ToolList.summary(tool.description()) : null,
                caller == null ? null : caller.obstacle(tool).orElse(null),
                caller != null,
                FieldRow.of(tool.inputSchema().json(), Set.of()),
                Json.pretty(tool.inputSchema().json()),
                FieldRow.of(tool.outputSchema(), ENVELOPE),
                Json.pretty(tool.outputSchema()),
                Json.pretty(arguments),
                Example.standIn(tool).orElse(null),
                Json.pretty(KeptAnswer.of(tool)),
                Snippets.of(published, tool, arguments),
                errors(tool),
                next(tool, catalogue));
    }

    /** The tools that its description names. */
    private static List<Next> next(Tool<?, ?> tool, Catalogue catalogue) {
        return NAME.matcher(tool.fullDescription())
                .results()
                .map(MatchResult::group)
                .distinct()
                .filter(name -> !name.equals(tool.name()))
                .flatMap(name -> catalogue.find(name).stream())
                .map(named -> new Next(named.name(), named.title()))
                .limit(MOST_NEXT)
                .toList();
    }

    private static List<Tag> tags(Tool<?, ?> tool) {
        var effect = switch (tool.effect()) {
            case READS -> "Changes nothing.";
            case MARKS -> "Changes nothing but what counts as read for you.";
            case MOVES -> "Changes only your own context.";
            case CREATES -> "Makes something new.";
            case CHANGES -> "Changes what others can see.";
            case DESTROYS -> "Takes something away.";
        };
        var tags = new java.util.ArrayList<>(List.of(
                new Tag(
                        tool.effect().name().toLowerCase(Locale.ROOT),
                        tool.effect().name().toLowerCase(Locale.ROOT),
                        effect),
                new Tag("", tool.capability().word(), "The capability that a key needs."),
                new Tag("", tool.leastRole().word() + " or above", "What its user must be in the tenant.")));
        if (tool.reading() != null) {
            tags.add(new Tag(
                    "",
                    "reads " + tool.reading().when(""),
                    "Then viewers may do it, and the capability %s is enough."
                            .formatted(tool.family().read().word())));
        }
        if (tool.idempotent() && tool.effect().isTransactional()) {
            tags.add(new Tag("", "idempotent", "Doing it twice is the same as doing it once."));
        }
        if (tool.isLong()) {
            tags.add(new Tag("", "long", "May take more than a few seconds; over MCP it can be a task."));
        }
        return List.copyOf(tags);
    }

    /** Returns the errors, with the HTTP status on the tool's own route. */
    private static List<Error> errors(Tool<?, ?> tool) {
        return ToolRefusal.of(tool).stream()
                .map(refusal -> new Error(
                        refusal.failure().error(),
                        refusal.failure().code(),
                        tool.isCommand()
                                ? refusal.failure().commandStatus()
                                : refusal.failure().httpStatus(),
                        refusal.when(),
                        refusal.remedy()))
                .toList();
    }
}
