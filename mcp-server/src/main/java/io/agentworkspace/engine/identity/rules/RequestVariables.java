package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.identity.rules.cel.ExpressionInput;
import io.agentworkspace.engine.identity.rules.cel.ExpressionInput.Fields;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The values that rules see of a request. */
final class RequestVariables {
    /** Fields that some tools have in place of content. */
    static final List<String> TEXTS = List.of("content", "text", "file_text", "new_str", "insert_text");

    private RequestVariables() {}

    /**
     * @param loadContext reads the context of the call; runs only if a rule uses principal.agent
     * @param documentName returns the name of a document that is given by id or name; runs once, and only if a rule uses it
     */
    static ExpressionInput of(Call call, ObjectNode input, Runnable loadContext, UnaryOperator<String> documentName) {
        return new ExpressionInput(
                command(call.tool()),
                Fields.of(input.path("target")),
                vx(input),
                content(input),
                principal(call, loadContext),
                document(call.tool(), input, documentName),
                task(call.tool(), input),
                call.now(),
                Set.of());
    }

    /** Returns the document that a command on documents names. Only its name is known. */
    private static Fields document(Tool<?, ?> tool, ObjectNode input, UnaryOperator<String> documentName) {
        if (tool.family() != Family.DOCUMENT) {
            return _ -> null;
        }
        var fields = input.path("id");
        var names = new HashMap<String, String>(); // Expressions may use the name any number of times.
        return field -> !field.equals("name")
                ? null
                : fields.isString()
                        ? names.computeIfAbsent(fields.asString(), documentName)
                        : Fields.of(input).get("name");
    }

    /** Returns what a command on tasks says of its task. */
    private static Fields task(Tool<?, ?> tool, ObjectNode input) {
        if (tool.family() != Family.TASK) {
            return _ -> null;
        }
        var fields = Fields.of(input);
        var labels = Fields.of(input.path("vx"));
        return field -> switch (field) {
            case "id" -> fields.get("task");
            case "title" -> labels.get("name");
            case "tags" -> labels.get("tags");
            default -> fields.get(field);
        };
    }

    static Fields command(Tool<?, ?> tool) {
        return field -> switch (field) {
            case "name" -> tool.name();
            case "family" -> tool.family().word();
            case "effect" -> tool.effect().name().toLowerCase(Locale.ROOT);
            default -> null;
        };
    }

    /** Returns the fields of {@code vx}, which tools that are not commands have at the top level. */
    static Fields vx(ObjectNode input) {
        var inside = Fields.of(input.path("vx"));
        var outside = Fields.of(input);
        return field -> {
            var value = inside.get(field);
            if (value == null) {
                value = outside.get(field);
            }
            return value == null && field.equals("name") ? path(outside) : value;
        };
    }

    /** Returns the name of a file: the new one, if it is renamed. */
    private static @Nullable Object path(Fields input) {
        var renamed = input.get("new_path");
        return renamed == null ? input.get("path") : renamed;
    }

    /** Returns all texts of the request, one after another: a tool may ignore any of them, so no rule may judge only the first. */
    static String content(ObjectNode input) {
        return TEXTS.stream()
                .map(input::path)
                .filter(JsonNode::isString)
                .map(JsonNode::asString)
                .collect(Collectors.joining("\n"));
    }

    static Fields principal(Call call, Runnable loadContext) {
        var caller = call.caller();
        return field -> field.equals("agent") ? agent(call, loadContext) : principal(caller, field);
    }

    private static @Nullable Object principal(Caller caller, String field) {
        return switch (field) {
            case "user" -> caller.userName();
            case "role" -> caller.role().word();
            case "key" -> caller.credential().key();
            case "capabilities" -> List.copyOf(caller.capabilities());
            default -> null;
        };
    }

    private static @Nullable String agent(Call call, Runnable loadContext) {
        loadContext.run();
        var self = call.loadedContext().self();
        return self == null ? null : self.name();
    }
}
