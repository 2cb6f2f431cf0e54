package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Schema;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/**
 * How an installed server describes one of its tools.
 *
 * @param upstream the name of the server
 * @param item the name that the server gives it
 * @param definition the tool as {@code tools/list} shows it, under the name that it has here
 * @param digest of the definition that was approved
 */
public record ForeignTool(String upstream, String item, ObjectNode definition, String digest) {
    /** What lists call it. */
    public static final String TOOL = "Tool";

    private static final Route ROUTE = new Route("POST", "/mcp");
    private static final Pattern NAME =
            Pattern.compile("[a-z0-9][a-z0-9-]{0,19}(_[A-Za-z0-9_-]{1,37}|:[a-z]{1,20}/[a-z]{1,20})");

    /** Returns whether a tool of an installed server can have this name. The engine's own have another form. */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** Returns the name of a request to a server that is no call of a tool, as rules and the audit know it. */
    public static String request(String upstream, String method) {
        return upstream + ":" + method;
    }

    /** The arguments of a call, as the server's schema describes them. */
    public record Arguments(@Doc("The arguments.") ObjectNode arguments) {}

    /** What the server answered. */
    public record Result(@Doc("The result.") ObjectNode result) {}

    /** Returns the tool, which calls the server before its transaction. */
    public Tool<Arguments, Result> calledBy(Tool.Handler<Arguments, Result> call) {
        var effect = effect();
        var name = definition.path("name").asString();
        return new Tool<>(
                name,
                new Tool.Texts(
                        definition.path("title").asString(name),
                        definition.path("description").asString(""),
                        new Guide("", List.of(), false, null, Set.of(), null),
                        new Example.OwnFields(Map.of(), Set.of())),
                new Tool.Policy(
                        Capability.UPSTREAM_READ,
                        List.of(),
                        effect,
                        effect.writes() ? Role.MEMBER : Role.VIEWER,
                        isIdempotent(),
                        true,
                        false,
                        Audited.WITH_ID),
                contract(),
                new Tool.Execution<>(
                        new Work.TwoPhase<>(call, (_, result, _) -> result), false, false, null, null, null),
                this);
    }

    private Tool.Contract<Arguments, Result> contract() {
        return new Tool.Contract<>(
                ROUTE,
                Arguments.class,
                Schema.ofForeign((ObjectNode) definition.path("inputSchema"), "arguments"),
                Result.class,
                definition.path("outputSchema") instanceof ObjectNode output ? output : Envelope.schema(Result.class),
                List.of(),
                true,
                null,
                false,
                false);
    }

    private boolean hint(String name) {
        return definition.at("/annotations/" + name).asBoolean(false);
    }

    private Effect effect() {
        return hint("readOnlyHint") ? Effect.READS : hint("destructiveHint") ? Effect.DESTROYS : Effect.CHANGES;
    }

    /** Returns a server's words about one of its things, marked with their origin. */
    public static String marked(String what, String upstream, String words) {
        return "[%s of the server '%s'] %s".formatted(what, upstream, words);
    }

    /** Returns its server's description of it, without the mark. */
    public String words() {
        var words = definition.path("description").asString("");
        var mark = marked(TOOL, upstream, "");
        return words.startsWith(mark) ? words.substring(mark.length()) : words;
    }

    /** Returns what its server calls it, in words: {@code createIssue} is create issue. */
    public String title() {
        return definition
                .path("title")
                .asString(item.replaceAll("(?<=[a-z0-9])(?=[A-Z])|[^\\p{L}\\p{N}]+", " ")
                        .strip()
                        .toLowerCase(Locale.ROOT));
    }

    /** Returns whether models are shown it. */
    public boolean isForModels() {
        return isFor("model");
    }

    /** Returns whether the pages of its server's app may call it. */
    public boolean isForPages() {
        return isFor("app");
    }

    /** Without a visibility (MCP Apps), a tool is for both. */
    private boolean isFor(String reader) {
        var visibility = definition.at("/_meta/ui/visibility");
        return !visibility.isArray()
                || visibility.valueStream().anyMatch(each -> each.asString("").equals(reader));
    }

    /** Returns whether a call that failed may be repeated. */
    public boolean isIdempotent() {
        return hint("readOnlyHint") || hint("idempotentHint");
    }
}
