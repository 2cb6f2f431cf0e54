package io.agentworkspace.engine.rules;

import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.rules.cel.ExpressionInput;
import io.agentworkspace.engine.rules.cel.ExpressionInput.Fields;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What rules see of a request. */
final class RequestVariables {
    /** Fields that some tools have instead of content. */
    static final List<String> TEXTS = List.of("content", "text", "file_text", "new_str", "insert_text");

    private static final Fields NOTHING = _ -> null;

    private RequestVariables() {}

    /** @param loadContext reads the context of the call; only needed where a rule looks at principal.agent */
    static ExpressionInput of(Call call, ObjectNode input, Runnable loadContext) {
        return new ExpressionInput(
                command(call.tool()),
                Fields.of(input.path("target")),
                vx(input),
                content(input),
                principal(call, loadContext),
                NOTHING,
                call.now(),
                Set.of());
    }

    static Fields command(Tool<?, ?> tool) {
        return field -> switch (field) {
            case "name" -> tool.name();
            case "family" -> tool.family().word();
            case "effect" -> tool.effect().name().toLowerCase(Locale.ROOT);
            default -> null;
        };
    }

    /** Tools that are not commands have these fields at the top level. */
    static Fields vx(ObjectNode input) {
        var inside = Fields.of(input.path("vx"));
        var outside = Fields.of(input);
        return field -> {
            var value = inside.get(field);
            if (value == null) {
                value = outside.get(field);
            }
            return value == null && field.equals("name") ? outside.get("path") : value;
        };
    }

    static String content(ObjectNode input) {
        return TEXTS.stream()
                .map(input::path)
                .filter(JsonNode::isString)
                .map(JsonNode::asString)
                .findFirst()
                .orElse("");
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
        if (call.contextIfKnown() == null) {
            loadContext.run();
        }
        var self = call.loadedContext().self();
        return self == null ? null : self.name();
    }
}
