package io.agentworkspace.engine.model.refusal;

import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.schema.Field;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A way in which a tool may refuse. It is derived from the tool's declaration and from the checks for all tools, so
 * nothing has to be kept in sync.
 *
 * @param when in which case
 * @param remedy what the caller should do
 */
public record ToolRefusal(Failure failure, String when, String remedy) {
    /** What a context can have selected or entered. */
    private static final Set<String> IN_CONTEXT = Set.of("agent", "domain", "zone");

    /** Families whose tools use what is selected or entered by default. */
    private static final Set<Family> OF_CONTEXT = Set.of(Family.AGENT, Family.DOMAIN, Family.ZONE, Family.TASK);

    /** The kinds of things that the skill tools name. */
    private static final Set<String> OF_SKILL = Set.of("name", "agent", "path");

    private static final List<ToolRefusal> ALWAYS = List.of(
            new ToolRefusal(
                    Failure.UNAUTHENTICATED,
                    "The request has no key, or its key is mistyped, revoked or expired.",
                    "Send a working key in X-Api-Key."),
            new ToolRefusal(
                    Failure.RULE_REFUSED,
                    "A rule of your tenant denies it.",
                    "The note names the rule and how to comply; RL_List shows the rules."),
            new ToolRefusal(
                    Failure.RATE_LIMITED, "Your key exceeds its rate limit.", "Wait for the time in Retry-After."),
            new ToolRefusal(
                    Failure.INTERNAL, "A defect of the service.", "Tell the operator the request id in the note."),
            new ToolRefusal(
                    Failure.UNAVAILABLE,
                    "The database, or another service that it needs, cannot be reached.",
                    "Try again shortly."));

    /** Returns a tool's refusals in the order of their codes. */
    public static List<ToolRefusal> of(Tool<?, ?> tool) {
        var fields = Field.of(tool.inputSchema().json());
        return Stream.of(ALWAYS.stream(), ofInput(tool, fields), ofTarget(tool, fields), ofWrite(tool, fields))
                .flatMap(refusals -> refusals)
                .sorted((a, b) ->
                        Integer.compare(a.failure().code(), b.failure().code()))
                .toList();
    }

    private static Stream<ToolRefusal> ofInput(Tool<?, ?> tool, List<Field> fields) {
        var parts = Stream.of(
                new ToolRefusal(
                        Failure.MALFORMED_JSON,
                        "The request is not JSON, or a field has the wrong type.",
                        "The note names the place or the field, and the type."),
                new ToolRefusal(
                        Failure.INVALID_FIELD,
                        "A field breaks its rule, or, over MCP and here, is none of this tool's.",
                        "The note names the field and the rule."),
                new ToolRefusal(
                        Failure.TOO_LARGE,
                        "A field or the whole request is longer than allowed.",
                        "The note has the limit."),
                new ToolRefusal(
                        Failure.NOT_PERMITTED,
                        "Your key lacks %s or the toolset %s, your role is below %s%s, or the target requires more."
                                .formatted(
                                        tool.capability().word(),
                                        tool.family().word(),
                                        tool.leastRole().word(),
                                        toRead(tool)),
                        "The note names who can grant it. To check in advance, use GET /api/auth/why."));
        var required = fields.stream().filter(Field::required).map(Field::path).toList();
        var isEither = fields.stream().anyMatch(field -> field.path().equals("next"));
        var left = isEither
                ? "You leave out both task and next."
                : required.isEmpty()
                        ? "A required target is missing, and none is selected."
                        : "You leave out %s.".formatted(listed(required));
        var missing = new ToolRefusal(Failure.MISSING_FIELD, left, "Give what the note names.");
        return Stream.concat(
                parts, required.isEmpty() && !isOfMemory(tool) && !isEither ? Stream.empty() : Stream.of(missing));
    }

    private static String toRead(Tool<?, ?> tool) {
        return tool.reading() == null
                ? ""
                : " (%s: %s and any role are enough)"
                        .formatted(tool.reading().when(""), tool.family().read().word());
    }

    /**
     * Returns whether the tool works on memories. Such a tool finds out only when it runs which bank and which agent
     * are meant.
     */
    private static boolean isOfMemory(Tool<?, ?> tool) {
        return tool.family() == Family.BANK && tool.effect() == Effect.CHANGES;
    }

    private static boolean isOfSkill(Tool<?, ?> tool) {
        return tool.family() == Family.SKILL;
    }

    private static Stream<ToolRefusal> ofTarget(Tool<?, ?> tool, List<Field> fields) {
        var named = fields.stream()
                .map(Field::path)
                .filter(path -> (path.startsWith("target.") && !path.equals("target.context"))
                        || path.equals("id")
                        || tool.route().hasParameter(path)
                        || path.equals("task")
                        || path.equals("question")
                        || path.endsWith("_id")
                        || (isOfSkill(tool) && OF_SKILL.contains(path)))
                .toList();
        var notFound = new ToolRefusal(
                Failure.NOT_FOUND,
                "The target named by %s does not exist, or you may not see it.".formatted(listed(named)),
                "The note offers names that look alike.");
        var fallsBack = (OF_CONTEXT.contains(tool.family()) || isOfMemory(tool) || isOfSkill(tool))
                && named.stream().anyMatch(path -> IN_CONTEXT.contains(path.substring(path.indexOf('.') + 1)));
        var noContext = new ToolRefusal(
                Failure.NO_CONTEXT,
                "A target is left out, and your context has none selected or entered.",
                "Name it, or select it first.");
        return Stream.concat(
                named.isEmpty() ? Stream.empty() : Stream.of(notFound),
                fallsBack ? Stream.of(noContext) : Stream.empty());
    }

    private static Stream<ToolRefusal> ofWrite(Tool<?, ?> tool, List<Field> fields) {
        var quota = new ToolRefusal(
                Failure.QUOTA_EXCEEDED,
                tool.effect() == Effect.CREATES
                        ? "Your tenant has reached its plan's limit for these, or for commands today."
                        : "Your tenant has reached its plan's limit for commands today.",
                "A daily limit ends with the UTC day. AC_ChangePlan changes the plan.");
        var paths = fields.stream().map(Field::path).toList();
        var names = (isOfSkill(tool) && tool.effect() == Effect.CREATES)
                || (paths.contains("vx.name")
                        && (paths.contains("vx.description") || paths.contains("vx.access"))
                        && Set.of(Effect.CREATES, Effect.CHANGES).contains(tool.effect()));
        var taken = new ToolRefusal(
                Failure.ALREADY_EXISTS, "The name is already taken.", "Choose another name, or use the existing one.");
        var conflict = new ToolRefusal(
                Failure.CONFLICT,
                "The current state does not allow it: an outdated revision, a ban, a limit, or a target that was just removed.",
                "Read it again, and follow the note.");
        var mismatch = new ToolRefusal(
                Failure.IDEMPOTENCY_MISMATCH,
                "Another request has used this idempotency key.",
                "Send a new idempotency key with a new request.");
        if (!tool.effect().isTransactional()) {
            // Callers who are banned from a domain, or not members, cannot read its zones.
            return tool.family() == Family.ZONE ? Stream.of(quota, conflict) : Stream.of(quota);
        }
        return Stream.concat(Stream.of(quota, conflict, mismatch), names ? Stream.of(taken) : Stream.empty());
    }

    private static String listed(List<String> paths) {
        return paths.size() < 2
                ? String.join("", paths)
                : String.join(", ", paths.subList(0, paths.size() - 1)) + " or " + paths.getLast();
    }
}
