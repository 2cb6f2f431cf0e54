package io.agentworkspace.engine.kernel.secrets;

import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import java.nio.charset.StandardCharsets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Seals the cursors of all lists. A cursor continues the one question that it was issued for: the same list or tool, the
 * same user, the same arguments. Every other text is refused. A cursor is accepted for at least a day.
 */
public final class SealedCursors {
    private final StateSigner signer;

    public SealedCursors(StateSigner signer) {
        this.signer = signer;
    }

    /** Returns what identifies a question: all of its arguments, without the page. */
    public static String question(String name, Caller caller, ObjectNode arguments) {
        var rest = arguments.deepCopy();
        rest.remove("page");
        rest.remove("cursor");
        rest.remove("_meta");
        return "cursor\n%d\n%d\n%s\n%s".formatted(caller.tenant(), caller.user(), name, Json.canonical(rest));
    }

    /** Returns whether the arguments contain a cursor. */
    public static boolean isIn(ObjectNode arguments) {
        return isCursor(arguments.path("cursor"))
                || isCursor(arguments.path("page").path("cursor"));
    }

    private static boolean isCursor(JsonNode value) {
        return value.isString() && !value.asString().isBlank();
    }

    /**
     * Replaces the cursor in the arguments of the question, {@code cursor} or {@code page.cursor}, by what was sealed.
     *
     * @throws Problem {@code invalid_field} if it was not issued for this question
     */
    public void open(String question, ObjectNode arguments) {
        for (var holder : new JsonNode[] {arguments, arguments.path("page")}) {
            if (holder instanceof ObjectNode object && isCursor(object.path("cursor"))) {
                var opened =
                        signer.open(question, object.path("cursor").asString()).orElseThrow(Cursor::invalid);
                object.put("cursor", new String(opened, StandardCharsets.UTF_8));
            }
        }
    }

    /** Seals a cursor of the question. */
    public String seal(String question, String cursor) {
        return signer.seal(question, cursor.getBytes(StandardCharsets.UTF_8));
    }

    /** Seals the cursor in this field of a response to the question, if it has one. */
    public void seal(String question, ObjectNode response, String field) {
        if (isCursor(response.path(field))) {
            var cursor = response.path(field).asString().getBytes(StandardCharsets.UTF_8);
            response.put(field, signer.seal(question, cursor));
        }
    }
}
